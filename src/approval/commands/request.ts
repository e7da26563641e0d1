import type { JsonObject } from '../../base/json/json.ts'
import type { Approval, Decision } from '../approval.ts'
import { isOpen } from '../clock.ts'
import type { Request } from '../command.ts'
import { type Grant, refuseUse } from '../grants/grant.ts'
import { refuseGrant } from '../grants/grant-step.ts'
import { type Lock, lockedBecause } from '../locks/lock.ts'
import { type Person, samePerson } from '../people/person.ts'
import { allMet, type Lent } from '../people/quorum.ts'
import { isFromBefore } from '../people/removed.ts'
import { shortageOf, strictestLevel } from '../people/requirement.ts'
import {
  assemble,
  change,
  contentOf,
  type Draft,
  factsOf,
  keysOf,
  type Outcome,
  refuse,
  type Transition,
  UNCHANGED,
} from '../transition.ts'
import { claimedDraft, running } from './execution.ts'

/** A new question; or, by a grant that covers it, a call that may run at once. */
export function request(
  command: Request,
  now: number,
  grant?: Grant,
  locks: readonly Lock[] = [],
): Transition {
  const asked = newApproval(command, now)
  const outcome = command.grant
    ? byGrant(asked, command, { grant, locks }, now)
    : byPeople(asked, command, locks)
  if (!outcome.ok) return { ok: false, code: outcome.code, message: outcome.message, events: [] }
  return assemble(asked, { drafts: [] }, outcome, { commandId: command.commandId, now })
}

/** At revision 0: what it will be is the first change. */
function newApproval(command: Request, now: number): Approval {
  const { id, tenant, call, digest, requirements, terms, policy } = command
  return {
    id,
    tenant,
    revision: 0,
    status: 'pending',
    call,
    digest,
    askedDigest: digest,
    edited: [],
    level: strictestLevel(requirements),
    requirements,
    terms,
    policy,
    decisions: [],
    escalated: [],
    reminders: 0,
    askedAt: now,
    decideBy: now + terms.decideBy,
    changedAt: now,
  }
}

function byPeople(asked: Approval, command: Request, locks: readonly Lock[]): Outcome {
  const shortage = shortageOf(asked, command.directory, locks)
  if (shortage) {
    const { rule } = shortage
    return refuse('no_eligible_approver', `no person can give the approval that ${rule} asks for`)
  }
  const content = contentAsked(asked, command)
  return change({}, [{ ...requested(asked, command), ...keysOf(content) }], content)
}

/** An approval given in advance: valid only for calls its maker could have approved alone. */
function byGrant(
  asked: Approval,
  command: Request,
  { grant, locks }: { readonly grant: Grant | undefined; readonly locks: readonly Lock[] },
  now: number,
): Outcome {
  const use = command.grant
  if (!use || !grant) return refuse('grant_not_enough', 'there is no such grant')
  const refusal = refuseUse(grant, command, now)
  if (refusal) return refuse(refusal.code, refusal.message)
  const { by } = grant
  const suffices =
    !isFromBefore(locks, by, grant.mintedAt) &&
    refuseGrant(asked, by, grant.reason) === undefined &&
    allMet(asked, [{ voted: by, today: use.minter, lent: stillLent(by, use.minter) }])
  if (!suffices) {
    return refuse(
      'grant_not_enough',
      'the one who made this grant could not approve this call alone',
    )
  }
  const content = contentAsked(asked, command)
  const { digest, call } = asked
  const useBy = now + asked.terms.useBy
  const yes: Decision = {
    by,
    verdict: 'approve',
    digest,
    seen: digest,
    at: now,
    reasoned: grant.reason !== undefined,
    grant: grant.id,
  }
  const execution = use.holder && running(use.holder, now)
  const { issuer, subject } = by
  const facts = { grant: grant.id, issuer, minter: subject, useBy }
  return change(
    {
      status: 'approved',
      grant: grant.id,
      decisions: [yes],
      decidedAt: now,
      useBy,
      ...(execution ? { execution } : {}),
    },
    [
      { ...requested(asked, command), ...keysOf(content) },
      { type: 'approved', by: { system: 'gate' }, digest, facts },
      ...(execution ? [claimedDraft(call, digest, execution, use.countersignature)] : []),
    ],
    content,
  )
}

/** A stand-in's grant counts while the absent person is still away and its maker still stands in. */
function stillLent(then: Person, now: Person): Lent[] {
  return (then.for ?? []).flatMap((voted) => {
    const today = now.for?.find((away) => samePerson(away, voted))
    return today ? [{ voted, today }] : []
  })
}

function contentAsked(asked: Approval, { content }: Request) {
  const { arguments: args, message, missing, values, context, parentInput, view, trace } = content
  const { definition, form, preview } = content
  const question = {
    message,
    missing,
    ...(values ? { values } : {}),
    ...(content.authored ? { authored: true } : {}),
    ...(context ? { context: { ...context } as JsonObject } : {}),
    ...(parentInput === undefined ? {} : { parentInput }),
    ...(view ? { view: { ...view } } : {}),
    ...(trace === undefined ? {} : { trace }),
    ...(form === undefined ? {} : { form }),
    ...(preview === undefined ? {} : { preview }),
  }
  return [
    ...contentOf(asked, 'arguments', args),
    ...contentOf(asked, 'question', question),
    ...contentOf(asked, 'definition', definition),
  ]
}

function requested(
  { call, digest, level, decideBy, policy }: Approval,
  { requirements }: Request,
): Draft {
  const { principal, requester, ...named } = call
  // A name without an issuer may be an address, and what the audit holds can never be erased.
  const acting = principal?.issuer === undefined ? undefined : principal
  const facts = factsOf({
    ...named,
    issuer: acting?.issuer,
    principal: acting?.subject,
    level,
    decideBy,
    policy,
    rules: requirements.map(({ rule }) => rule),
  })
  return { type: 'requested', by: { agent: call.agent }, digest, facts }
}

/**
 * Asking again. The same key and the same call give the approval that exists; callers without a
 * key join by digest while it is alive. Anything else is another call and needs its own approval.
 */
export function requestAgain(
  approval: Approval,
  { id, tenant, call, digest }: Request,
  lock?: Lock,
): Outcome {
  const { agent, run, key } = approval.call
  if (tenant !== approval.tenant) return refuse('approval_not_found', `there is no approval ${id}`)
  // A locked call is never asked about; what ran before the lock is still reported.
  if (lock && isOpen(approval)) return refuse('locked', lockedBecause(lock))
  const sameCaller = call.agent === agent && call.run === run && call.key === key
  const sameCall = digest === approval.askedDigest
  if (sameCaller && sameCall && (id === approval.id || key !== undefined)) return UNCHANGED
  if (sameCaller && key !== undefined) {
    return refuse('key_reused', `key ${key} already names another call of this run`)
  }
  const alive = isOpen(approval) || approval.execution?.state === 'running'
  if (sameCaller && sameCall && run !== undefined && alive) return UNCHANGED
  return refuse('not_joinable', `approval ${approval.id} is about another call`)
}
