import { type Approval, isOpen } from './approval.ts'
import type { Request } from './command.ts'
import { isSureEnough } from './decide.ts'
import { unanswerable } from './directory.ts'
import { allMet } from './eligibility.ts'
import { running } from './execution.ts'
import { strictestLevel } from './merge.ts'
import {
  assemble,
  change,
  contentOf,
  type Draft,
  factsOf,
  keysOf,
  type Outcome,
  refuse,
  UNCHANGED,
} from './outcome.ts'
import type { Transition } from './transition.ts'

/** A new question; or, by a grant that covers it, a call that may run at once. */
export function request(command: Request, now: number): Transition {
  const asked = newApproval(command, now)
  const outcome = command.grant ? byGrant(asked, command, now) : byPeople(asked, command)
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

function byPeople(asked: Approval, command: Request): Outcome {
  const nobody = unanswerable(asked.requirements, asked.call, command.directory)
  if (nobody) {
    return refuse('no_eligible_approver', `nobody could give the yes that ${nobody.rule} asks for`)
  }
  const content = contentAsked(asked, command)
  return change({}, [{ ...requested(asked, command), ...keysOf(content) }], content)
}

function byGrant(asked: Approval, command: Request, now: number): Outcome {
  const { grant } = command
  const covers =
    grant !== undefined &&
    asked.terms.grants &&
    isSureEnough(grant.minter, asked.terms) &&
    allMet(asked, [{ voted: grant.minter }])
  if (!covers) {
    return refuse(
      'grant_not_enough',
      'the one who made this grant could not approve this call alone',
    )
  }
  const content = contentAsked(asked, command)
  const useBy = now + asked.terms.useBy
  const execution = running(grant.holder, now)
  return change(
    { status: 'approved', grant: grant.id, decidedAt: now, useBy, execution },
    [
      { ...requested(asked, command), ...keysOf(content) },
      {
        type: 'approved',
        by: { system: 'gate' },
        digest: asked.digest,
        facts: { grant: grant.id, useBy },
      },
      {
        type: 'claimed',
        by: { agent: asked.call.agent },
        digest: asked.digest,
        facts: { claim: execution.claim },
      },
    ],
    content,
  )
}

function contentAsked(asked: Approval, { content }: Request) {
  const { arguments: args, message, missing, context, parentInput, view } = content
  const question = {
    message,
    missing,
    ...(context ? { context: { ...context } } : {}),
    ...(parentInput === undefined ? {} : { parentInput }),
    ...(view ? { view: { ...view } } : {}),
  }
  return [...contentOf(asked, 'arguments', args), ...contentOf(asked, 'question', question)]
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
export function requestAgain(approval: Approval, { id, tenant, call, digest }: Request): Outcome {
  const { agent, run, key } = approval.call
  if (tenant !== approval.tenant) return refuse('approval_not_found', `there is no approval ${id}`)
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
