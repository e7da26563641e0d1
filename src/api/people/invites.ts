import * as v from 'valibot'
import { WirePerson } from '../common.ts'
import { WireRole } from '../people.ts'
import {
  about,
  type Given,
  type Infer,
  list,
  object,
  oneOf,
  optional,
  text,
  whole,
} from '../schema.ts'

/** One line of `GET /v1/invites`. Its secret is not in it. */
export const WireInvite = object({
  id: v.string(),
  email: v.string(),
  name: v.string(),
  roles: about(v.array(WireRole), 'What the person is invited to be.'),
  by: about(WirePerson, 'The admin who made it.'),
  at: whole(),
  until: about(whole(), 'From then on the link signs no one in.'),
  state: about(v.picklist(['open', 'used', 'revoked', 'ended']), 'ended: its time ran out.'),
  usedAt: optional(whole()),
})
export type WireInvite = Infer<typeof WireInvite>

/** `GET /v1/invites`. */
export const InviteList = object({ invites: v.array(WireInvite), now: whole() })
export type InviteList = Infer<typeof InviteList>

/** `POST /v1/invites`. */
export const InviteBody = object({
  email: about(text({ min: 3, max: 254 }), 'Not vouched for: no rule goes by it.'),
  name: about(text({ min: 1, max: 256 }), 'As others see the person.'),
  roles: list(oneOf('viewer', 'approver', 'author', 'admin'), { max: 4 }),
  days: optional(about(whole({ min: 1, max: 30 }), 'How long the link works; 3 unless set.')),
})
export type InviteBody = Given<typeof InviteBody>

export const MadeInvite = object({
  token: about(v.string(), 'What stands after `#invite=` in the link. Seen this once.'),
  invite: WireInvite,
})
export type MadeInvite = Infer<typeof MadeInvite>

/** `POST /v1/invites/accept`. */
export const AcceptInviteBody = object({ token: text({ min: 1, max: 200 }) })
