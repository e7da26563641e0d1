import * as v from 'valibot'
import { about, type Infer, object, optional, whole } from '../schema.ts'

const addresses = v.array(v.string())

export const WireOnCall = object({
  group: v.string(),
  people: about(addresses, 'Who is told first; none: all of the group are told at once.'),
  until: optional(about(whole(), 'When that changes, as far as it is known.')),
  next: optional(object({ people: addresses, from: whole() })),
  othersAfter: optional(
    about(whole(), 'Milliseconds without a decision until the other members are told.'),
  ),
  problem: optional(
    about(v.string(), 'Why the schedule cannot be read. All of the group are told at once.'),
  ),
})
export type WireOnCall = Infer<typeof WireOnCall>

/** `GET /v1/on-call`. */
export const OnCallList = object({
  at: about(whole(), 'The moment it is about.'),
  groups: about(v.array(WireOnCall), 'Groups of the policy that have a schedule.'),
})
export type OnCallList = Infer<typeof OnCallList>
