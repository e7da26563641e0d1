import * as v from 'valibot'
import { WirePerson } from './common.ts'
import {
  about,
  amount,
  flag,
  type Given,
  type Infer,
  json,
  name,
  object,
  oneOf,
  optional,
  text,
  whole,
} from './schema.ts'

/** Exactly what is, or would be, written down. */
export const WireGrantRule = object({
  kind: v.picklist(['tool', 'agent', 'skill']),
  tool: v.string(),
  server: optional(v.string()),
  agent: v.string(),
  run: optional(about(v.string(), 'Absent: any run of this agent.')),
  door: optional(about(v.string(), 'Absent: any entry point.')),
  principal: optional(
    about(
      v.union([v.string(), v.null()]),
      'The person it acts on behalf of; `null`: no person; absent: any person.',
    ),
  ),
  sameDefinition: about(v.boolean(), 'The tool must still say the same about itself.'),
  arguments: about(
    v.picklist(['exact', 'condition']),
    '`exact`: all arguments exactly equal to those of one call.',
  ),
  digest: optional(about(v.string(), 'The digest of that call.')),
  condition: optional(
    about(
      v.unknown(),
      'In the words of policy files: one map with `args_match`, or a list of them.',
    ),
  ),
  uses: whole(),
  budget: optional(
    object({
      path: v.string(),
      most: v.number(),
    }),
  ),
  lasts: about(whole(), 'How long it lasts from when it is made, in milliseconds.'),
  words: about(v.array(v.string()), 'All of it, as sentences for people.'),
})
export type WireGrantRule = Infer<typeof WireGrantRule>

export const WireGrantUse = object({
  n: about(whole(), 'The first, the second, …'),
  approval: about(v.string(), 'The call it let through.'),
  at: whole(),
  amount: optional(about(v.number(), 'What it took from the budget.')),
})
export type WireGrantUse = Infer<typeof WireGrantUse>

/** A standing permission, as people see it. */
export const WireGrant = object({
  id: v.string(),
  state: v.picklist(['live', 'used_up', 'revoked', 'expired']),
  counts: about(v.boolean(), 'Whether it lets anything through now.'),
  why: optional(about(v.string(), 'Why it does not, as a sentence.')),
  by: WirePerson,
  reason: optional(v.string()),
  from: optional(about(v.string(), 'The approval it was made from; absent: made by hand.')),
  rule: WireGrantRule,
  used: whole(),
  lastUse: optional(about(WireGrantUse, 'The newest call it let through.')),
  usesLeft: whole(),
  spent: optional(about(v.string(), 'Of the budget, as decimal text.')),
  budgetLeft: optional(v.string()),
  mintedAt: whole(),
  endsAt: whole(),
  revokedBy: optional(WirePerson),
  mayRevoke: about(v.boolean(), 'Whether the reader may revoke it.'),
})
export type WireGrant = Infer<typeof WireGrant>

/** How far it should reach. What is left out is as narrow as it can be. */
export const GrantWishBody = object({
  condition: optional(about(json, 'All arguments exactly equal, unless set.')),
  uses: optional(about(whole({ min: 1, max: 10_000 }), '10 unless set.')),
  for: optional(
    about(
      text({ min: 2, max: 100 }),
      'A duration such as `1h` or `7 days`, at most 30 days; `1h` unless set.',
    ),
  ),
  budget: optional(object({ path: name, most: amount({ min: 0 }) })),
  any_run: optional(about(flag, 'True: any run of this agent; else only the run of the call.')),
  reason: optional(text({ max: 4_000 })),
})
export type GrantWishBody = Given<typeof GrantWishBody>

/** `POST /v1/grants`: `from` an approval that has its yes, or by hand with `tool`, `agent` and `condition`. For a yes and a grant in one act, `grant` goes with the decision. */
export const GrantBody = object({
  ...GrantWishBody.entries,
  from: optional(about(name, 'The approval; the call it is about is then known.')),
  kind: optional(oneOf('tool', 'agent', 'skill')),
  tool: optional(name),
  server: optional(name),
  agent: optional(name),
  run: optional(name),
})
export type GrantBody = Given<typeof GrantBody>

/** `POST /v1/approvals/:id/grant-proposal`: the exact rule, and whether the reader may make it. */
export const GrantProposalAnswer = object({
  rule: WireGrantRule,
  may: v.boolean(),
  why: optional(about(v.string(), 'Why not, as a sentence, with its code.')),
  code: optional(v.string()),
  recorded: optional(
    about(
      object({
        calls: about(whole(), 'Of this agent and tool, the newest 50 without this one.'),
        covered: about(whole(), 'Would have run without asking; uses, end and budget aside.'),
        refused: about(whole(), 'Of the covered ones: people denied or edited them.'),
      }),
      'What it would have done to recorded calls, judged by arguments as people see them. For users who may make it.',
    ),
  ),
})
export type GrantProposalAnswer = Infer<typeof GrantProposalAnswer>

/** `GET /v1/grants`. */
export const GrantPage = object({
  grants: v.array(WireGrant),
  next: optional(v.string()),
  now: whole(),
})
export type GrantPage = Infer<typeof GrantPage>

/** `GET /v1/grants/:id/uses`, newest first. */
export const GrantUsePage = object({
  uses: v.array(WireGrantUse),
  next: optional(v.string()),
})
export type GrantUsePage = Infer<typeof GrantUsePage>
