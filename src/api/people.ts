import * as v from 'valibot'
import { WirePerson } from './common.ts'

import {
  about,
  flag,
  type Given,
  type Infer,
  list,
  object,
  oneOf,
  optional,
  text,
  whole,
} from './schema.ts'

/*
 * People and agents' tokens over HTTP. A signed-in person sees who decides here; what only admins
 * need to know is left out for the others.
 */

export const WireRole = v.picklist(['viewer', 'approver', 'author', 'admin'])
export type WireRole = Infer<typeof WireRole>

const email = text({ min: 3, max: 254 })
const roles = list(oneOf('viewer', 'approver', 'author', 'admin'), { max: 4 })

/** Who a person is: nothing else names one for good. */
export const PersonKey = object({
  issuer: v.string(),
  subject: v.string(),
})
export type PersonKey = Infer<typeof PersonKey>

export const WireAccount = object({
  ...PersonKey.entries,
  id: about(v.string(), 'Names the person in paths.'),
  name: optional(v.string()),
  email: optional(v.string()),
  emailVerified: optional(
    about(v.boolean(), 'The address is vouched for: only then does it count.'),
  ),
  roles: v.array(WireRole),
  claims: optional(
    about(v.array(v.string()), 'What the issuer says this person belongs to; for admins.'),
  ),
})
export type WireAccount = Infer<typeof WireAccount>

/** One line of `GET /v1/people`. */
export const WireMember = object({
  ...WireAccount.entries,
  groups: about(v.array(v.string()), 'Groups of the policy that this person is in.'),
  locked: optional(
    about(
      v.literal(true),
      'Locked: they can neither sign in nor decide, and their yeses do not count.',
    ),
  ),
  you: optional(about(v.literal(true), 'The reader.')),
  invited: optional(
    about(
      object({
        by: WirePerson,
        wanted: optional(
          about(v.array(WireRole), 'Roles that the invitation named; another admin gives them.'),
        ),
      }),
      'For admins: who made the link that this account came by.',
    ),
  ),
  lastSignInAt: optional(
    about(whole(), 'For admins: when they last signed in, and how many sessions they have now.'),
  ),
  sessions: optional(whole()),
  told: optional(
    about(
      v.array(v.string()),
      'For admins: channels with an address of theirs, besides the inbox: push messages, mail, linked accounts.',
    ),
  ),
  lastDecisionAt: optional(about(whole(), 'For admins: when they last decided a call.')),
})
export type WireMember = Infer<typeof WireMember>

export const WireRemoved = object({
  ...PersonKey.entries,
  id: about(v.string(), 'Names the person in paths.'),
  email: optional(v.string()),
  at: whole(),
})
export type WireRemoved = Infer<typeof WireRemoved>

/** `GET /v1/people`. */
export const PeopleList = object({
  people: v.array(WireMember),
  removed: optional(
    about(
      v.array(WireRemoved),
      'For admins: who was removed and stays out until they are added again.',
    ),
  ),
  groups: about(v.array(v.string()), "Names of the policy's groups."),
  now: whole(),
  can: about(v.array(v.literal('change')), 'What the reader may do about others.'),
})
export type PeopleList = Infer<typeof PeopleList>

/** One line of `GET /v1/tokens`: an agent's credential, without its secret. */
export const WireToken = object({
  prefix: v.string(),
  agent: v.string(),
  principal: optional(v.string()),
  vouches: optional(
    about(
      v.literal(true),
      'It names its users itself, and records their answers to what they are to confirm.',
    ),
  ),
  client: optional(
    about(
      object({
        id: about(v.string(), 'The address of its metadata document.'),
        person: PersonKey,
      }),
      'An MCP client that this person allowed to act for them. It works at `/mcp` alone.',
    ),
  ),
  createdAt: whole(),
  expiresAt: optional(about(whole(), 'From then on it is worth nothing.')),
  lastUsedAt: optional(about(whole(), 'Exact to a few minutes.')),
})
export type WireToken = Infer<typeof WireToken>

export const TokenList = object({
  tokens: v.array(WireToken),
  now: whole(),
})
export type TokenList = Infer<typeof TokenList>

/** `POST /v1/tokens`. */
export const NewTokenBody = object({
  agent: text({ min: 1, max: 128 }),
  principal: optional(email),
  vouches: optional(flag),
  days: optional(about(whole({ min: 1, max: 3_650 }), 'How long it lives; for good unless set.')),
})
export type NewTokenBody = Given<typeof NewTokenBody>

export const MadeToken = object({
  token: about(v.string(), 'Seen this once.'),
  made: WireToken,
})
export type MadeToken = Infer<typeof MadeToken>

/** `DELETE /v1/people/:id/sessions`. */
export const EndedSessions = object({
  ended: whole(),
})
export type EndedSessions = Infer<typeof EndedSessions>

/** `DELETE /v1/people/:id`. */
export const RemovedPerson = object({
  person: WireAccount,
  unreachable: about(
    v.array(
      object({
        id: v.string(),
        rule: v.string(),
        says: about(v.string(), 'What is missing: `finance needs 2, only bo@example.com is left`.'),
      }),
    ),
    'Pending approvals that the remaining approvers cannot approve, and the rule that asks.',
  ),
})
export type RemovedPerson = Infer<typeof RemovedPerson>

/** `POST /v1/people/:person/erase`. */
export const ErasedPerson = object({
  erased: about(whole(), 'Pieces of content that are gone.'),
  kept: about(
    whole(),
    'Pieces that stay for now: the call can still be decided or run, or a hold on something else keeps it.',
  ),
  grants: about(whole(), 'Grants of theirs of which what they covered, and why, is gone.'),
})
export type ErasedPerson = Infer<typeof ErasedPerson>

/** `POST /v1/people`. */
export const PersonBody = object({
  email: about(email, 'An address that you vouch for.'),
  name: optional(text({ min: 1, max: 256 })),
  roles,
})
export type PersonBody = Given<typeof PersonBody>

/** `POST /v1/people/:person`. */
export const RolesBody = object({ roles })
