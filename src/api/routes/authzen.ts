import { AccessRequestBody, AccessTask } from '../authzen/access-request.ts'
import {
  AuthzenDecision,
  AuthzenDecisions,
  AuthzenMetadata,
  EvaluationBody,
  EvaluationsBody,
} from '../authzen/evaluation.ts'
import type { Contracts } from '../contract.ts'

/** OpenID AuthZEN, for agents whose enforcement point speaks it. */
export const authzenContracts = {
  'GET /.well-known/authzen-configuration': {
    tag: 'AuthZEN',
    who: ['anyone'],
    summary: 'Where the endpoints of AuthZEN are.',
    answer: 'Metadata of the policy decision point.',
    responses: { 200: AuthzenMetadata },
  },
  'POST /access/v1/evaluation': {
    tag: 'AuthZEN',
    who: ['agent'],
    summary: 'Ask whether a call may run. Never asks a person; an approval it names is used up.',
    body: EvaluationBody,
    answer: 'decision, and why; where a person can be asked, context.access_request.',
    responses: { 200: AuthzenDecision },
    errors: ['invalid_call'],
  },
  'POST /access/v1/evaluations': {
    tag: 'AuthZEN',
    who: ['agent'],
    summary: 'Ask about several calls. An approval is used up by a single evaluation only.',
    body: EvaluationsBody,
    answer: 'A decision for each, in order; fewer where the semantic stops early.',
    responses: { 200: AuthzenDecisions },
    errors: ['invalid_call'],
  },
  'POST /access/v1/requests': {
    tag: 'AuthZEN',
    who: ['agent'],
    summary: 'Ask a person about a call that was denied so far.',
    body: AccessRequestBody,
    answer: 'The task: 202 while it waits, 201 where it is decided already.',
    responses: { 202: AccessTask, 201: AccessTask },
    errors: ['invalid_call', 'too_many_pending'],
    problems: ['not_requestable', 'expired_denial', 'invalid_denial_binding', 'duplicate_request'],
  },
  'GET /access/v1/requests/:id': {
    tag: 'AuthZEN',
    who: ['agent'],
    summary: 'How a task stands.',
    answer: 'The task; with the approval to present, once there is one.',
    responses: { 200: AccessTask },
    problems: ['unknown_task'],
  },
  'POST /access/v1/requests/:id/cancel': {
    tag: 'AuthZEN',
    who: ['agent'],
    summary: 'Withdraw a request that waits. Its body is not read.',
    answer: 'The task.',
    responses: { 200: AccessTask },
    problems: ['unknown_task', 'invalid_task_state'],
  },
} as const satisfies Contracts
