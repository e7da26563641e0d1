import * as v from 'valibot'
import { Assurance, ExecutionState, RiskLevel, RuleName, Status, WirePerson } from './common.ts'
import { FormMistake, WireWorkflow } from './form/form.ts'
import { GrantWishBody } from './grant.ts'
import { WireOutcome } from './history/outcome.ts'
import { WireLocked } from './locks.ts'
import { PREVIEW_CARD } from './preview/preview.ts'
import {
  about,
  digest,
  type Given,
  type Infer,
  json,
  object,
  oneOf,
  optional,
  text,
  whole,
} from './schema.ts'
import { TALK_ACTS, TALK_CARD, TALK_ROW } from './talk/talk.ts'
import { NotMine } from './words/not-mine.ts'
import { WhyAsked } from './words/why-asked.ts'

/*
 * The JSON that crosses HTTP, shared by the server, the client and the inbox. Times are
 * milliseconds since 1970 on the server's clock. Arguments in it are masked: what a person must
 * not see by default was replaced before anything left the core.
 */

/** One line of the list. */
export const ApprovalRow = object({
  id: v.string(),
  revision: whole(),
  status: Status,
  reason: optional(v.string()),
  execution: optional(ExecutionState),
  level: v.picklist(['confirm', 'review']),
  kind: v.picklist(['tool', 'agent', 'skill']),
  tool: v.string(),
  server: optional(v.string()),
  door: v.string(),
  risk: optional(RiskLevel),
  riskGuessed: optional(
    about(
      v.literal(true),
      'Its risk is not rated, but guessed from its name, its arguments or its server.',
    ),
  ),
  agent: about(v.string(), 'The agent as people know it.'),
  principal: optional(about(v.string(), 'The person the agent works for.')),
  message: about(
    v.string(),
    'The question, rendered from masked arguments: at most 500 characters in a list, with `…`.',
  ),
  values: optional(
    about(
      v.array(v.tuple([whole(), whole()])),
      'Where `message` holds values from the call, as UTF-16 positions; show them apart. Absent: all of it may be.',
    ),
  ),
  digest: v.string(),
  run: optional(v.string()),
  batch: optional(v.string()),
  askedAt: whole(),
  decideBy: whole(),
  decidedAt: optional(whole()),
  by: optional(
    about(v.array(v.string()), 'Who gave the answers that count, by address where it is known.'),
  ),
  deciders: optional(about(v.array(WirePerson), 'The people of `by`, with their names.')),
  isEdited: optional(about(v.literal(true), 'An approver changed the arguments.')),
  byGrant: optional(about(v.literal(true), 'A grant let it through; `by` made that grant.')),
  met: about(
    object({
      have: whole(),
      need: whole(),
    }),
    '`2 of 3`: places filled, over all requirements.',
  ),
  mine: about(
    v.union([
      object({
        may: v.literal(true),
        for: optional(
          about(v.array(WirePerson), 'Who is away and whose places the reader would fill.'),
        ),
      }),
      object({
        may: v.literal(false),
        why: v.string(),
        because: NotMine,
      }),
    ]),
    'Whether the reader may decide this one, and if not, why: a sentence, and the same as a code.',
  ),
  ...TALK_ROW,
  locked: optional(
    about(WireLocked, 'What it is about is locked: it stays as it is, while its clock goes on.'),
  ),
  unreachable: optional(
    about(
      v.string(),
      'The rule that lost its people: the remaining approvers cannot give the yes it asks for.',
    ),
  ),
  unreachableWhy: optional(
    about(
      v.string(),
      'What is missing for it, as a clause: `finance needs 2, only bo@example.com is left`.',
    ),
  ),
})
export type ApprovalRow = Infer<typeof ApprovalRow>

export const WireTerms = object({
  minAssurance: Assurance,
  reason: v.picklist(['optional', 'required', 'required_always']),
  edit: v.union([v.boolean(), v.array(v.string())]),
  grants: v.boolean(),
  useBy: about(whole(), 'How long a yes may be used, in milliseconds.'),
})
export type WireTerms = Infer<typeof WireTerms>

/** A person who may answer because others did not. */
export const WireAdded = object({
  who: about(v.string(), 'In words, as in `approvers`.'),
  at: whole(),
  after: about(whole(), 'How old the rule lets the question become before, in milliseconds.'),
  for: optional(
    about(
      v.string(),
      'The group of the quorum whose places they may fill; absent: any place of the rule.',
    ),
  ),
  by: optional(about(WirePerson, 'Who added them before their time; absent: the clock did.')),
  rule: optional(about(v.string(), 'The rule whose escalation it is.')),
  ruleName: optional(RuleName),
  why: about(
    v.string(),
    'What added them, as a clause: `after 4 h without an answer, by rule tools.pay.approval`.',
  ),
})
export type WireAdded = Infer<typeof WireAdded>

export const WireRequirement = object({
  source: v.string(),
  rule: v.string(),
  ruleName: optional(RuleName),
  level: v.picklist(['confirm', 'review']),
  approvers: about(
    v.array(v.string()),
    'Asked from the start, in words: `group finance`, `anyone with the approver role`, `ana@example.com`.',
  ),
  people: optional(
    about(
      v.array(v.string()),
      'Addresses of people it names, alone or in a group, whose yes could count; at most 20.',
    ),
  ),
  persons: optional(
    about(
      v.array(WirePerson),
      'Those of `people` who have an account with that address; the others are known by it alone.',
    ),
  ),
  added: about(v.array(WireAdded), 'Added since by escalation, the first first.'),
  quorum: v.array(object({ group: v.string(), n: whole(), have: whole() })),
  met: v.boolean(),
})
export type WireRequirement = Infer<typeof WireRequirement>

export const WireDecision = object({
  by: WirePerson,
  for: optional(about(v.array(WirePerson), 'Said in the place of these, who were away.')),
  verdict: v.picklist(['approve', 'deny']),
  at: whole(),
  digest: v.string(),
  assurance: Assurance,
  reason: optional(v.string()),
  answer: optional(v.string()),
  payload: optional(
    about(
      v.unknown(),
      'What was attached to a yes: the answers to the form, where there is one. Masked.',
    ),
  ),
  void: optional(about(v.literal(true), 'An edit, or other answers to the form, made it void.')),
  grant: optional(about(v.string(), 'Given in advance by this grant; `by` made it.')),
})
export type WireDecision = Infer<typeof WireDecision>

/** Everything a person is shown before deciding. */
export const ApprovalCard = object({
  ...ApprovalRow.entries,
  askedDigest: v.string(),
  useBy: optional(whole()),
  terms: WireTerms,
  missing: v.array(v.string()),
  arguments: about(v.string(), 'Canonical JSON text of the arguments that will run, masked.'),
  bytes: about(whole(), 'Bytes of the arguments as bound, before masking.'),
  masked: about(v.array(v.array(v.string())), 'Paths whose values are masked, as lists of keys.'),
  askedArguments: optional(
    about(
      v.string(),
      'Set when an approver edited the call: the arguments as the agent asked, masked.',
    ),
  ),
  edited: v.array(v.array(v.string())),
  schema: optional(
    about(v.unknown(), "JSON Schema of the tool's arguments, where the gate knows it."),
  ),
  why: v.array(WhyAsked),
  reasons: optional(
    about(
      object({ deny: optional(v.array(v.string())), approve: optional(v.array(v.string())) }),
      'Reasons that the policy offers to those who decide; any other text is as good.',
    ),
  ),
  requirements: v.array(WireRequirement),
  decisions: v.array(WireDecision),
  claimed: optional(
    about(
      object({
        says: optional(v.string()),
        links: optional(v.array(v.string())),
        workflow: optional(WireWorkflow),
      }),
      'Said by the agent; never checked.',
    ),
  ),
  ...PREVIEW_CARD,
  form: optional(
    about(
      v.unknown(),
      'JSON Schema of what a yes has to fill in, as the asker gave it: send the answers as `payload`.',
    ),
  ),
  run: optional(v.string()),
  key: optional(v.string()),
  outcome: optional(WireOutcome),
  lifted: optional(about(v.literal(true), 'The denial was lifted: the same call asks again.')),
  ...TALK_CARD,
  can: about(
    v.array(
      v.picklist([
        'approve',
        'deny',
        'edit',
        'extend',
        'lift',
        'withdraw',
        'resolve',
        'reveal',
        'grant',
        ...TALK_ACTS,
      ]),
    ),
    'What the reader may do now.',
  ),
})
export type ApprovalCard = Infer<typeof ApprovalCard>

/** `GET /v1/approvals`. */
export const ApprovalPage = object({
  approvals: v.array(ApprovalRow),
  next: optional(v.string()),
  counts: optional(
    about(
      object({
        mine: whole(),
        others: whole(),
      }),
      'Of everything pending, on the first page of a list that may hold some of it.',
    ),
  ),
  now: whole(),
})
export type ApprovalPage = Infer<typeof ApprovalPage>

/** One person's answer: `POST /v1/approvals/:id/decisions`. */
export const DecisionBody = object({
  verdict: oneOf('approve', 'deny'),
  digest: about(digest, 'Of the call that the person was shown.'),
  reason: optional(text({ max: 4_000 })),
  answer: optional(about(text({ max: 16_384 }), 'For the model; with `deny` only.')),
  edit: optional(about(object({ arguments: json }), 'New arguments, whole; with `approve` only.')),
  payload: optional(
    about(
      json,
      'Data for the tool, and for the asker; with `approve` only. Where the card has a `form`: its answers, whole.',
    ),
  ),
  grant: optional(
    about(
      GrantWishBody,
      'A yes to calls like this one, too; with `approve` only. Both are made, or neither is.',
    ),
  ),
  passkey: optional(
    about(
      json,
      'What a passkey signed, after `POST /v1/approvals/:id/passkey`; with `approve` only.',
    ),
  ),
})
export type DecisionBody = Given<typeof DecisionBody>

/** One entry of an approval's history. `GET /v1/approvals/:id/events`. */
export const WireEvent = object({
  type: v.string(),
  at: whole(),
  by: v.string(),
  for: optional(about(v.array(v.string()), 'In whose place they did it.')),
  status: Status,
  code: optional(v.string()),
  assurance: optional(Assurance),
  writer: v.string(),
  seq: whole(),
  hash: v.string(),
})
export type WireEvent = Infer<typeof WireEvent>

/** `GET /v1/events` (SSE): a hint to look again, never content. */
export const Hint = object({
  id: v.string(),
  revision: whole(),
  status: Status,
})
export type Hint = Infer<typeof Hint>

/** `GET /v1/me`. */
export const Me = object({
  person: WirePerson,
  roles: v.array(v.picklist(['viewer', 'approver', 'author', 'admin'])),
  assurance: Assurance,
  tenant: v.string(),
  version: v.string(),
  studio: optional(about(v.literal(true), 'Tools can be written on this server.')),
  observing: optional(
    about(
      v.literal(true),
      "The owner's rules are recorded and not enforced: people should see that everywhere.",
    ),
  ),
})
export type Me = Infer<typeof Me>

/** An edit with what the tool's schema adds to it. It counts once it is sent in place of the first. */
export const WireCompleted = object({
  arguments: v.unknown(),
  added: about(v.array(v.array(v.string())), 'Where it differs from what was sent, key by key.'),
  digest: about(v.string(), 'Of the call that would run.'),
})
export type WireCompleted = Infer<typeof WireCompleted>

export const WireError = object({
  error: object({
    code: v.string(),
    message: v.string(),
    hint: optional(v.string()),
    at: optional(
      about(v.array(v.string()), 'Which argument is wrong, key by key, where it is one.'),
    ),
    sentence: optional(about(v.literal(true), 'The message is a whole sentence for the model.')),
    completed: optional(about(WireCompleted, 'With `edit_completed`.')),
    mistakes: optional(about(v.array(FormMistake), 'With `payload_invalid`: all of them.')),
  }),
})
export type WireError = Infer<typeof WireError>

/** `GET /v1/approvals/:id/events`, oldest first. */
export const EventList = object({ events: v.array(WireEvent) })
export type EventList = Infer<typeof EventList>
