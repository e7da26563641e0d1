import { type Contracts, EMPTY, PEOPLE } from '../contract.ts'
import { ReportBody, RunPage } from '../runs/run.ts'

/** Runs of workflows, found by any approval that one asked for. */
export const runContracts = {
  'POST /v1/approvals/:id/reports': {
    tag: 'Approvals',
    who: ['agent'],
    summary:
      'Say how far the workflow is that asked, or how it ended, as the agent that asked. Decides nothing.',
    body: ReportBody,
    answer: 'Nothing.',
    responses: { 204: EMPTY },
    errors: ['approval_not_found', 'content_gone', 'usage'],
  },
  'GET /v1/approvals/:id/run': {
    tag: 'Approvals',
    who: PEOPLE,
    summary: 'The run of the workflow that asked: all its questions, and what it reported.',
    answer: 'The run.',
    responses: { 200: RunPage },
    errors: ['approval_not_found', 'not_found'],
  },
} as const satisfies Contracts
