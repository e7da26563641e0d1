import type { Approval } from '../approval.ts'
import { isOpen } from '../clock.ts'
import type { Invalidate, Withdraw } from '../command.ts'
import { byPerson, bySystem, change, type Outcome, refuse, UNCHANGED } from '../transition.ts'
import { refuseClosed } from './closed.ts'
import { isOwn } from './upkeep.ts'

/** The asker no longer needs an answer. */
export function withdraw(approval: Approval, { by }: Withdraw, now: number): Outcome {
  const asked = 'agent' in by ? by.agent === approval.call.agent : isOwn(approval, by.person)
  if (!asked) return refuse('not_the_asker', 'only the asker or the acting user withdraws a call')
  if (approval.status === 'withdrawn') return UNCHANGED
  if (!isOpen(approval)) return refuseClosed(approval)
  const actor = 'agent' in by ? { by } : byPerson(by.person)
  return change({ status: 'withdrawn', ...decided(approval, now) }, [
    { type: 'withdrawn', ...actor },
  ])
}

/** What the question or the yes rested on is gone. */
export function invalidate(approval: Approval, { by, reason }: Invalidate, now: number): Outcome {
  if (by && (by.locked || !by.roles.includes('admin'))) {
    return refuse('not_permitted', 'only an admin or the gate invalidates an approval')
  }
  if (approval.status === 'invalidated' && approval.reason === reason) return UNCHANGED
  if (!isOpen(approval)) return refuseClosed(approval)
  const actor = by ? byPerson(by) : bySystem('gate')
  return change({ status: 'invalidated', reason, ...decided(approval, now) }, [
    { type: 'invalidated', ...actor, code: reason },
  ])
}

function decided({ decidedAt }: Approval, now: number) {
  return { decidedAt: decidedAt ?? now }
}
