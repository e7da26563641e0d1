import * as v from 'valibot'
import { WirePerson } from './common.ts'
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
} from './schema.ts'

/*
 * Locks, as people and agents see them over HTTP.
 */

const person = object({ person: object({ issuer: name, subject: name }) })
const approval = object({ approval: name })
const onCalls = [
  object({ everything: v.literal(true, 'is not true') }),
  object({ agent: name }),
  object({ server: name, tool: optional(name) }),
  object({ tool: name }),
] as const

/** What is held back; exactly one of these. A tool without a server is that tool everywhere. */
export const WireLockTarget = v.union(
  [...onCalls, person, approval],
  'names not exactly one of everything, agent, server, tool, person, approval',
)
export type WireLockTarget = Infer<typeof WireLockTarget>

export const WireLock = object({
  id: v.string(),
  target: WireLockTarget,
  words: about(v.string(), 'The target in words: `tool pay of server bank`.'),
  by: WirePerson,
  reason: v.string(),
  at: whole(),
  until: optional(about(whole(), 'Ends by itself then.')),
})
export type WireLock = Infer<typeof WireLock>

/** `GET /v1/locks`, for people. */
export const LockList = object({
  locks: v.array(WireLock),
  now: whole(),
  can: about(v.array(v.picklist(['set', 'set_person', 'lift'])), 'What the reader may do.'),
})
export type LockList = Infer<typeof LockList>

/** `POST /v1/locks`. */
export const LockBody = object({
  target: WireLockTarget,
  reason: about(text({ min: 1, max: 1_000 }), 'People and agents read it.'),
  until: optional(about(time, 'Ends by itself then.')),
})
export type LockBody = Given<typeof LockBody>

/** Why an approval stands still: part of its row and its card. */
export const WireLocked = object({
  id: v.string(),
  words: v.string(),
  reason: v.string(),
  by: object({
    issuer: v.string(),
    subject: v.string(),
  }),
  at: whole(),
  until: optional(whole()),
})
export type WireLocked = Infer<typeof WireLocked>

export const AgentLock = object({
  id: v.string(),
  target: v.union(onCalls),
  reason: v.string(),
  at: whole(),
  until: optional(whole()),
})
export type AgentLock = Infer<typeof AgentLock>

/** `GET /v1/locks`, for agents: what can hold back their calls, and nothing of people. */
export const AgentLocks = object({
  locks: v.array(AgentLock),
  now: whole(),
  policy: optional(
    about(
      v.string(),
      'The name of the policy in force: clients that know another one fetch it before going on.',
    ),
  ),
  asked: about(
    object({ salt: v.string(), tools: v.array(v.string()) }),
    'Tools that other rules asked about before: SHA-256, in hexadecimal, of the salt, a line break and `tool` or `server/tool`. `*` is any. A client looks for the answer to such a call here, even where the policy allows it now. Names are not told: other agents may have asked.',
  ),
})
export type AgentLocks = Infer<typeof AgentLocks>
