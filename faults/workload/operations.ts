import type { LockTarget } from '../../src/approval/locks/lock.ts'
import type { Person } from '../../src/approval/people/person.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'

/** What clients did, as they saw it themselves. No end: they were killed before they knew. */
export type Operation = Invoked | Ended

export interface Invoked {
  readonly phase: 'invoke'
  readonly op: string
  readonly kind: OperationKind
  readonly key: string
  readonly approval?: string
  readonly by?: string
  readonly verdict?: 'approve' | 'deny'
  readonly outcome?: 'succeeded' | 'failed'
  /** What is to be locked, or which lock is to be lifted. */
  readonly target?: LockTarget
  readonly lock?: string
  /** Which stand-in is to end, and whether as if it had never been. */
  readonly standIn?: string
  readonly takesBack?: boolean
  /** Who is removed or added again. */
  readonly subject?: string
  /** What a switch is set to; absent: it is taken away. */
  readonly on?: boolean
}

export type OperationKind =
  | 'run'
  | 'resume'
  | 'check'
  | 'decide'
  | 'resolve'
  | 'withdraw'
  | 'lock'
  | 'lift'
  | 'away' // somebody stands in for somebody from now on
  | 'back' // and no longer
  | 'remove'
  | 'readmit'
  | 'switch'
  | 'reveal'

export interface Ended {
  readonly phase: 'ok' | 'fail'
  readonly op: string
  /** Of a refusal, or of an outcome that has one. */
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
  /** The stand-in that holds now, or does no longer. */
  readonly standIn?: string
}

export const MINUTE = 60_000
/** Longer than any question of this policy lives, or any yes. */
export const PAST_EVERYTHING = 11 * MINUTE
/** Longer than a process may be silent, and than a dead one keeps a notice to itself. */
export const PAST_SILENCE = 65_000

/** Longer than a question waits before others are asked as well. */
export const PAST_ESCALATION = 3 * MINUTE

/** Everybody, and where they belong. Those in no group answer only in the place of others. */
export const MEMBERS = {
  ana: ['finance'],
  bo: ['finance'],
  cy: ['finance'],
  dee: ['audit'],
  eve: ['audit'],
  fay: ['audit'],
  ivy: ['board'],
  gus: [],
  hal: [],
} as const satisfies Record<string, readonly string[]>
export type Name = keyof typeof MEMBERS

export const TOOLS = ['pay', 'wire', 'note', 'seal', 'publish', 'send'] as const
/** The server whose one tool can be switched. */
export const SWITCHED = { server: 'post', tool: 'send' } as const
export type ToolName = (typeof TOOLS)[number]

export const policy = parsePolicy({
  owner: {
    file: 'countersign.yaml',
    text: `
version: 1
people:
  groups:
    finance: [ana@example.com, bo@example.com, cy@example.com]
    audit: [dee@example.com, eve@example.com, fay@example.com]
    board: [ivy@example.com]
tools:
  pay:
    secrets: [pin]
    approval: { approvers: [{ group: finance }], edit: [amount], decide_by: 10m, use_by: 5m }
  wire:
    approval: { quorum: [{ group: finance, n: 2 }], decide_by: 10m, use_by: 5m }
  note:
    approval: { decide_by: 10m, use_by: 5m, remind_after: 2m }
  seal:
    approval: { quorum: [{ group: audit, n: 2 }], decide_by: 10m, use_by: 5m }
  publish:
    approval:
      approvers: [{ group: audit }]
      escalate: [{ after: 2m, to: { group: board } }]
      decide_by: 10m
      use_by: 5m
defaults: { decide_by: 10m, use_by: 5m }
mcp_servers:
  - alias: post
    command: post
`,
  },
})

function groupsOf(name: string): readonly string[] {
  return Object.hasOwn(MEMBERS, name) ? MEMBERS[name as Name] : []
}

export function person(name: string): Person {
  return {
    issuer: 'https://id.example.com',
    subject: name,
    email: `${name}@example.com`,
    emailVerified: true,
    groups: groupsOf(name),
    roles: ['approver'],
    assurance: 'signed-in',
  }
}
