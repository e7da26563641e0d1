import { CountersignError } from '../../base/errors.ts'
import { addDecimal } from '../../base/json/decimal.ts'
import { deepFreeze } from '../../base/json/json.ts'
import type { Approval } from '../approval.ts'
import type { Request } from '../command.ts'
import { ASSURANCES, isSureEnough, type Person, personId, samePerson } from '../people/person.ts'
import { allMet } from '../people/quorum.ts'
import { Mismatch } from '../shape.ts'
import { type Actor, byPerson, bySystem, type Event, factsOf, type Moment } from '../transition.ts'
import { type Grant, type GrantRefusal, isOver } from './grant.ts'
import type { EndGrant, EraseGrant, GrantCommand, Mint, Revoke } from './grant-command.ts'
import { readGrantCommand } from './grant-shape.ts'

export interface GrantEvent {
  readonly type: 'grant.minted' | 'grant.used' | 'grant.revoked' | 'grant.expired' | 'grant.erased'
  readonly tenant: string
  readonly grant: string
  readonly revision: number
  readonly command: string
  readonly index: number
  readonly at: number
  readonly by: Actor
  readonly assurance?: Event['assurance']
  readonly facts?: Event['facts']
}

/** `event` is absent when nothing changed. */
export type GrantTransition =
  | { readonly ok: true; readonly grant: Grant; readonly event?: GrantEvent }
  | ({ readonly ok: false } & GrantRefusal)

/** One command on one grant at one moment, as pure as the step of an approval. */
export function grantStep(
  grant: Grant | undefined,
  command: GrantCommand,
  now: number,
): GrantTransition {
  try {
    const read = readGrantCommand(command)
    if (read.type === 'mint') return deepFreeze(mint(grant, read, now))
    if (!grant) return refused('grant_not_found', 'there is no such grant')
    return deepFreeze(changeOf(grant, read, now))
  } catch (error) {
    if (error instanceof Mismatch) return refused('invalid_command', error.sentence)
    if (error instanceof CountersignError) return refused(error.code, error.message)
    return refused('internal', 'the command could not be carried out')
  }
}

function changeOf(
  grant: Grant,
  command: Exclude<GrantCommand, Mint>,
  now: number,
): GrantTransition {
  switch (command.type) {
    case 'revoke':
      return revoke(grant, command, now)
    case 'end':
      return end(grant, command, now)
    case 'erase':
      return erase(grant, command, now)
  }
}

function mint(known: Grant | undefined, command: Mint, now: number): GrantTransition {
  const { id, tenant, by, from, scope, limits, lasts, reason, commandId } = command
  if (known) {
    return known.command === commandId
      ? { ok: true, grant: known }
      : refused('invalid_command', `there is a grant ${id} already`)
  }
  const problem = refuseMinter(by)
  if (problem) return { ok: false, ...problem }
  const grant: Grant = {
    id,
    tenant,
    revision: 1,
    state: 'live',
    by,
    ...(reason === undefined ? {} : { reason }),
    ...(from === undefined ? {} : { from }),
    scope,
    limits,
    uses: 0,
    spent: '0',
    mintedAt: now,
    endsAt: now + lasts,
    changedAt: now,
    command: commandId,
  }
  const { principal: _, ...named } = scope
  const facts = factsOf({
    ...named,
    from,
    digest: limits.digest,
    uses: limits.uses,
    endsAt: grant.endsAt,
    // Which argument, and not how much: amounts are arguments, and those can be erased.
    budget: limits.budget?.path,
  })
  return {
    ok: true,
    grant,
    event: eventOf(grant, 'grant.minted', { commandId, now }, { ...byPerson(by), facts }),
  }
}

/** Who may make a grant at all. Whether it covers a call is asked again at every use. */
export function refuseMinter(by: Person): GrantRefusal | undefined {
  if (by.locked)
    return { code: 'not_permitted', message: 'this person is locked and grants nothing' }
  if (ASSURANCES.indexOf(by.assurance) < ASSURANCES.indexOf('signed-in')) {
    return { code: 'assurance_too_low', message: 'a grant is made where one is signed in' }
  }
  return undefined
}

/** Why this person cannot turn this approval into a grant; undefined when they can. */
export function refuseGrant(
  approval: Pick<Approval, 'call' | 'requirements' | 'escalated' | 'terms'>,
  by: Person,
  reason: string | undefined,
): GrantRefusal | undefined {
  const { call, terms } = approval
  const problem = refuseMinter(by)
  if (problem) return problem
  if (call.risk === 'L5') return no('calls of risk L5 are asked about each time')
  if (call.form !== undefined) return no('each call has a form that a person fills in')
  if (!terms.grants) return no('a rule of the policy forbids grants for this call')
  if (!isSureEnough(by, terms)) {
    return { code: 'assurance_too_low', message: `a yes here needs ${terms.minAssurance}` }
  }
  const lent = by.for?.map((voted) => ({ voted }))
  const voter = { voted: by, ...(lent ? { lent } : {}) }
  if (!allMet(approval, [voter])) return no('one yes of this person is not enough for it')
  if (terms.reason === 'required_always' && !reason?.trim()) {
    return { code: 'reason_required', message: 'a reason is required to grant this' }
  }
  return undefined
}

function no(message: string): GrantRefusal {
  return { code: 'not_grantable', message }
}

/** One use. Whether there is one was settled before: see `refuseUse`. */
export function spend(grant: Grant, { id, commandId, grant: use, call }: Request, now: number) {
  const uses = grant.uses + 1
  const after: Grant = {
    ...grant,
    uses,
    spent: grant.limits.budget ? addDecimal(grant.spent, use?.amount ?? 0) : grant.spent,
    state: uses >= grant.limits.uses ? 'used_up' : 'live',
    revision: grant.revision + 1,
    changedAt: Math.max(grant.changedAt, now),
  }
  const facts = { approval: id, use: uses, left: grant.limits.uses - uses }
  const event = eventOf(
    after,
    'grant.used',
    { commandId, now },
    { by: { agent: call.agent }, facts },
  )
  return deepFreeze({ grant: after, event })
}

function revoke(grant: Grant, { by, commandId }: Revoke, now: number): GrantTransition {
  if (by && !mayRevoke(grant, by)) {
    return refused(
      'not_permitted',
      `grant ${grant.id} is revoked by its maker, approvers and admins`,
    )
  }
  if (isOver(grant, now)) return over(grant, commandId, now)
  const after: Grant = {
    ...grant,
    ...changed(grant, now),
    state: 'revoked',
    ...(by ? { endedBy: personId(by) } : {}),
  }
  const who = by ? byPerson(by) : bySystem('gate')
  return { ok: true, grant: after, event: eventOf(after, 'grant.revoked', { commandId, now }, who) }
}

/** Ending a permission is the safe direction, so more people may do it than could give it. */
function mayRevoke(grant: Grant, by: Person): boolean {
  const isTrusted = by.roles.includes('approver') || by.roles.includes('admin')
  return !by.locked && (isTrusted || samePerson(by, grant.by))
}

function end(grant: Grant, { commandId }: EndGrant, now: number): GrantTransition {
  if (isOver(grant, now)) return over(grant, commandId, now)
  return refused('not_due', `grant ${grant.id} has not come to its end`)
}

/** What it covered, how much, and why. That it was, whose, and how often it was used stays. */
function erase(grant: Grant, { commandId }: EraseGrant, now: number): GrantTransition {
  if (grant.state === 'live') return refused('not_due', `grant ${grant.id} is not over`)
  if (grant.erased) return { ok: true, grant }
  const { reason: _, limits, ...kept } = grant
  const { digest, uses } = limits
  const after: Grant = {
    ...kept,
    ...changed(grant, now),
    limits: { ...(digest === undefined ? {} : { digest }), uses },
    spent: '0',
    erased: true,
  }
  const who = bySystem('sweeper')
  return { ok: true, grant: after, event: eventOf(after, 'grant.erased', { commandId, now }, who) }
}

/** Nothing left to end; the first command after the expiry records it. */
function over(grant: Grant, commandId: string, now: number): GrantTransition {
  if (grant.state !== 'live') return { ok: true, grant }
  const after: Grant = { ...grant, ...changed(grant, now), state: 'expired' }
  return {
    ok: true,
    grant: after,
    event: eventOf(after, 'grant.expired', { commandId, now }, bySystem('clock')),
  }
}

function changed(grant: Grant, now: number) {
  return { revision: grant.revision + 1, changedAt: Math.max(grant.changedAt, now) }
}

function eventOf(
  { id, tenant, revision }: Grant,
  type: GrantEvent['type'],
  { commandId, now }: Moment,
  rest: Pick<GrantEvent, 'by' | 'assurance' | 'facts'>,
): GrantEvent {
  return { type, tenant, grant: id, revision, command: commandId, index: 0, at: now, ...rest }
}

function refused(code: GrantRefusal['code'], message: string): GrantTransition {
  return { ok: false, code, message }
}
