import { AgentApproval } from '../agent.ts'
import { ApprovalState } from '../approval-acts.ts'
import { byCaller, type Contracts, PEOPLE } from '../contract.ts'
import { AssignableList, AssignBody, QuestionBody, Readers, RemarkBody } from '../talk/talk.ts'

const STATE = 'How the approval stands now. Its card is `GET /v1/approvals/:id`.'
const ENDED = ['approval_not_found', 'already_decided', 'denied', 'expired', 'withdrawn'] as const

/** Asking back, commenting, assigning, reminding: none of it decides. */
export const talkContracts = {
  'POST /v1/approvals/:id/questions': {
    tag: 'Approvals',
    who: PEOPLE,
    summary: 'Ask the asker something before deciding. The call stays pending.',
    body: QuestionBody,
    answer: STATE,
    responses: { 200: ApprovalState },
    errors: [
      ...ENDED,
      'invalidated',
      'already_claimed',
      'extend_too_long',
      'too_much_said',
      'invalid_command',
    ],
  },
  'POST /v1/approvals/:id/replies': {
    tag: 'Approvals',
    who: [...PEOPLE, 'agent'],
    summary:
      'Reply to what was asked, as the agent that asked for approval or its user. Decides nothing.',
    body: RemarkBody,
    answer: 'How the approval stands now.',
    responses: { 200: byCaller('ReplyAnswer', ApprovalState, AgentApproval) },
    errors: [
      ...ENDED,
      'invalidated',
      'already_claimed',
      'not_asked',
      'not_the_asker',
      'locked',
      'invalid_command',
    ],
  },
  'POST /v1/approvals/:id/comments': {
    tag: 'Approvals',
    who: PEOPLE,
    summary: 'Leave a comment for the other people concerned. The agent is not told.',
    body: RemarkBody,
    answer: STATE,
    responses: { 200: ApprovalState },
    errors: [...ENDED, 'invalidated', 'already_claimed', 'too_much_said', 'invalid_command'],
  },
  'GET /v1/approvals/:id/assignable': {
    tag: 'Approvals',
    who: PEOPLE,
    summary: 'Who the approval can be assigned to.',
    answer: 'People whose yes could count.',
    responses: { 200: AssignableList },
    errors: ['approval_not_found'],
  },
  'POST /v1/approvals/:id/assign': {
    tag: 'Approvals',
    who: PEOPLE,
    summary: 'Say who is to decide. Everyone else who may, still may.',
    body: AssignBody,
    answer: STATE,
    responses: { 200: ApprovalState },
    errors: [...ENDED, 'invalidated', 'already_claimed', 'not_an_approver'],
  },
  'POST /v1/approvals/:id/remind': {
    tag: 'Approvals',
    who: PEOPLE,
    summary: 'Remind everyone who is asked, at most once a minute.',
    answer: STATE,
    responses: { 200: ApprovalState },
    errors: [...ENDED, 'invalidated', 'already_claimed', 'not_due'],
  },
  'POST /v1/approvals/:id/reading': {
    tag: 'Approvals',
    who: PEOPLE,
    summary: 'Say that the caller has the card open. Forgotten after 12 seconds, and never stored.',
    answer: 'Who has it open, the caller included.',
    responses: { 200: Readers },
    errors: ['approval_not_found'],
  },
} as const satisfies Contracts
