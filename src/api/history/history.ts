import * as v from 'valibot'
import { RiskLevel } from '../common.ts'
import { about, type Infer, object, oneOf, optional, whole } from '../schema.ts'

/** What lists of approvals are narrowed by: the same for a page, its numbers and its export. */
export const APPROVAL_FILTER = {
  status: v.array(
    oneOf('pending', 'approved', 'denied', 'expired', 'withdrawn', 'invalidated', 'all'),
  ),
  execution: about(
    v.array(oneOf('running', 'succeeded', 'failed', 'unknown', 'none', 'all')),
    'none: not claimed.',
  ),
  q: about(
    v.string(),
    'Beginnings of words in the names and the question, or of the id or the digest. Not for agents.',
  ),
  tool: v.string(),
  server: v.string(),
  run: v.string(),
  agent: v.string(),
  person: about(
    v.string(),
    'Who answered it: an address, or the subject where none is known. Not for agents.',
  ),
  risk: about(v.array(RiskLevel), 'As it is shown; a call without any counts as L3.'),
  since: about(whole(), 'Asked at this time or later.'),
  until: about(whole(), 'Asked at this time or earlier.'),
}

/** `GET /v1/approvals/summary`. Counts approvals, each once, by what people said. */
export const ApprovalSummary = object({
  asked: about(
    whole(),
    'All that the filter finds; without `pending` in its `status`, only those that are over.',
  ),
  pending: about(whole(), 'Of those, the ones that are still open.'),
  ended: about(whole(), 'Of those, the ones that are over, whatever became of them.'),
  approved: about(whole(), 'A yes, whatever became of it; those by a grant among them.'),
  denied: whole(),
  expired: about(whole(), 'Not decided in time.'),
  other: about(whole(), 'Withdrawn, or void before it was decided.'),
  edited: about(whole(), 'Of the approved ones, those whose arguments a person changed.'),
  byGrant: about(whole(), 'Of the approved ones, those that a grant let through.'),
  unknown: about(whole(), 'Ran, and what became of it is not known.'),
  medianMs: optional(
    about(
      whole(),
      'Half of what people decided was decided within this time after it was asked. At most 3 % off, as in Insights.',
    ),
  ),
  decided: about(whole(), 'How many the median is of: decided by people, not by a grant.'),
  agents: about(
    v.array(object({ agent: v.string(), name: v.string() })),
    'Those that asked, the most frequent first; at most 50. `agent` is what the filter takes.',
  ),
  tools: about(
    v.array(object({ tool: v.string(), server: optional(v.string()) })),
    'What was asked for, the most frequent first; at most 50.',
  ),
  people: about(v.array(v.string()), 'Who answered, the most frequent first; at most 50.'),
  partial: optional(
    about(v.literal(true), 'Only the newest ones were counted: there are more than that.'),
  ),
})
export type ApprovalSummary = Infer<typeof ApprovalSummary>
