import type { AgentToken } from '../../server/identity/tokens.ts'
import type { Store } from '../../store/store.ts'
import { count } from '../print/show-mistakes.ts'
import { type Finding, note, ok } from './finding.ts'

const OLD_MS = 180 * 86_400_000

/** Tokens that look unused, and old ones. */
export async function tokenFindings(
  store: Store,
  tokens: readonly AgentToken[],
): Promise<Finding[]> {
  const now = await store.now()
  const findings: Finding[] = []
  for (const { prefix, agent, createdAt } of tokens) {
    const { approvals } = await store.list({ agent }, { limit: 1 })
    if (approvals.length === 0) {
      const says = `${prefix} of ${agent} never asked for anything that needed a person`
      const fix = `If it is not in use: countersign token revoke ${prefix}`
      findings.push(note('tokens', says, fix))
    } else if (now - createdAt > OLD_MS) {
      const says = `${prefix} of ${agent} is older than half a year`
      findings.push(note('tokens', says, 'Make another, then revoke this one.'))
    }
  }
  if (findings.length > 0) return findings
  return [ok('tokens', `${count(tokens.length, 'agent token')}, none of them idle`)]
}
