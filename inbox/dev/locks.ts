/** A made-up lock for the stand-in server. */
import type { LockList } from '../../src/api/locks.ts'
import { ANA } from './calls.ts'

export function sampleLocks(now: number): LockList {
  const lock = {
    id: 'lk_1',
    target: { agent: 'Coding agent' },
    words: 'agent Coding agent',
    by: ANA,
    reason: 'It pushed to the wrong branch; looking into it.',
    at: now - 600_000,
    until: now + 3_000_000,
  }
  return { locks: [lock], now, can: ['set', 'set_person', 'lift'] }
}
