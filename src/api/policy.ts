import * as v from 'valibot'
import { Assurance, RuleName } from './common.ts'
import { WireTests } from './policy/rules.ts'
import { about, digest, type Infer, object, optional, whole } from './schema.ts'

export const DraftRule = object({
  source: v.string(),
  name: v.string(),
  words: v.string(),
  details: v.array(v.string()),
  asks: v.string(),
})
export type DraftRule = Infer<typeof DraftRule>

/** What the policy's files say now, beside what is in force. */
export const PolicyDraft = object({
  active: about(v.string(), 'The name of the policy in force.'),
  name: optional(
    about(v.string(), 'The name of what is on disk; absent when it cannot be loaded.'),
  ),
  changed: v.boolean(),
  added: optional(v.array(DraftRule)),
  removed: optional(v.array(DraftRule)),
  problem: optional(
    about(
      object({
        code: v.string(),
        message: v.string(),
      }),
      'Why the files cannot be applied. What is in force stays in force.',
    ),
  ),
})
export type PolicyDraft = Infer<typeof PolicyDraft>

/** `GET /v1/policy/draft`. A policy in code has no files, and no draft. */
export const FoundPolicyDraft = v.nullable(PolicyDraft)

/** `POST /v1/policy/apply`. */
export const ApplyBody = object({ name: about(digest, 'Name of the draft that was looked at.') })

const ShownRule = object({
  source: v.picklist(['tool', 'server', 'agent', 'skill', 'governance', 'default']),
  name: v.string(),
  words: about(v.string(), 'When it asks, for people: `asks when amount is over 10,000`.'),
  details: about(v.array(v.string()), 'Who decides, how many, how long: a sentence for each.'),
  names: about(v.array(v.string()), 'The names it has in records, where it can ask.'),
  asks: about(v.string(), 'What it asks for where it holds.'),
  risk: optional(v.string()),
  place: optional(v.string()),
  call: optional(
    about(
      object({ kind: v.string(), tool: v.string(), server: optional(v.string()) }),
      'The call to try it with.',
    ),
  ),
})

/** `GET /status.json`. */
export const PolicyStatus = object({
  version: v.string(),
  loadedAt: about(v.string(), 'ISO 8601.'),
  files: v.array(
    object({
      file: v.string(),
      role: v.picklist(['owner', 'governance']),
      state: v.picklist(['active', 'changed', 'removed', 'new']),
    }),
  ),
  counts: object({
    tools: whole(),
    servers: whole(),
    agents: whole(),
    governance: whole(),
    tests: whole(),
  }),
  rules: v.array(ShownRule),
  groups: about(
    v.array(
      object({
        name: v.string(),
        emails: optional(about(v.array(v.string()), 'Its members, as the files name them.')),
        claim: optional(about(v.string(), 'The sign-in provider says who is in it.')),
      }),
    ),
    'Groups that rules name.',
  ),
  warnings: v.array(object({ place: v.string(), path: v.string(), message: v.string() })),
  examples: v.array(
    object({ name: v.string(), call: v.record(v.string(), v.unknown()), expect: v.string() }),
  ),
  demo: about(v.boolean(), 'A sample agent can be started here.'),
})
export type PolicyStatus = Infer<typeof PolicyStatus>

const approver = v.union([
  object({ email: v.string() }),
  object({ group: v.string() }),
  v.literal('*'),
])

const requirement = object({
  source: v.string(),
  rule: v.string(),
  level: v.picklist(['confirm', 'review']),
  approvers: v.array(approver),
  quorum: v.array(object({ group: v.string(), n: whole() })),
  escalate: v.array(object({ after: whole(), to: approver, for: optional(v.string()) })),
})

const terms = object({
  decideBy: whole(),
  useBy: whole(),
  waitFor: optional(whole()),
  remindAfter: optional(whole()),
  minAssurance: Assurance,
  reason: v.picklist(['optional', 'required', 'required_always']),
  edit: v.union([v.boolean(), v.array(object({ text: v.string(), keys: v.array(v.string()) }))]),
  grants: v.boolean(),
})

const said = {
  message: v.string(),
  missing: v.array(v.string()),
  reasons: v.array(
    object({
      source: v.string(),
      rule: v.string(),
      answer: v.picklist(['yes', 'unknown']),
    }),
  ),
}

const verdict = v.union([
  object({ verdict: v.picklist(['allow', 'deny']), ...said }),
  object({
    verdict: v.picklist(['confirm', 'review']),
    ...said,
    values: optional(
      about(v.array(v.tuple([whole(), whole()])), 'Where `message` holds values from the call.'),
    ),
    requirements: v.array(requirement),
    terms,
    leavesUseBy: optional(v.literal(true)),
    authored: optional(v.literal(true)),
    rememberNo: optional(v.union([v.literal('call'), whole()])),
  }),
])

/** `POST /v1/policy/explain`: a verdict with every rule that was looked at. Shows no secret. */
export const ExplainedCall = object({
  verdict,
  risk: optional(v.string()),
  rules: v.array(
    object({
      source: v.string(),
      rule: v.string(),
      name: RuleName,
      words: about(v.string(), 'The rule for people: `asks when amount is over 10,000`.'),
      place: optional(about(v.string(), '`countersign.yaml:12:5`, where it stands in a file.')),
      answer: v.string(),
      asks: about(v.string(), 'The verdict it asks for; `allow` when it does not object.'),
      why: optional(v.string()),
      values: v.array(
        object({
          group: about(whole(), 'Which of several condition groups; they are ORed.'),
          path: v.string(),
          wanted: v.string(),
          words: optional(about(v.string(), 'The same for people: `is over 10,000`.')),
          tests: optional(about(WireTests, 'The same without words.')),
          saw: v.string(),
          answer: v.string(),
        }),
      ),
    }),
  ),
  unmatched: about(whole(), 'How many governance rules do not concern this call.'),
  code: optional(
    about(
      object({
        words: v.unknown(),
        besides: optional(v.array(v.unknown())),
        byFunction: optional(v.literal(true)),
      }),
      'What the code of an agent declares of the tool.',
    ),
  ),
  words: about(
    object({ who: v.array(v.string()), terms: v.array(v.string()) }),
    'Who must decide and on what terms, as sentences for people.',
  ),
})
export type ExplainedCall = Infer<typeof ExplainedCall>
