import * as v from 'valibot'
import { ApprovalRow } from '../approval.ts'
import { WireWorkflow } from '../form/form.ts'
import { about, type Infer, json, object, oneOf, optional, text, whole } from '../schema.ts'

/* A run of a workflow: what it asked, and what it says of itself. */

/** `POST /v1/approvals/:id/reports`: in the words of a workflow's callbacks in Cloudflare Agents. */
export const ReportBody = object({
  type: oneOf('progress', 'complete', 'error'),
  progress: optional(about(json, 'With `progress`: how far it is. Not kept beyond 4 kB.')),
  result: optional(about(json, 'With `complete`. Not kept beyond 4 kB.')),
  error: optional(about(text({ max: 65_536 }), 'With `error`: what went wrong.')),
})
export type ReportBody = Infer<typeof ReportBody>

export const WireReport = object({
  type: v.picklist(['progress', 'complete', 'error']),
  at: whole(),
  approval: about(v.string(), 'The approval that it was sent with.'),
  progress: optional(v.unknown()),
  result: optional(v.unknown()),
  error: optional(v.string()),
  isCut: optional(about(v.literal(true), 'It came with more than is kept of one report.')),
})
export type WireReport = Infer<typeof WireReport>

/** `GET /v1/approvals/:id/run`. */
export const RunPage = object({
  engine: v.string(),
  id: about(v.string(), 'As the engine names the run.'),
  agent: v.string(),
  principal: optional(v.string()),
  workflow: optional(about(WireWorkflow, 'As its newest question says; never checked.')),
  reports: about(
    v.array(WireReport),
    'What the workflow says of itself, oldest first, secrets hidden; never checked.',
  ),
  approvals: about(v.array(ApprovalRow), 'What it asked, newest first; at most 100.'),
  isPartial: optional(about(v.literal(true), 'It may have asked more than is listed.')),
})
export type RunPage = Infer<typeof RunPage>
