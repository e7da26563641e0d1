import * as v from 'valibot'
import { ExecutionState, RiskLevel, Status } from './common.ts'
import { WireWorkflow } from './form/form.ts'
import { PreviewBody } from './preview/preview.ts'
import {
  about,
  digest,
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
import { WireQuestion } from './talk/talk.ts'

/*
 * The JSON that agents and the server exchange. An agent sees its own calls only, and nothing of
 * the people who decide about them besides what they wrote for it.
 */

const questions = optional(
  about(
    v.array(WireQuestion),
    'What people ask before they decide: reply by `POST /v1/approvals/:id/replies`.',
  ),
)

export const AskedAnswer = object({
  id: v.string(),
  digest: about(v.string(), 'What the claim presents.'),
  modelMessage: v.string(),
  decideBy: whole(),
  questions,
  execution: optional(ExecutionState),
  payload: optional(about(v.unknown(), 'What an approver attached to their yes.')),
  args: optional(
    about(v.unknown(), 'What the call runs with, where a person changed its arguments.'),
  ),
})
export type AskedAnswer = Infer<typeof AskedAnswer>

export const AllowedCall = object({ status: v.literal('allowed'), args: v.unknown() })
export const BlockedCall = object({
  status: v.literal('blocked'),
  code: v.string(),
  modelMessage: v.string(),
  id: optional(v.string()),
  answer: optional(v.string()),
  reason: optional(about(v.string(), 'Why a person denied it, in their own words.')),
})
export const AskedCall = object({
  status: v.picklist(['pending', 'approved']),
  ...AskedAnswer.entries,
})
export const UnaskedCall = object({ status: v.literal('unasked') })

/** What people changed before they approved. */
export const EditedCall = object({
  paths: about(v.array(v.string()), 'Dotted paths of everything that was changed.'),
  args: about(v.record(v.string(), v.unknown()), 'What the call runs with, secrets hidden.'),
  modelMessage: v.string(),
})
export type EditedCall = Infer<typeof EditedCall>

/** `POST /v1/calls`. */
export const CallAnswer = v.union([AllowedCall, BlockedCall, AskedCall])
export type CallAnswer = Infer<typeof CallAnswer>

/** The same for a call that was sent with `ask: false` or `previews: true`. */
export const LookAnswer = v.union([AllowedCall, BlockedCall, AskedCall, UnaskedCall])
export type LookAnswer = Infer<typeof LookAnswer>

/** How an approval stands, for the agent that asked: what a list shows of it. */
const row = {
  id: v.string(),
  revision: whole(),
  status: Status,
  reason: optional(v.string()),
  execution: optional(ExecutionState),
  digest: about(v.string(), 'As asked: what the claim presents.'),
  current: about(
    v.string(),
    'Of the call as it would run now, after edits: what an answer names as seen.',
  ),
  level: v.picklist(['confirm', 'review']),
  decideBy: whole(),
  useBy: optional(whole()),
}

/** A row of `GET /v1/approvals`. What was said and returned is under its id. */
export const AgentApprovalRow = object(row)
export type AgentApprovalRow = Infer<typeof AgentApprovalRow>

/** `GET /v1/approvals/:id`, for the agent that asked. */
export const AgentApproval = object({
  ...row,
  call: about(
    object({
      kind: v.picklist(['tool', 'agent', 'skill']),
      tool: v.string(),
      server: optional(v.string()),
      principal: optional(about(v.string(), 'The person it is made for.')),
      definition: about(v.string(), 'Digest of what people saw of the tool.'),
    }),
    'What was asked about, for a process that resumes it.',
  ),
  code: optional(about(v.literal('not_started'), 'Why it did not run although it was claimed.')),
  modelMessage: v.string(),
  questions,
  answer: optional(about(v.string(), "A person's words for the model, given with a denial.")),
  denial: optional(about(v.string(), 'Why a person denied it, in their own words.')),
  edited: optional(EditedCall),
  result: optional(v.unknown()),
  noResult: optional(
    about(
      v.picklist(['dropped', 'too_large', 'invalid', 'erased']),
      'Why there is no `result` although the call succeeded.',
    ),
  ),
  payload: optional(about(v.unknown(), 'What an approver attached to their yes.')),
})
export type AgentApproval = Infer<typeof AgentApproval>

/** `POST /v1/approvals/:id/claim`. */
export const ClaimAnswer = object({
  claim: v.string(),
  args: v.unknown(),
  digest: about(
    v.string(),
    'Of the call that runs: another than the one presented when people edited it.',
  ),
  edited: optional(EditedCall),
  decision: optional(about(v.unknown(), 'What an approver attached for the tool.')),
  idempotencyKey: v.string(),
  lease: about(whole(), 'Milliseconds until it must be renewed.'),
  startWithin: about(whole(), 'Milliseconds within which the call must be started, or not at all.'),
  countersigns: about(
    v.boolean(),
    'Whether the holder of this claim can get a countersignature for the next gate.',
  ),
})
export type ClaimAnswer = Infer<typeof ClaimAnswer>

/** `GET /v1/policy`: what a client needs to answer `allow` by itself. */
export const PolicyBundle = object({
  name: about(v.string(), 'Names the policy by what it says.'),
  files: v.array(
    object({
      role: v.picklist(['owner', 'governance']),
      file: v.string(),
      text: v.string(),
    }),
  ),
  switches: optional(
    about(v.record(v.string(), v.boolean()), 'What operators switched: `alias` or `alias/tool`.'),
  ),
  validFor: about(whole(), 'Milliseconds after which it must be confirmed again.'),
})
export type PolicyBundle = Infer<typeof PolicyBundle>

/** A JSON object, whatever it holds. */
const arguments_ = v.record(v.string(), v.unknown(), 'is not an object')
const label = text({ max: 1_024 })
const context = object({
  says: optional(v.string()),
  links: optional(v.array(v.string())),
  workflow: optional(WireWorkflow),
})

/**
 * A call, as `POST /v1/policy/explain` reads it. What policy/call.ts accepts, but for reads of MCP
 * servers (`resources/read`), which the gateway alone makes.
 */
export const CallBody = object({
  kind: optional(v.picklist(['tool', 'agent', 'skill'])),
  tool: v.pipe(v.string(), v.regex(/^[A-Za-z0-9_.-]{1,128}$/)),
  server: optional(about(name, 'Absent for tools that run in the process of the agent.')),
  agent: optional(v.union([label, object({ alias: optional(label), id: optional(label) })])),
  principal: optional(about(label, 'The person the agent works for.')),
  run: optional(label),
  key: optional(about(v.string(), 'The same `run` and `key` is the same call.')),
  risk: optional(RiskLevel),
  args: arguments_,
  parent: optional(object({ input: arguments_ })),
  context: optional(about(context, 'Shown as claimed by the agent; no rule reads it.')),
  form: optional(
    about(
      arguments_,
      'JSON Schema of what an approver fills in, of type object and at most 16 kB. Part of the digest; no rule reads it.',
    ),
  ),
})
export type CallBody = Given<typeof CallBody>

const declared = optional(
  about(
    // The list first: a record takes one for an object.
    v.union([v.array(v.unknown()), arguments_]),
    'What the code of the agent says of the tool, in the words of policy files, or a list of such declarations. Each counts where it is stricter.',
  ),
)

/** `POST /v1/calls`. */
export const AskBody = object({
  ...CallBody.entries,
  definition: optional(
    about(arguments_, '`description` and `inputSchema` of the tool; at most 64 kB.'),
  ),
  declared,
  batch: optional(
    about(name, 'Names the calls of one turn of this agent, so that people see them together.'),
  ),
  countersignature: optional(
    about(
      text({ max: 65_536 }),
      'Proof from another gate that exactly this call was approved there. One that counts is used up, and the call is allowed; any other is ignored.',
    ),
  ),
  waits: optional(
    about(
      v.boolean(),
      'True: the agent waits for the answer, so an unused yes ends after 15 min instead of 24 h unless the policy says otherwise.',
    ),
  ),
  preview: optional(
    about(
      PreviewBody,
      'What the program that asks says the call would do; at most 16 kB. Shown to people as its own statement, kept with a new question, and left out where the call was asked about before.',
    ),
  ),
  previews: optional(
    about(
      v.boolean(),
      'True: the sender makes a preview. A call that needs a new question answers `unasked`, and is sent again with `preview`.',
    ),
  ),
  ask: optional(about(v.boolean(), 'False only looks: it never asks a new question.')),
  observe: optional(
    about(
      v.boolean(),
      'True records what the rules would have said; only governance and locks are enforced.',
    ),
  ),
})
export type AskBody = Given<typeof AskBody>

const claim = text({ min: 1, max: 100 })
const lease = optional(whole({ min: 1_000, max: 300_000 }))

/** `POST /v1/approvals/:id/claim`. */
export const ClaimBody = object({
  digest: about(digest, 'As asked.'),
  lease,
  definition: optional(arguments_),
  declared,
})
export type ClaimBody = Given<typeof ClaimBody>

/** `POST /v1/approvals/:id/renew`. */
export const RenewBody = object({ claim, lease })

/** `POST /v1/approvals/:id/result`. */
export const ResultBody = object({
  claim,
  outcome: oneOf('succeeded', 'failed'),
  result: optional(json),
  drop: optional(about(flag, 'In place of `result`: there is one, and it is not sent.')),
})
export type ResultBody = Given<typeof ResultBody>

/** `POST /v1/approvals/:id/countersignature`. */
export const CountersignBody = object({
  claim,
  audience: optional(
    about(text({ min: 1, max: 1_024 }), 'The next gate; those on this database unless set.'),
  ),
})
export const CountersignAnswer = object({
  countersignature: about(v.string(), 'For the approved call and one hop. It counts once.'),
})

/** `POST /v1/approvals/:id/answers`. */
export const AnswerBody = object({
  by: about(text({ min: 3, max: 254 }), 'Address of the user, who is signed in there.'),
  approved: flag,
  seen: about(digest, '`current` of the approval: what the user was shown.'),
  reason: optional(text({ max: 4_000 })),
  payload: optional(json),
})
export type AnswerBody = Given<typeof AnswerBody>

/** `GET /v1/approvals`, for agents. */
export const AgentPage = object({
  approvals: v.array(AgentApprovalRow),
  next: optional(v.string()),
})
export type AgentPage = Infer<typeof AgentPage>
