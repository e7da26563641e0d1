import { type Message, msg } from '../../lib/language/t.ts'
import { type Span, spanOf } from '../../lib/time/period.ts'

export const KINDS: readonly (readonly [name: Message, types: string])[] = [
  [msg('Everything'), ''],
  [msg('Decisions'), 'decided,approved,denied,edited,expired,withdrawn,invalidated,late'],
  [msg('What ran'), 'claimed,renewed,finished,lost,resolved'],
  [msg('Asked'), 'requested,extended,lifted,reminded,escalated,unreachable,reachable'],
  [msg('Talk'), 'questioned,replied,commented,assigned'],
  [msg('Looked at secrets'), 'revealed'],
  [msg('Grants'), 'grant.minted,grant.used,grant.revoked,grant.expired,grant.erased'],
  [msg('Locks'), 'lock.set,lock.lifted'],
  [msg('Legal holds'), 'hold.placed,hold.released'],
  [
    msg('People and sessions'),
    'person.added,person.changed,person.removed,person.erased,invite.made,invite.revoked,standin.set,standin.ended,session.started,session.ended,passkey.added,passkey.removed,channel.linked,channel.unlinked',
  ],
  [msg('Tokens'), 'token.created,token.revoked,client.allowed,client.refused'],
  [msg('Studio'), 'studio.published,studio.unpublished,studio.secret,studio.tried'],
  [
    msg('Policy'),
    'policy.loaded,policy.applied,policy.drafted,proposal.dismissed,server.tried,server.signed_in,server.signed_out,switch.set,switch.cleared',
  ],
  [msg('Refused attempts'), 'attempt.refused'],
  [msg('Counted calls'), 'calls.counted'],
  [msg('Chains'), 'chain.started,chain.linked,key.rotated,key.revoked'],
]

/** Everything in it is text, as in its fields. */
export interface AuditFilter extends Span {
  readonly type: string
  readonly person: string
  readonly agent: string
  readonly tool: string
  readonly approval: string
}

export const NO_FILTER: AuditFilter = {
  type: '',
  person: '',
  agent: '',
  tool: '',
  approval: '',
  period: 'any',
  from: '',
  to: '',
}

export function isNarrowed(filter: AuditFilter): boolean {
  return Object.values(requestOf(filter, 0)).some((value) => value !== '')
}

/** What the server is asked for. */
export function requestOf({ period, from, to, ...names }: AuditFilter, now: number) {
  return { ...names, ...spanOf({ period, from, to }, now) }
}
