import * as v from 'valibot'
import { ApprovalCard, ApprovalRow } from './approval.ts'
import {
  about,
  digest,
  type Given,
  type Infer,
  json,
  list,
  object,
  oneOf,
  optional,
  text,
  time,
  whole,
} from './schema.ts'

/* What is done to an approval besides deciding it, and what each act is answered with. */

const { id, revision, status, reason, execution, decideBy, decidedAt, by, isEdited, byGrant } =
  ApprovalRow.entries

/**
 * How an approval stands after an act. It is small on purpose: what a person reads before deciding
 * is on the card, which is made when it is read.
 */
export const ApprovalState = object({
  id,
  revision,
  status,
  reason,
  execution,
  digest: about(v.string(), 'Of the call as it would run now.'),
  decideBy,
  decidedAt,
  useBy: optional(about(whole(), 'Until when a yes may be used.')),
  by,
  isEdited,
  byGrant,
  lifted: ApprovalCard.entries.lifted,
  met: optional(about(ApprovalRow.entries.met, 'While it is pending: how many places are filled.')),
  message: optional(
    about(v.string(), 'The question as it reads now, where this act changed the arguments.'),
  ),
  values: ApprovalRow.entries.values,
})
export type ApprovalState = Infer<typeof ApprovalState>

/** `POST /v1/approvals/:id/extend`. */
export const ExtendBody = object({ until: time })

/** `POST /v1/approvals/:id/resolve`. */
export const ResolveBody = object({
  outcome: oneOf('succeeded', 'failed'),
  reason: optional(text({ max: 4_000 })),
})
export type ResolveBody = Given<typeof ResolveBody>

/** `POST /v1/approvals/:id/reveal`. */
export const RevealBody = object({
  path: about(list(text({ max: 1_024 }), { max: 64 }), 'As in `masked` of the card.'),
  digest: about(digest, 'Of the call that the person was shown.'),
})

export const Revealed = object({ path: v.array(v.string()), value: json })
export type Revealed = Infer<typeof Revealed>
