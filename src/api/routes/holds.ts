import type { Contracts } from '../contract.ts'
import { HoldBody, HoldList, ReleaseBody, WireHold } from '../evidence/holds.ts'

/** What must not be erased. */
export const holdContracts = {
  'GET /v1/holds': {
    tag: 'Audit',
    who: ['viewer', 'admin'],
    summary: 'Legal holds: what is not erased, whatever `retain` says.',
    answer: 'A list of holds, oldest first.',
    responses: { 200: HoldList },
  },
  'POST /v1/holds': {
    tag: 'Audit',
    who: ['admin'],
    summary: 'Place a legal hold. Content of what it names is not erased until it is released.',
    body: HoldBody,
    answer: 'The hold.',
    responses: { 201: WireHold },
    errors: ['invalid_value', 'reason_required'],
  },
  'POST /v1/holds/:hold/release': {
    tag: 'Audit',
    who: ['admin'],
    summary: 'Release a legal hold. What is past its time is erased at the next look.',
    body: ReleaseBody,
    answer: 'The hold that was released.',
    responses: { 200: WireHold },
    errors: ['reason_required'],
  },
} as const satisfies Contracts
