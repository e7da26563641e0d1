import { CountersignError } from '../base/errors.ts'
import type { JsonObject } from '../base/json/json.ts'
import { type Decision, NotApproved, refusalOf } from './decision.ts'
import type { Engine } from './engine.ts'
import {
  type Look,
  lookAt,
  type Open,
  type Ran,
  type Refusal,
  runNow,
  type WorkflowGate,
  withdrawQuestion,
} from './gates.ts'
import { looksOf } from './looks.ts'
import { type ApprovalRequest, type Question, questionOf } from './question.ts'

/** Between two looks at a call that another attempt runs. */
const ELSEWHERE_PAUSE = 5_000
/** Looks in a row at a gate that is away: with these pauses, about a day. */
const MOST_AWAY = 32

/** Where a question ended: what the engine has kept, the same in every replay. */
export type Ended =
  | { readonly open: Open; readonly ran: Extract<Ran, { is: 'succeeded' | 'failed' | 'unknown' }> }
  | { readonly open?: Open; readonly ran: Refusal }

/**
 * Ask, wait for a wake-up or the next look, read the answer from the gate, run once. A wake-up says
 * nothing: forged, early, late, repeated or lost, the gate alone knows what people answered. Names
 * of steps carry a number, because engines that go by names would repeat the first answer for ever.
 */
export async function runDurably(
  engine: Engine,
  gate: WorkflowGate,
  question: Question,
  looks: readonly number[],
): Promise<Ended> {
  const { label } = question
  let away = 0
  let isTold = false
  try {
    for (let n = 0; ; n += 1) {
      const looking = { n: away > 0 ? away : n, looks }
      const look = await engine.step(`${label}: ask ${n}`, () => lookAt(gate, question, looking))
      const open = look.is === 'open' ? look : undefined
      const now = open
        ? await engine.step(`${label}: run ${n}`, () => runNow(gate, question, looking))
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
    if (engine.isCancelled?.(error)) {
      await engine.afterCancel?.(`${label}: withdraw`, () => withdrawQuestion(gate, question))
    }
    throw error
  }

  async function rest(n: number, now: Extract<Look, { is: 'pending' | 'away' }>): Promise<void> {
    if (now.is === 'pending') {
      if (!isTold) await engine.asked?.(`${label}: asked`, now)
      isTold = true
      return engine.wait(`${label}: wait ${n}`, now.id, now.lookIn)
    }
    if (away < MOST_AWAY) return engine.sleep(`${label}: away ${n}`, now.lookIn)
    throw engine.fail(
      new CountersignError(now.code, `${label} could not be asked about for a day`, {
        hint: 'Check the database or the server that keeps approvals, then start the workflow again.',
      }),
    )
  }
}

/** Asks people whether the workflow may go on, and resolves with what they answered. */
export async function decideDurably<P>(
  engine: Engine,
  gate: WorkflowGate,
  request: ApprovalRequest,
): Promise<Decision<P>> {
  const question = await questionOf(engine, request, spend)
  const { args } = question.call
  const { open, ran } = await runDurably(engine, gate, question, looksOf(request))
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

function refused<P>(engine: Engine, ended: Refusal, args: JsonObject): Decision<P> {
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

/** The same, for workflows that have nothing to do without a yes. */
export async function requireDurably<P>(
  engine: Engine,
  gate: WorkflowGate,
  request: ApprovalRequest,
): Promise<Decision<P> & { readonly status: 'approved' }> {
  const decision = await decideDurably<P>(engine, gate, request)
  const { status } = decision
  if (status === 'approved') return { ...decision, status }
  throw engine.fail(new NotApproved(decision as Decision))
}

/** Run by claiming the approval: a yes is used once, and everything it rests on is checked again. */
function spend(): null {
  return null
}
