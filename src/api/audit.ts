import * as v from 'valibot'
import { WirePerson } from './common.ts'
import { about, type Infer, object, optional, whole } from './schema.ts'

export const WireActor = v.union([
  object({
    person: object({
      issuer: v.string(),
      subject: v.string(),
    }),
  }),
  object({
    agent: v.string(),
  }),
  object({
    system: v.string(),
  }),
])
export type WireActor = Infer<typeof WireActor>

/** Ids, codes and digests. What people wrote is sealed and not in it. */
export const WireAuditEvent = object({
  type: v.string(),
  tenant: v.string(),
  at: whole(),
  command: optional(v.string()),
  index: optional(
    about(whole(), 'Several events can come of one command; (command, index) is unique.'),
  ),
  revision: optional(about(whole(), 'Of the approval, or of the grant, after this.')),
  links: optional(
    about(
      v.array(object({ writer: v.string(), seq: whole(), hash: v.string() })),
      'Heads of other chains, as this writer knew them.',
    ),
  ),
  approval: optional(v.string()),
  grant: optional(v.string()),
  by: optional(WireActor),
  status: optional(v.string()),
  execution: optional(v.string()),
  code: optional(v.string()),
  digest: optional(v.string()),
  assurance: optional(v.string()),
  facts: optional(
    v.record(v.string(), v.union([v.string(), v.number(), v.boolean(), v.array(v.string())])),
  ),
  content: optional(about(v.array(v.string()), 'Keys of content written with it.')),
})
export type WireAuditEvent = Infer<typeof WireAuditEvent>

/** As in an exported file: who wrote it, its place in that chain, and what happened. */
export const WireAuditEntry = object({
  writer: v.string(),
  seq: whole(),
  prev: v.string(),
  hash: v.string(),
  event: WireAuditEvent,
  refused: optional(about(v.string(), 'The command was refused, with this code.')),
  state: optional(
    about(v.string(), 'Hash of the approval, or of the grant, as this command left it.'),
  ),
  records: optional(
    about(v.array(v.unknown()), 'What it did to records that change by amendments alone.'),
  ),
  seals: optional(
    about(
      v.record(v.string(), v.string()),
      'Salted hashes of the content written with it, so that content can be erased.',
    ),
  ),
})
export type WireAuditEntry = Infer<typeof WireAuditEntry>

export const WireAuditCall = object({
  tool: v.string(),
  server: optional(v.string()),
  agent: v.string(),
})
export type WireAuditCall = Infer<typeof WireAuditCall>

/** `GET /v1/audit`. */
export const AuditPage = object({
  entries: v.array(WireAuditEntry),
  next: about(
    v.string(),
    'Where the next page begins; at the end, where what comes later will be.',
  ),
  end: about(v.boolean(), 'Nothing came after this when the page was made.'),
  calls: about(
    v.record(v.string(), WireAuditCall),
    "Calls that the entries are about, as far as they are known, by the approval's id.",
  ),
  people: about(v.array(WirePerson), 'Those who did it, as far as they are known.'),
})
export type AuditPage = Infer<typeof AuditPage>

export const ChainReport = object({
  ok: v.boolean(),
  entries: whole(),
  writers: whole(),
  checkpoints: whole(),
  uncovered: about(whole(), 'Entries that no signed checkpoint covers yet.'),
  checkpointAt: optional(whole()),
  signedBy: v.array(v.string()),
  checkedAt: whole(),
  tookMs: v.number(),
  problem: optional(
    about(
      object({
        code: v.string(),
        place: v.string(),
        message: v.string(),
        hint: v.string(),
      }),
      'The first thing that is wrong, and what to do about it.',
    ),
  ),
})
export type ChainReport = Infer<typeof ChainReport>

/** `GET /v1/audit/chain`, and `POST` to have it checked now. */
export const ChainState = object({
  report: optional(
    about(
      ChainReport,
      'The last check by this server; absent when there was none since it started.',
    ),
  ),
  now: whole(),
})
export type ChainState = Infer<typeof ChainState>
