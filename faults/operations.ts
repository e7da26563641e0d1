import type { LockTarget } from '../src/approval/lock.ts'
import type { Person } from '../src/approval/person.ts'
import { parsePolicy } from '../src/policy/parse-policy.ts'

/** What clients did, as they saw it themselves. No end: they were killed before they knew. */
export type Operation = Invoked | Ended

export interface Invoked {
  readonly phase: 'invoke'
  readonly op: string
  readonly kind: 'run' | 'resume' | 'check' | 'decide' | 'resolve' | 'withdraw' | 'lock' | 'lift'
  readonly key: string
  readonly approval?: string
  readonly by?: string
  readonly verdict?: 'approve' | 'deny'
  readonly outcome?: 'succeeded' | 'failed'
  /** What is to be locked, or which lock is to be lifted. */
  readonly target?: LockTarget
  readonly lock?: string
}

export interface Ended {
  readonly phase: 'ok' | 'fail'
  readonly op: string
  /** Code of the refusal. */
  readonly code?: string
  readonly approval?: string
  /** What the caller was told. */
  readonly status?: string
  readonly ran?: boolean | 'unknown'
  readonly unrecorded?: boolean
  /** What the answer turned out to be about. */
  readonly digest?: string
  /** The lock that holds now, or does no longer. */
  readonly lock?: string
}

export const MINUTE = 60_000
/** Longer than any question of this policy lives, or any yes. */
export const PAST_EVERYTHING = 11 * MINUTE
/** Longer than a process may be silent, and than a dead one keeps a notice to itself. */
export const PAST_SILENCE = 65_000

export const TOOLS = ['pay', 'wire', 'note'] as const
export type ToolName = (typeof TOOLS)[number]

export const policy = parsePolicy({
  owner: {
    file: 'countersign.yaml',
    text: `
version: 1
people:
  groups:
    finance: [ana@example.com, bo@example.com, cy@example.com]
tools:
  pay:
    approval: { approvers: [{ group: finance }], edit: [amount], decide_by: 10m, use_by: 5m }
  wire:
    approval: { quorum: [{ group: finance, n: 2 }], decide_by: 10m, use_by: 5m }
  note:
    approval: { decide_by: 10m, use_by: 5m, remind_after: 2m }
`,
  },
})

export function person(name: string): Person {
  return {
    issuer: 'https://id.example.com',
    subject: name,
    email: `${name}@example.com`,
    emailVerified: true,
    groups: ['finance'],
    roles: ['approver'],
    assurance: 'signed-in',
  }
}
