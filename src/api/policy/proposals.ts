import * as v from 'valibot'
import { about, digest, type Infer, object, optional, whole } from '../schema.ts'
import { RuleForm } from './rules.ts'

const evidence = {
  id: about(digest, 'The same as long as it is about the same.'),
  tool: v.string(),
  server: optional(v.string()),
  calls: about(whole(), 'Recorded answers it rests on.'),
  of: about(whole(), 'Recorded answers about this tool.'),
  people: about(whole(), 'Different people who gave them.'),
  examples: about(v.array(v.string()), 'Approvals, the newest first; at most 5.'),
}

export const Proposal = v.variant('kind', [
  object({
    kind: v.literal('tighten'),
    ...evidence,
    denied: whole(),
    edited: whole(),
    words: about(v.string(), 'The rule for people; values in it come from calls.'),
    values: about(
      v.array(object({ path: v.string(), op: v.string(), value: v.array(v.string()) })),
      'The conditions apart, to be shown as values.',
    ),
    rule: about(RuleForm, 'For `POST /v1/policy/rule`, with the first example as `from`.'),
    accepts: about(v.literal('admin'), 'Who must accept it.'),
  }),
  object({
    kind: v.literal('relax'),
    ...evidence,
    agent: v.string(),
    from: about(v.string(), 'For `POST /v1/grants`: the approval the grant is made from.'),
    uses: whole(),
    for: v.string(),
    accepts: about(v.literal('approver'), 'A person who may approve this call.'),
  }),
])
export type Proposal = Infer<typeof Proposal>

/** `GET /v1/policy/proposals`. */
export const Proposals = object({
  days: about(whole(), 'How far back answers count.'),
  proposals: v.array(Proposal),
  dismissed: about(whole(), 'How many of those found were dismissed before.'),
})
export type Proposals = Infer<typeof Proposals>
