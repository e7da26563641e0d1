import { CountersignError } from '../base/errors.ts'
import type { JsonObject } from '../base/json/json.ts'
import { type Decision, NotApproved, refusalOf } from './decision.ts'
import type { Engine } from './engine.ts'
import type { Look, Looking, Open, Ran, Refusal } from './gates.ts'
import type { Question } from './question.ts'

/** Between two looks at a call that another attempt runs. */
const ELSEWHERE_PAUSE = 5_000
/** Looks in a row at a gate that is away: with these pauses, about a day. */
const MOST_AWAY = 32

/** Where a question ended: what the engine has kept, the same in every replay. */
export type Ended =
  | { readonly open: Open; readonly ran: Extract<Ran, { is: 'succeeded' | 'failed' | 'unknown' }> }
  | { readonly open?: Open; readonly ran: Refusal }

/** A question as control flow sees it: what runs after a yes may be known elsewhere only. */
export type Asked = Pick<Question, 'label' | 'call'>

/** What is done at the gate, one durable step each. */
export interface Operations<Q extends Asked> {
  /** May run what it finds open, in the same step; otherwise `run` follows. */
  look(name: string, question: Q, looking: Looking): Promise<Look>
  run(name: string, question: Q, looking: Looking): Promise<Ran>
  /** Works although the workflow was cancelled. */
  withdraw(name: string, question: Q): Promise<void>
}

/** The verbs that need no gate. */
export type Waits = Pick<Engine, 'wait' | 'sleep' | 'asked' | 'fail' | 'isCancelled'>

/**
 * Ask, wait for a wake-up or the next look, read the answer from the gate, run once. A wake-up says
 * nothing: forged, early, late, repeated or lost, the gate alone knows what people answered. Names
 * of steps carry a number, because engines that go by names would repeat the first answer for ever.
 *
 * Pure: it also runs where workflow code may reach for nothing. Its order of steps is part of the
 * histories that users have stored, so a change of it is a change for workflows under way.
 */
export async function drive<Q extends Asked>(
  engine: Waits,
  operations: Operations<Q>,
  question: Q,
  looks: readonly number[],
): Promise<Ended> {
  const { label } = question
  let away = 0
  let isTold = false
  try {
    for (let n = 0; ; n += 1) {
      const looking = { n: away > 0 ? away : n, looks }
      const look = await operations.look(`${label}: ask ${n}`, question, looking)
      const open = look.is === 'open' ? look : undefined
      // Histories of earlier versions hold an open look without its run.
      const now = open
        ? (open.ran ?? (await operations.run(`${label}: run ${n}`, question, looking)))
        : (look as Exclude<Look, Open>)
      if (now.is === 'pending' || now.is === 'away') {
        away = now.is === 'away' ? away + 1 : 0
        await rest(n, now)
      } else if (now.is === 'elsewhere') {
        await engine.sleep(`${label}: elsewhere ${n}`, ELSEWHERE_PAUSE)
      } else if (now.is === 'blocked') {
        return { ...(open ? { open } : {}), ran: now }
      } else if (open) {
        return { open, ran: now }
      }
    }
  } catch (error) {
    if (engine.isCancelled?.(error)) await operations.withdraw(`${label}: withdraw`, question)
    throw error
  }

  // No step more than an engine needs: histories that users have stored know the order of these.
  function rest(n: number, now: Extract<Look, { is: 'pending' | 'away' }>): Promise<void> {
    if (now.is === 'pending') {
      const wait = () => engine.wait(`${label}: wait ${n}`, now.id, now.lookIn)
      if (isTold || !engine.asked) return wait()
      isTold = true
      return engine.asked(`${label}: asked`, now).then(wait)
    }
    if (away < MOST_AWAY) return engine.sleep(`${label}: away ${n}`, now.lookIn)
    throw engine.fail(
      new CountersignError(now.code, `${label} could not be asked about for a day`, {
        hint: 'Check the database or the server that keeps approvals, then start the workflow again.',
      }),
    )
  }
}

/** Drives a question without a tool to the answer of people. */
export async function driveDecision<P, Q extends Asked>(
  engine: Waits,
  operations: Operations<Q>,
  question: Q,
  looks: readonly number[],
): Promise<Decision<P>> {
  const { args } = question.call
  const { open, ran } = await drive(engine, operations, question, looks)
  if (ran.is === 'blocked' && !(open && ran.code === 'not_started')) {
    return refused(engine, ran, args)
  }
  // Nothing but reading the answer was under way, so an attempt that died in it lost nothing.
  const { by = [], payload, id } = open ?? {}
  return {
    status: 'approved',
    by,
    args: open?.args ?? args,
    ...(payload === undefined ? {} : { payload: payload as P }),
    ...(id === undefined ? {} : { approval: id }),
  }
}

function refused<P>(engine: Waits, ended: Refusal, args: JsonObject): Decision<P> {
  const { code, message, id, by, reason } = ended
  const status = refusalOf(code)
  if (status === undefined) throw engine.fail(new CountersignError(code, message))
  return {
    status,
    by,
    args,
    code,
    message,
    ...(id === undefined ? {} : { approval: id }),
    ...(reason === undefined ? {} : { reason }),
  }
}

/** For workflows that have nothing to do without a yes. */
export function approvedOnly<P>(
  { fail }: Pick<Waits, 'fail'>,
  decision: Decision<P>,
): Decision<P> & { readonly status: 'approved' } {
  const { status } = decision
  if (status === 'approved') return { ...decision, status }
  throw fail(new NotApproved(decision as Decision))
}
