import { CallBody, PolicyBundle } from '../agent.ts'
import { type Contracts, EMPTY, PEOPLE } from '../contract.ts'
import { Proposals } from '../policy/proposals.ts'
import { DraftBody, RuleBody, RuleDraft } from '../policy/rules.ts'
import { PolicyVersion, PolicyVersions, RuleCounts } from '../policy/versions.ts'
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
  'POST /v1/policy/rule': {
    tag: 'Policy',
    who: ['admin'],
    summary:
      'Make a rule from a recorded call: as a form and as text, tried on recorded calls. Writes nothing.',
    body: RuleBody,
    answer:
      'The text with the rule in it, the rule as a form, mistakes, and what recorded calls would get.',
    responses: { 200: RuleDraft },
    errors: ['approval_not_found', 'usage', 'policy_invalid', 'policy_unreadable'],
  },
  'PUT /v1/policy/draft': {
    tag: 'Policy',
    who: ['admin'],
    summary:
      "Write the owner's policy file, if it is still what was edited. It is not in force before it is applied.",
    body: DraftBody,
    answer: 'The draft afterwards, as `GET /v1/policy/draft`.',
    responses: { 200: PolicyDraft },
    errors: ['usage', 'policy_changed', 'policy_invalid', 'policy_unreadable'],
  },
  'GET /v1/policy/counts': {
    tag: 'Policy',
    who: PEOPLE,
    summary: 'How often each rule asked in the last 30 days, and how that ended.',
    answer: 'Counts by the names of rules.',
    responses: { 200: RuleCounts },
  },
  'GET /v1/policy/versions': {
    tag: 'Policy',
    who: ['admin'],
    summary: 'What was put into force on this database, when and by whom.',
    answer: 'Versions, the newest first.',
    responses: { 200: PolicyVersions },
  },
  'GET /v1/policy/versions/:version': {
    tag: 'Policy',
    who: ['admin'],
    summary: 'One version with its texts, to read it, compare it or write it as a draft.',
    answer: 'The version and its files as they were, beside the file on disk.',
    responses: { 200: PolicyVersion },
    errors: ['not_found', 'store_damaged', 'policy_invalid', 'policy_unreadable'],
  },
  'GET /v1/policy/proposals': {
    tag: 'Policy',
    who: ['approver', 'admin'],
    summary: 'Changes of the rules that recorded answers speak for. Nothing is applied by itself.',
    answer: 'Proposals with their evidence, without those that were dismissed.',
    responses: { 200: Proposals },
  },
  'POST /v1/policy/proposals/:proposal/dismiss': {
    tag: 'Policy',
    who: ['admin'],
    summary: 'Dismiss a proposal: it is not made again.',
    answer: 'What is left.',
    responses: { 200: Proposals },
    errors: ['not_found'],
  },
} as const satisfies Contracts
