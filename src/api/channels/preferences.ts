import * as v from 'valibot'
import { about, type Given, type Infer, list, object, optional, text, whole } from '../schema.ts'

const time = about(text({ min: 5, max: 5 }), 'On the wall of the person: `22:00`.')

const DigestTimes = object({
  channel: text({ min: 1, max: 128 }),
  every: optional(about(whole({ min: 5, max: 1_440 }), 'Minutes between two messages.')),
  at: optional(about(time, 'In place of `every`: once a day, at this time.')),
  zone: optional(about(text({ min: 1, max: 64 }), 'Of `at`: a time zone such as `Europe/Berlin`.')),
})

/** `PUT /v1/me/notifications`: how the caller wants to be told. Everything left out is the default. */
export const NotificationPreferences = object({
  order: optional(
    about(
      list(text({ min: 1, max: 128 }), { max: 20 }),
      'Channels in the order they are tried; those that are not named come last.',
    ),
  ),
  nextAfter: optional(
    about(
      whole({ min: 1, max: 1_440 }),
      'Minutes until the next channel tells of a question that is still open; 10 unless set.',
    ),
  ),
  quiet: optional(
    about(
      object({
        zone: about(text({ min: 1, max: 64 }), 'Time zone, such as `Europe/Berlin`.'),
        from: time,
        to: time,
      }),
      'At most 16 hours. Calls of L4 and L5, and calls that would have less than 30 minutes left afterwards, are told all the same.',
    ),
  ),
  digests: optional(
    about(
      list(DigestTimes, { max: 20 }),
      'Channels that tell of several calls in one message. Calls of L4 and L5, and calls that would have less than 30 minutes left by then, are told at once.',
    ),
  ),
})
export type NotificationPreferences = Given<typeof NotificationPreferences>

/** `GET /v1/me/notifications`. */
export const NotificationSettings = object({
  preferences: NotificationPreferences,
  channels: about(v.array(v.string()), 'Channels of this server that tell single people.'),
  policy: about(v.array(v.string()), 'What the policy says of it, one sentence for each rule.'),
})
export type NotificationSettings = Infer<typeof NotificationSettings>
