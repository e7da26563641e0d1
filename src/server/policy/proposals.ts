import type { Proposals, Proposal as WireProposal } from '../../api/policy/proposals.ts'
import type { RuleForm } from '../../api/policy/rules.ts'
import { CountersignError } from '../../base/errors.ts'
import { given } from '../../base/json/json.ts'
import { PROPOSAL_DAYS, type Proposal, proposalsFor } from '../../gate/proposals/proposals.ts'
import type { Policy } from '../../policy/policy.ts'
import { PROPOSAL_RECORD } from '../../store/records/proposal-record.ts'
import type { Store } from '../../store/store.ts'

const EXAMPLES = 5
/** A grant that is offered ends soon: whether it was right is looked at again. */
const GRANT_USES = 50
const GRANT_FOR = '7d'

/** What recorded answers speak for, without what an admin dismissed. */
export async function openProposals(store: Store, policy: Policy): Promise<Proposals> {
  const found = await proposalsFor(store, policy)
  const known = await Promise.all(found.map(({ id }) => store.records.get(PROPOSAL_RECORD, id)))
  const open = found.filter((_, nth) => known[nth] === undefined)
  return {
    days: PROPOSAL_DAYS,
    proposals: open.map(wireProposal),
    dismissed: found.length - open.length,
  }
}

/** Only what is proposed can be dismissed: no name from outside becomes a record. */
export async function dismissProposal(
  store: Store,
  policy: Policy,
  id: string,
  { issuer, subject }: { readonly issuer: string; readonly subject: string },
): Promise<void> {
  const { proposals } = await openProposals(store, policy)
  const found = proposals.find((one) => one.id === id)
  if (!found) throw new CountersignError('not_found', 'there is no such proposal')
  const by = { issuer, subject }
  await store.amend({
    commandId: crypto.randomUUID(),
    event: {
      type: 'proposal.dismissed',
      by: { person: by },
      facts: { digest: id, code: found.kind },
    },
    changes: [{ kind: PROPOSAL_RECORD, id, value: { by }, expect: 'absent' }],
  })
}

function wireProposal(proposal: Proposal): WireProposal {
  const { id, subject, calls, of, people } = proposal
  const evidence = {
    id,
    tool: subject.tool,
    ...given({ server: subject.server }),
    calls: calls.length,
    of,
    people,
    examples: calls.slice(0, EXAMPLES).map(({ approval }) => approval.id),
  }
  if (proposal.kind === 'relax') {
    const agent = calls[0]?.approval.call.agent ?? ''
    return {
      kind: 'relax',
      ...evidence,
      agent,
      from: proposal.from,
      uses: GRANT_USES,
      for: GRANT_FOR,
      accepts: 'approver',
    }
  }
  const { denied, edited, rule } = proposal
  return {
    kind: 'tighten',
    ...evidence,
    denied,
    edited,
    words: wordsOf(rule),
    values: rule.when
      .flat()
      .map(({ path, op, value }) => ({ path, op, value: [value].flat().map(String) })),
    rule,
    accepts: 'admin',
  }
}

const OPERATORS: Readonly<Record<string, string>> = {
  eq: 'is',
  in: 'is one of',
  gte: 'is at least',
}

/** Values are quoted: an agent chose them. */
function wordsOf({ when }: RuleForm): string {
  const clauses = when
    .flat()
    .map(({ path, op, value }) => `${path} ${OPERATORS[op] ?? op} ${quoted(value)}`)
  return clauses.length === 0 ? 'deny every call' : `deny when ${clauses.join(' and ')}`
}

function quoted(value: RuleForm['when'][number][number]['value']): string {
  return [value]
    .flat()
    .map((one) => JSON.stringify(one))
    .join(', ')
}
