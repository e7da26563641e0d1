import type { AnswerBook } from '../../gate/admin/answer-book.ts'
import type { InBand } from '../in-band.ts'
import { type InChat, withAnswers } from '../waking.ts'
import { isWaiting, type Waiting } from './pause.ts'

export type { Waiting } from './pause.ts'

export interface ResumeOptions {
  /** What a user answered in the application, and who that was, authenticated. */
  readonly answers?: readonly InChat[]
  readonly by?: InBand['by']
  /** Of the gate: answers are written down there. */
  readonly approvals?: AnswerBook
  /** Options for the agent, as `invoke` takes them. */
  readonly invoke?: object
}

/** As much of an agent as is needed here. */
export interface InterruptedAgent<R> {
  takeSnapshot(options: { include: ['interrupts'] }): { readonly data: object }
  invoke(args: never, options?: never): Promise<R>
}

export interface Resumed<R> {
  /** What still waits for people. */
  readonly waiting: readonly Waiting[]
  /** What the agent gave; undefined when none of its interrupts is ours. */
  readonly result: R | undefined
}

/**
 * Wakes up the calls of an interrupted agent: each looks for its own approval, and interrupts again if
 * that is still to come. Interrupts of others, a hook's or a tool's own, stay open.
 */
export async function resumeAgent<R>(
  agent: InterruptedAgent<R>,
  { answers = [], by, approvals, invoke = {} }: ResumeOptions = {},
): Promise<Resumed<R>> {
  const paused = openInterrupts(agent)
  if (paused.length === 0) return { waiting: [], result: undefined }
  const given = by && approvals ? { answers, by, approvals } : undefined
  const result = await withAnswers(given, (wake) => {
    const responses = paused.map(({ id }) => ({
      interruptResponse: { interruptId: id, response: wake },
    }))
    return agent.invoke(responses as never, invoke as never)
  })
  return { waiting: openInterrupts(agent).map(({ reason }) => reason), result }
}

interface Interrupt {
  readonly id: string
  readonly reason?: unknown
  readonly response?: unknown
}

function openInterrupts(agent: Pick<InterruptedAgent<unknown>, 'takeSnapshot'>) {
  const { data } = agent.takeSnapshot({ include: ['interrupts'] })
  const state = (data as { readonly interrupts?: unknown }).interrupts
  const { interrupts = {} } = (state ?? {}) as { readonly interrupts?: Record<string, Interrupt> }
  return Object.values(interrupts)
    .filter(({ response }) => response === undefined)
    .filter(isWaiting)
}
