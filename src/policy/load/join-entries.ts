import { higherRisk, type Risk } from '../../base/call.ts'
import type { Ask, Declaration, ToolEntry } from '../document.ts'
import { ALWAYS } from '../evaluate/condition.ts'

/**
 * Several declarations of one tool in code, as one. All of them count: conditions and approvers add
 * up, the highest risk stands, and `approval: false` frees a call only where no other one asks.
 */
export function joinEntries(entries: readonly (ToolEntry | undefined)[]): ToolEntry | undefined {
  const [first, ...others] = entries.filter((entry) => entry !== undefined)
  return others.reduce<ToolEntry | undefined>(joined, first)
}

function joined(one: ToolEntry | undefined, other: ToolEntry): ToolEntry {
  if (!one) return other
  const [approval, ...besides] = [...approvalsOf(one), ...approvalsOf(other)]
  const risk = higherRisk(one.risk, other.risk)
  const riskAlone = higherRisk(riskWithoutApproval(one), riskWithoutApproval(other))
  return {
    ...other,
    ...one,
    ...(approval ? { approval } : {}),
    ...(besides.length > 0 ? { besides } : {}),
    ...(risk ? { risk } : {}),
    ...(riskAlone ? { riskAlone } : {}),
    riskRule: one.risk === risk ? one.riskRule : other.riskRule,
    secrets: [...one.secrets, ...other.secrets],
    result: one.result === 'drop' || other.result === 'drop' ? 'drop' : 'keep',
  }
}

export function approvalsOf(entry: ToolEntry | undefined): readonly Declaration[] {
  return entry?.approval ? [entry.approval, ...(entry.besides ?? [])] : []
}

function riskWithoutApproval({ approval, risk, riskAlone }: ToolEntry): Risk | undefined {
  return approval ? riskAlone : risk
}

/** What an entry asks for its risk, where it says nothing of approval. */
export function riskAsk(entry: ToolEntry): Ask | undefined {
  const risk = riskWithoutApproval(entry)
  if (risk === undefined || risk === 'L0') return undefined
  const { riskRule: rule, place } = entry
  return { asks: 'when', rule, place, condition: ALWAYS }
}
