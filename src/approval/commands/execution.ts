import type { Approval, Execution } from '../approval.ts'
import type { Finish, Holder, Lost, Renew, Resolve } from '../command.ts'
import {
  byPerson,
  bySystem,
  change,
  contentOf,
  keysOf,
  type Outcome,
  refuse,
  UNCHANGED,
} from '../outcome.ts'
import { personId } from '../people/identity.ts'
import { resultOf } from '../result.ts'

/** A claimer that has not started this long after its claim must not start. */
export const START_WITHIN = 10_000

/** A process that was silent for longer than this is taken for dead. */
export const SILENCE = 30_000

export function running({ claim, instance, lease }: Holder, now: number): Execution {
  return {
    state: 'running',
    claim,
    claimedAt: now,
    startBy: now + START_WITHIN,
    ...(instance === undefined ? {} : { instance }),
    ...(lease === undefined ? {} : { leaseUntil: now + lease }),
  }
}

/** The last question before the tool starts: still mine, still running, still in time. */
export function mayStart({ execution }: Approval, claim: string, now: number): boolean {
  return execution?.state === 'running' && execution.claim === claim && now < execution.startBy
}

export function renew(
  { call, execution }: Approval,
  { claim, lease }: Renew,
  now: number,
): Outcome {
  if (execution?.state !== 'running') return refuse('not_running', 'nothing is running')
  if (execution.claim !== claim)
    return refuse('not_the_claimer', 'another claim holds this approval')
  if (execution.leaseUntil === undefined) {
    return refuse('not_due', 'this claim lives by its heartbeat and has no lease')
  }
  const leaseUntil = Math.max(execution.leaseUntil, now + lease)
  if (leaseUntil === execution.leaseUntil) return UNCHANGED
  return change({ execution: { ...execution, leaseUntil } }, [
    { type: 'renewed', by: { agent: call.agent }, facts: { claim, leaseUntil } },
  ])
}

/** The end, told by the one who ran it; from `unknown` it counts, and is marked late. */
export function finish(approval: Approval, command: Finish, now: number): Outcome {
  const { call, execution } = approval
  const { claim, outcome } = command
  if (!execution) return refuse('not_running', 'nothing was claimed')
  if (execution.claim !== claim)
    return refuse('not_the_claimer', 'another claim holds this approval')
  const by = { agent: call.agent }
  if (execution.state === 'succeeded' || execution.state === 'failed') {
    if (execution.state === outcome && !execution.resolvedBy) return UNCHANGED
    return refuse('already_finished', `this call is already written down as ${execution.state}`, [
      { type: 'late', by, code: 'already_finished', facts: { claim, outcome } },
    ])
  }
  const { noResult, value } = resultOf(command)
  const content = contentOf(approval, 'result', value)
  const [stored] = content
  const late = execution.state === 'unknown'
  const ended: Execution = {
    ...execution,
    state: outcome,
    endedAt: now,
    ...(late ? { late: true } : {}),
    ...(stored ? { result: stored.key } : {}),
    ...(noResult ? { noResult } : {}),
  }
  const facts = { claim, late, ...(noResult ? { noResult } : {}) }
  return change(
    { execution: ended },
    [{ type: 'finished', by, code: outcome, facts, ...keysOf(content) }],
    content,
  )
}

/** The outcome of the call is unknown. It is never started again automatically. */
export function lost(
  { call, execution }: Approval,
  { claim: said, lastSeen }: Lost,
  now: number,
): Outcome {
  if (said !== undefined && execution && execution.claim !== said)
    return refuse('not_the_claimer', 'another claim holds this approval')
  if (execution?.state === 'unknown') return UNCHANGED
  if (execution?.state !== 'running') return refuse('not_running', 'nothing is running')
  const { claimedAt, leaseUntil, claim } = execution
  const unknown: Execution = { ...execution, state: 'unknown', lostAt: now }
  if (said !== undefined) {
    const by = { agent: call.agent }
    return change({ execution: unknown }, [{ type: 'lost', by, facts: { claim } }])
  }
  const seen = Math.max(claimedAt, lastSeen ?? claimedAt)
  const silent = leaseUntil === undefined ? now - seen > SILENCE : now > leaseUntil
  if (!silent) return refuse('not_due', 'the one who claimed this approval is still alive')
  return change({ execution: unknown }, [
    { type: 'lost', ...bySystem('sweeper'), facts: { claim } },
  ])
}

/** A person writes down what happened. There is no way back to running. */
export function resolve(approval: Approval, command: Resolve, now: number): Outcome {
  const { execution } = approval
  const { by, outcome, reason } = command
  if (by.locked || !by.roles.some((role) => role === 'admin' || role === 'approver')) {
    return refuse('not_permitted', 'only an approver or an admin writes down what happened')
  }
  if (execution?.state === outcome && execution.resolvedBy) return UNCHANGED
  if (execution?.state !== 'unknown') {
    return refuse(
      execution && execution.state !== 'running' ? 'already_finished' : 'not_due',
      'only a call with an unknown outcome can be resolved',
    )
  }
  const content = contentOf(approval, 'note', reason)
  return change(
    { execution: { ...execution, state: outcome, endedAt: now, resolvedBy: personId(by) } },
    [
      {
        type: 'resolved',
        ...byPerson(by),
        code: outcome,
        facts: { claim: execution.claim },
        ...keysOf(content),
      },
    ],
    content,
  )
}
