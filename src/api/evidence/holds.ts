import * as v from 'valibot'
import { WirePerson } from '../common.ts'
import {
  about,
  type Given,
  type Infer,
  name,
  object,
  optional,
  text,
  time,
  whole,
} from '../schema.ts'

/*
 * Legal holds over HTTP.
 */

/** What is kept: whatever fits all members that are set, and at least one is. */
export const WireHoldTarget = object({
  approval: optional(name),
  person: optional(
    about(
      object({ issuer: optional(name), subject: name }),
      'Answered, asked, or is the acting user. Without an issuer, an address or a subject.',
    ),
  ),
  agent: optional(name),
  server: optional(name),
  tool: optional(name),
  since: optional(about(time, 'Something of it happened at this moment or later.')),
  until: optional(about(time, 'Something of it happened at this moment or earlier.')),
})
export type WireHoldTarget = Infer<typeof WireHoldTarget>

export const WireHold = object({
  id: v.string(),
  target: object({
    approval: optional(v.string()),
    person: optional(object({ issuer: optional(v.string()), subject: v.string() })),
    agent: optional(v.string()),
    server: optional(v.string()),
    tool: optional(v.string()),
    since: optional(whole()),
    until: optional(whole()),
  }),
  words: about(v.string(), 'The target in words: `agent billing, since 2026-03-01T00:00:00.000Z`.'),
  by: WirePerson,
  reason: v.string(),
  at: whole(),
})
export type WireHold = Infer<typeof WireHold>

/** `GET /v1/holds`. */
export const HoldList = object({ holds: v.array(WireHold), now: whole() })
export type HoldList = Infer<typeof HoldList>

const reason = text({ min: 1, max: 1_000 })

/** `POST /v1/holds`. */
export const HoldBody = object({ target: WireHoldTarget, reason })
export type HoldBody = Given<typeof HoldBody>

/** `POST /v1/holds/:hold/release`. */
export const ReleaseBody = object({ reason })
export type ReleaseBody = Given<typeof ReleaseBody>
