import {
  AgentApproval,
  AnswerBody,
  AskBody,
  ClaimAnswer,
  ClaimBody,
  LookAnswer,
  RenewBody,
  ResultBody,
} from '../agent.ts'
import type { Contracts } from '../contract.ts'

/** What agents do. Each speaks for the agent its token is bound to, and for no other. */
export const callContracts = {
  'POST /v1/calls': {
    tag: 'Calls',
    who: ['agent'],
    summary: 'Ask whether a call may run. Asking again for the same call joins it.',
    body: AskBody,
    answer: 'allowed, blocked with the sentence for the model, or the approval to wait for.',
    responses: { 200: LookAnswer },
    errors: [
      'invalid_call',
      'schema_unusable',
      'policy_invalid',
      'principal_unproved',
      'key_reused',
      'not_joinable',
    ],
  },
  'POST /v1/approvals/:id/claim': {
    tag: 'Calls',
    who: ['agent'],
    summary: 'Spend the approval, once, just before running the call.',
    body: ClaimBody,
    answer: 'The arguments to run with, and the claim to report with.',
    responses: { 200: ClaimAnswer },
    errors: ['approval_not_found', 'call_changed', 'not_approved', 'already_claimed'],
  },
  'POST /v1/approvals/:id/renew': {
    tag: 'Calls',
    who: ['agent'],
    summary: 'Say that the call still runs, before its lease ends.',
    body: RenewBody,
    answer: 'How the approval stands.',
    responses: { 200: AgentApproval },
    errors: ['approval_not_found', 'not_running', 'not_the_claimer', 'already_finished'],
  },
  'POST /v1/approvals/:id/result': {
    tag: 'Calls',
    who: ['agent'],
    summary: 'Report how the call went.',
    body: ResultBody,
    answer: 'How the approval stands.',
    responses: { 200: AgentApproval },
    errors: ['approval_not_found', 'not_running', 'not_the_claimer', 'already_finished'],
  },
  'POST /v1/approvals/:id/answers': {
    tag: 'Calls',
    who: ['agent'],
    summary: 'Record what the user of an application answered there, for tokens that vouch.',
    body: AnswerBody,
    answer: 'How the approval stands.',
    responses: { 200: AgentApproval },
    errors: ['approval_not_found', 'assurance_too_low', 'call_changed', 'already_decided'],
  },
} as const satisfies Contracts
