import * as v from 'valibot'
import { about, digest, type Infer, object, oneOf, optional, text, whole } from '../schema.ts'

const scalar = v.union([v.string(), v.number(), v.boolean()])

/** What a condition can ask of an argument; `eq` is a value alone. */
export const RULE_OPERATORS = [
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'not_in',
  'pattern',
] as const

/** What a value has to be, without words: each surface says it in its own language. */
export const WireTests = v.array(
  object({
    op: v.picklist(RULE_OPERATORS),
    values: v.array(v.union([v.string(), v.number(), v.boolean()])),
  }),
)
export type WireTests = Infer<typeof WireTests>

export const RuleClause = object({
  path: about(text({ min: 1, max: 1_000 }), 'As in policy files: `order.amount`.'),
  op: oneOf(...RULE_OPERATORS),
  value: about(v.union([scalar, v.array(scalar)]), 'A list for `in` and `not_in`.'),
})
export type RuleClause = Infer<typeof RuleClause>

const short = text({ min: 1, max: 2_000 })

/** One rule as a form has it, in the words of policy files. */
export const RuleForm = object({
  place: about(
    oneOf('tool', 'extra'),
    "`tool`: the tool's own entry. `extra`: a rule of the governance list, which can only ask more.",
  ),
  id: optional(about(short, 'Names an extra rule.')),
  verdict: oneOf('allow', 'confirm', 'review', 'deny'),
  when: about(
    v.pipe(v.array(v.array(RuleClause)), v.maxLength(32)),
    'Groups are ORed, the clauses of one group ANDed. Empty: it always holds.',
  ),
  approvers: v.array(v.union([short, object({ group: short })])),
  quorum: v.array(object({ group: short, n: whole({ min: 1, max: 100 }) })),
  decideBy: optional(short),
  useBy: optional(short),
  remindAfter: optional(short),
  reason: optional(oneOf('optional', 'required', 'required_always')),
  question: optional(about(short, 'What the approver reads.')),
  told: optional(about(short, 'What the agent is told where the rule denies.')),
})
export type RuleForm = Infer<typeof RuleForm>

const MOST_TEXT = 1_000_000

/** `POST /v1/policy/rule`. Writes nothing. */
export const RuleBody = object({
  from: about(v.string(), 'The approval whose call the rule is about.'),
  text: optional(
    about(
      text({ max: MOST_TEXT }),
      "The owner's file as it is being edited; as it is on disk unless set.",
    ),
  ),
  rule: optional(about(RuleForm, 'Put into the text. Without it, the rule is read from the text.')),
  at: optional(
    about(
      object({ place: oneOf('tool', 'extra'), id: optional(short) }),
      'Which rule of the text to read.',
    ),
  ),
  tests: optional(about(v.boolean(), 'Add tests to the file, made from recorded calls.')),
})
export type RuleBody = Infer<typeof RuleBody>

/** What another policy would have said of recorded calls. */
export const PolicyReplay = object({
  calls: about(whole(), 'How many recorded calls were looked at, the newest first.'),
  same: whole(),
  stricter: whole(),
  looser: whole(),
  other: about(whole(), 'The same verdict, by other people or on other terms.'),
  refused: about(whole(), 'Of the looser ones: people denied them, or edited them first.'),
  hidden: about(whole(), 'Calls with hidden values; rules saw them masked.'),
  examples: v.array(
    object({
      id: v.string(),
      tool: v.string(),
      server: optional(v.string()),
      agent: v.string(),
      askedAt: whole(),
      status: v.string(),
      edited: v.boolean(),
      change: v.picklist(['same', 'stricter', 'looser', 'other']),
      before: v.string(),
      after: v.string(),
    }),
  ),
})
export type PolicyReplay = Infer<typeof PolicyReplay>

export const RuleDraft = object({
  text: about(v.string(), "The owner's file with the rule in it."),
  base: about(digest, 'Of the file on disk; `PUT /v1/policy/draft` wants it back.'),
  disk: about(v.string(), 'The file on disk.'),
  file: v.string(),
  rule: optional(about(RuleForm, 'As the text has it; absent where the form cannot show it.')),
  places: v.array(v.picklist(['tool', 'extra'])),
  words: optional(about(v.string(), 'When the rule asks, for people.')),
  details: about(v.array(v.string()), 'Who decides, how many, how long.'),
  mistakes: v.array(
    object({ line: whole(), column: whole(), path: v.string(), message: v.string() }),
  ),
  groups: about(v.array(v.string()), 'Groups that the file defines.'),
  call: object({
    tool: v.string(),
    server: optional(v.string()),
    kind: v.string(),
    agent: v.string(),
    args: about(
      v.array(object({ path: v.string(), value: scalar })),
      'Arguments a condition can test. Hidden ones are left out.',
    ),
    hidden: about(whole(), 'How many are left out because they are hidden.'),
  }),
  replay: optional(PolicyReplay),
  tests: about(whole(), 'Tests that were added to the text.'),
  canSave: about(v.boolean(), 'Whether this server can write the file.'),
})
export type RuleDraft = Infer<typeof RuleDraft>

/** `PUT /v1/policy/draft`. */
export const DraftBody = object({
  text: text({ min: 1, max: MOST_TEXT }),
  base: about(digest, 'Of the file that was on disk when editing began.'),
})
