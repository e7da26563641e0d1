import { CallBody, PolicyBundle } from '../agent.ts'
import { type Contracts, EMPTY, PEOPLE } from '../contract.ts'
import { ApplyBody, ExplainedCall, FoundPolicyDraft, PolicyDraft, PolicyStatus } from '../policy.ts'

/** What is in force, and what it would say. */
export const policyContracts = {
  'GET /status.json': {
    tag: 'Policy',
    who: PEOPLE,
    summary: 'The active policy as rows, and whether its files have changed since.',
    answer: 'Files, rules, warnings, examples.',
    responses: { 200: PolicyStatus },
  },
  'GET /v1/policy': {
    tag: 'Policy',
    who: [...PEOPLE, 'agent'],
    summary: 'The sources of the active policy, with an ETag.',
    answer:
      'Files to evaluate locally, valid for a minute after each confirmation. Only admins get how servers are reached. 304 with `if-none-match`.',
    responses: { 200: PolicyBundle, 304: EMPTY },
  },
  'POST /v1/policy/explain': {
    tag: 'Policy',
    who: [...PEOPLE, 'agent'],
    summary: 'What the policy says of a call, and why. Asks no question and stores nothing.',
    body: CallBody,
    answer: 'The verdict, every rule that was looked at, and the values it saw.',
    responses: { 200: ExplainedCall },
    errors: ['invalid_call'],
  },
  'GET /v1/policy/draft': {
    tag: 'Policy',
    who: ['admin'],
    summary: 'What the policy files say now, beside what is in force.',
    answer:
      'The name to apply, and the rules that would come and go; or the mistakes. `null` for a policy in code, which has no files.',
    responses: { 200: FoundPolicyDraft },
  },
  'POST /v1/policy/apply': {
    tag: 'Policy',
    who: ['admin'],
    summary: 'Put what the files say into force, if it is still what was looked at.',
    body: ApplyBody,
    answer: 'The draft afterwards: nothing changed any more.',
    responses: { 200: PolicyDraft },
    errors: ['policy_changed', 'policy_invalid', 'policy_unreadable'],
  },
} as const satisfies Contracts
