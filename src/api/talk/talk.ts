import * as v from 'valibot'
import { WirePerson } from '../common.ts'
import { about, type Infer, object, optional, text, time, whole } from '../schema.ts'

/* What is said about a call without deciding it, who is to decide it, and who reads it now. */

/** As many characters as a remark may have. */
const LONGEST = 4_096
const said = about(text({ min: 1, max: LONGEST }), 'Secrets in it are masked before it is stored.')

export const WireRemark = object({
  kind: v.picklist(['question', 'reply', 'comment']),
  by: optional(about(WirePerson, 'Absent: the agent said it. It is never checked.')),
  at: whole(),
  text: optional(about(v.string(), 'Absent once it was erased.')),
})
export type WireRemark = Infer<typeof WireRemark>

export const WireAssigned = object({ to: WirePerson, by: WirePerson, at: whole() })
export type WireAssigned = Infer<typeof WireAssigned>

/** What an approver asked, for the agent that asked for approval. */
export const WireQuestion = object({ text: v.string(), at: whole() })
export type WireQuestion = Infer<typeof WireQuestion>

/** `POST /v1/approvals/:id/questions`. */
export const QuestionBody = object({
  text: said,
  until: optional(about(time, 'A later deadline, within the bounds of `extend`.')),
})

/** `POST /v1/approvals/:id/replies` and `…/comments`. */
export const RemarkBody = object({ text: said })

/** `POST /v1/approvals/:id/assign`. */
export const AssignBody = object({
  to: optional(
    about(text({ min: 1, max: 100 }), '`id` of one of the assignable people; absent: no one.'),
  ),
})

/** `GET /v1/approvals/:id/assignable`. */
export const AssignableList = object({
  people: about(
    v.array(object({ id: v.string(), ...WirePerson.entries })),
    'Those with an account whose yes could count; at most 100.',
  ),
})
export type AssignableList = Infer<typeof AssignableList>

/** `POST /v1/approvals/:id/reading`, and `reading` of the stream. */
export const Readers = object({
  id: about(v.string(), 'Of the approval.'),
  readers: about(v.array(WirePerson), 'Who has its card open now; at most 20.'),
})
export type Readers = Infer<typeof Readers>

/** What a line of the list says of it. */
export const TALK_ROW = {
  questions: optional(
    about(whole(), 'How many questions of approvers the asker has not replied to.'),
  ),
  replied: optional(
    about(v.literal(true), 'The asker replied to what was asked, and no one asked since.'),
  ),
  assignee: optional(about(v.string(), 'Who is to decide, by address where it is known.')),
}

/** What a card says of it. */
export const TALK_CARD = {
  talk: optional(about(v.array(WireRemark), 'What was asked, replied and commented, in order.')),
  assigned: optional(about(WireAssigned, 'Who is to decide; others still may.')),
}

export const TALK_ACTS = ['question', 'reply', 'comment', 'remind', 'assign'] as const
