import * as v from 'valibot'
import { byCaller, type Contracts, PEOPLE } from '../contract.ts'
import { GrantBody, GrantPage, GrantUsePage, WireGrant } from '../grant.ts'
import { AgentLocks, LockBody, LockList, WireLock } from '../locks.ts'
import { about, oneOf, whole } from '../schema.ts'

const page = {
  limit: about(whole({ min: 1, max: 500 }), '100 unless set.'),
  after: about(v.string(), '`next` of the page before.'),
}

/** Standing permissions, and locks. */
export const grantContracts = {
  'GET /v1/grants': {
    tag: 'Grants',
    who: PEOPLE,
    summary: 'Standing permissions, newest first.',
    query: {
      state: v.array(oneOf('live', 'used_up', 'revoked', 'expired', 'all')),
      agent: v.string(),
      tool: v.string(),
      ...page,
    },
    answer: 'The grants with what is left of them, and where the next page begins.',
    responses: { 200: GrantPage },
    errors: ['cursor_unknown'],
  },
  'POST /v1/grants': {
    tag: 'Grants',
    who: PEOPLE,
    summary: 'Make a grant: from an approval that has its yes, or by hand.',
    body: GrantBody,
    answer: 'The grant.',
    responses: { 201: WireGrant },
    errors: [
      'approval_not_found',
      'grant_not_enough',
      'not_grantable',
      'not_approved',
      'not_an_approver',
      'self_approval',
      'invalid_command',
      'reason_required',
    ],
  },
  'GET /v1/grants/:grant': {
    tag: 'Grants',
    who: PEOPLE,
    summary: 'One grant.',
    answer: 'The grant with what is left of it.',
    responses: { 200: WireGrant },
    errors: ['grant_not_found'],
  },
  'GET /v1/grants/:grant/uses': {
    tag: 'Grants',
    who: PEOPLE,
    summary: 'The calls a grant let through, newest first.',
    query: page,
    answer: 'Uses, each with its approval.',
    responses: { 200: GrantUsePage },
    errors: ['grant_not_found', 'cursor_unknown'],
  },
  'DELETE /v1/grants/:grant': {
    tag: 'Grants',
    who: PEOPLE,
    summary: 'Revoke a grant: its maker, approvers and admins may.',
    answer: 'The grant as it is now.',
    responses: { 200: WireGrant },
    errors: ['grant_not_found', 'grant_ended'],
  },
  'GET /v1/locks': {
    tag: 'Locks',
    who: [...PEOPLE, 'agent'],
    summary: 'What is locked now. Agents get what can hold back their calls.',
    answer: 'A list of locks.',
    responses: { 200: byCaller('LocksAnswer', LockList, AgentLocks) },
  },
  'POST /v1/locks': {
    tag: 'Locks',
    who: ['approver', 'admin'],
    summary: 'Lock something, at once and everywhere. A person is locked by admins only.',
    body: LockBody,
    answer: 'The lock.',
    responses: { 201: WireLock },
  },
  'DELETE /v1/locks/:lock': {
    tag: 'Locks',
    who: ['admin'],
    summary: 'Lift a lock.',
    answer: 'The lock that was lifted.',
    responses: { 200: WireLock },
  },
} as const satisfies Contracts
