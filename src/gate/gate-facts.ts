import type { Directory } from '../approval/people/requirement.ts'
import type { Approvals } from './admin/approvals.ts'
import type { People } from './people.ts'

/** What functions beside the gate need to know of it, and its users do not. */
interface GateFacts {
  readonly people: People
  /** The agent it speaks for, as approvals name it; undefined for a gate of several. */
  readonly agent: string | undefined
  /** The person it speaks for, where it speaks for one alone. */
  readonly principal: string | undefined
}

const facts = new WeakMap<Approvals, GateFacts>()

export function rememberFacts(approvals: Approvals, known: GateFacts): void {
  facts.set(approvals, known)
}

/** Who a gate's policy names as approvers: for `countersign/testing`, which answers as one of them. */
export async function directoryOf(approvals: Approvals): Promise<Directory> {
  return (await facts.get(approvals)?.people.directory()) ?? { groups: {}, approvers: 'open' }
}

export function speakerOf(approvals: Approvals): Partial<Pick<GateFacts, 'agent' | 'principal'>> {
  return facts.get(approvals) ?? {}
}
