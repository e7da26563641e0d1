import type { Approval, Escalated } from './approval.ts'
import { bySystem, type Changes, type Draft } from './transition.ts'

/** A yes may still be given, or a given yes still be used. */
export function isOpen({ status, execution }: Approval): boolean {
  return status === 'pending' || (status === 'approved' && execution === undefined)
}

/** A clock further behind the last change than this is broken, and no decision goes by it. */
export const MAX_CLOCK_LAG = 60_000

export interface Tick {
  readonly changes?: Changes
  readonly drafts: readonly Draft[]
}

/**
 * What time alone has done to an approval. Every command looks here first, so that an answer is
 * late because of the clock and not because a sweeper happened to run.
 */
export function tick(approval: Approval, now: number): Tick {
  const { status, decideBy, useBy } = approval
  if (status === 'pending' && now >= decideBy) return expired('undecided', now)
  if (status === 'approved' && isOpen(approval) && useBy !== undefined && now >= useBy) {
    return expired('unused', now)
  }
  const due = dueSteps(approval, now)
  if (due.length === 0) return { drafts: [] }
  return {
    changes: { escalated: [...approval.escalated, ...due] },
    drafts: due.map((one) => escalatedDraft(one, bySystem('clock'))),
  }
}

function expired(reason: 'undecided' | 'unused', now: number): Tick {
  const decided = reason === 'undecided' ? { decidedAt: now } : {}
  return {
    changes: { status: 'expired', reason, ...decided },
    drafts: [{ type: 'expired', ...bySystem('clock'), code: reason }],
  }
}

export function escalatedDraft(
  { requirement, step }: Escalated,
  by: Pick<Draft, 'by' | 'assurance'>,
): Draft {
  return { type: 'escalated', ...by, facts: { requirement, step } }
}

/** Escalations whose time has come and which were not taken yet. */
export function dueSteps(approval: Approval, now: number): Escalated[] {
  return untakenSteps(approval)
    .filter(({ after }) => now >= approval.askedAt + after)
    .map(({ requirement, step }) => ({ requirement, step, at: now }))
}

export function untakenSteps({ status, requirements, escalated }: Approval) {
  if (status !== 'pending') return []
  return requirements.flatMap(({ escalate }, requirement) =>
    escalate.flatMap(({ after }, step) =>
      escalated.some((one) => one.requirement === requirement && one.step === step)
        ? []
        : [{ requirement, step, after }],
    ),
  )
}

/**
 * When the sweeper should next look at this approval: the earliest of its deadline, reminder,
 * escalation and lease. Undefined when time can do nothing more to it.
 */
export function dueAt(approval: Approval): number | undefined {
  const { status, execution, askedAt, remindedAt, terms } = approval
  if (execution?.state === 'running') return execution.leaseUntil
  if (!isOpen(approval)) return undefined
  if (status === 'approved') return approval.useBy
  const remind =
    terms.remindAfter === undefined ? [] : [(remindedAt ?? askedAt) + terms.remindAfter]
  const escalations = untakenSteps(approval).map(({ after }) => askedAt + after)
  return Math.min(approval.decideBy, ...remind, ...escalations)
}
