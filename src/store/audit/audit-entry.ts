import type { GrantEvent } from '../../approval/grants/grant-step.ts'
import type { Assurance } from '../../approval/people/person.ts'
import type { Actor, Event } from '../../approval/transition.ts'
import type { ErrorCode } from '../../base/errors.ts'
import type { RecordState } from './audited-records.ts'

/** What a writer records about itself and the other writers. */
export interface ChainEvent {
  readonly type: 'chain.started' | 'chain.linked'
  readonly tenant: string
  readonly at: number
  /** Heads of other chains: truncating one of those contradicts this one. */
  readonly links: readonly Head[]
  /** The chain begins on a database that was found to be a copy or a restored backup. */
  readonly code?: string
}

export const ADMIN_EVENT_TYPES = [
  'lock.set',
  'lock.lifted',
  'hold.placed',
  'hold.released',
  'person.added',
  'person.changed',
  'person.removed',
  'person.erased',
  'invite.made',
  'invite.revoked',
  'standin.set',
  'standin.ended',
  'session.started',
  'session.ended',
  'passkey.added',
  'passkey.removed',
  'channel.linked',
  'channel.unlinked',
  'token.created',
  'token.revoked',
  'key.rotated',
  'key.revoked',
  'client.allowed',
  'client.refused',
  'policy.loaded',
  'policy.applied',
  'switch.set',
  'switch.cleared',
  'tool.accepted',
  'studio.published',
  'studio.unpublished',
  'studio.secret',
  'models.set',
  'models.removed',
  'studio.tried',
  'policy.drafted',
  'proposal.dismissed',
  'server.tried',
  'server.signed_in',
  'server.signed_out',
  'attempt.refused',
  'calls.counted',
] as const
/** Events that say which policy is in force. */
export const POLICY_EVENT_TYPES: readonly string[] = ['policy.loaded', 'policy.applied']
export type AdminEventType = (typeof ADMIN_EVENT_TYPES)[number]

/** Something that concerns no single approval: who locked what, who may sign in, who did. */
export interface AdminEvent {
  readonly type: AdminEventType
  readonly tenant: string
  readonly at: number
  readonly command: string
  readonly by: Actor
  readonly assurance?: Assurance
  /** Ids and codes. What a person wrote is sealed instead. */
  readonly facts?: Event['facts']
}

export interface Head {
  readonly writer: string
  readonly seq: number
  readonly hash: string
}

/** The part of an entry that is hashed, as canonical JSON. */
export interface AuditBody {
  readonly v: 'countersign.event.v1'
  readonly writer: string
  readonly seq: number
  /** Hash of this writer's entry before. */
  readonly prev: string
  readonly event: Event | GrantEvent | ChainEvent | AdminEvent
  /** The command was refused; the event says what that left behind. */
  readonly refused?: ErrorCode
  /** Hash of the approval, or of the grant, as this command left it. */
  readonly state?: string
  /** What this amendment did to records that change by amendments alone. */
  readonly records?: readonly RecordState[]
  /** Salted hashes of the content written with it, so that content can be erased. */
  readonly seals?: { readonly [key: string]: string }
}

export interface AuditEntry extends Omit<AuditBody, 'v'> {
  readonly hash: string
}

/** An entry with the exact bytes that were hashed. */
export interface SealedEntry {
  readonly entry: AuditEntry
  readonly body: string
}
