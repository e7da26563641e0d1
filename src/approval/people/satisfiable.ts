import type { Approval } from '../approval.ts'
import type { Directory, Reach } from '../command.ts'
import { refuseClosed } from '../commands/closed.ts'
import type { Lock } from '../locks/lock.ts'
import { bySystem, change, type Outcome, UNCHANGED } from '../outcome.ts'
import { goneUntil, type Shortage, unanswerable } from './directory.ts'

/** What is missing for good, as far as is known now: people who are gone past the deadline. */
export function shortageOf(
  { requirements, call, decideBy }: Pick<Approval, 'requirements' | 'call' | 'decideBy'>,
  directory: Directory,
  locks: readonly Lock[],
): Shortage | undefined {
  return unanswerable(requirements, call, directory, goneUntil(locks, decideBy))
}

/** Whether what is written down of it is no longer so. */
export function isReachChanged({ unreachable }: Approval, shortage: Shortage | undefined): boolean {
  const isNoted = unreachable !== undefined && !unreachable.over
  return isNoted !== (shortage !== undefined)
}

/** Notes once that a question became unanswerable, and once that it no longer is. */
export function reach(
  approval: Approval,
  { directory }: Reach,
  now: number,
  locks: readonly Lock[],
): Outcome {
  if (approval.status !== 'pending') return refuseClosed(approval)
  const shortage = shortageOf(approval, directory, locks)
  if (!isReachChanged(approval, shortage)) return UNCHANGED
  const by = bySystem('gate')
  if (shortage) {
    const { rule, says } = shortage
    return change({ unreachable: { rule, says, at: now } }, [
      { type: 'unreachable', ...by, facts: { rule } },
    ])
  }
  const { unreachable } = approval
  return change(unreachable ? { unreachable: { ...unreachable, over: true } } : {}, [
    { type: 'reachable', ...by },
  ])
}
