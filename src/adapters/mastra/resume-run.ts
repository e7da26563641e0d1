import type { AnswerBook } from '../../gate/admin/answer-book.ts'
import type { InBand } from '../in-band.ts'
import { type InChat, withAnswers } from '../waking.ts'
import { isWaiting, type Waiting } from './pause.ts'
import { whileResuming } from './resuming.ts'

export interface ResumeOptions {
  /** What a user answered in the application, and who that was, authenticated. */
  readonly answers?: readonly InChat[]
  readonly by?: InBand['by']
  /** Of the gate: answers are written down there. */
  readonly approvals?: AnswerBook
  /** Options for the agent, as `generate` takes them. */
  readonly generate?: object
}

/** As much of an agent as is needed here. */
export interface SuspendingAgent<R> {
  listSuspendedRuns(options?: never): Promise<{ readonly runs: readonly SuspendedRun[] }>
  resumeGenerate(data: unknown, options: never): Promise<R>
}

interface SuspendedRun {
  readonly runId: string
  readonly toolCalls: readonly {
    readonly toolCallId?: string
    readonly suspendPayload?: unknown
  }[]
}

export interface Resumed<R> {
  /** What still waits for people. */
  readonly waiting: readonly Waiting[]
  /** What the agent gave last; undefined when none of its calls could go on. */
  readonly result: R | undefined
}

interface Paused {
  /** Of the outer call, when the one that waits is a sub-agent's. */
  readonly toolCallId: string
  /** Of every call on the way to the one that waits, this one first. */
  readonly path: readonly string[]
  readonly waiting: Waiting
}

/**
 * Wakes up the calls of a suspended run: each looks for its own approval, and is suspended again if
 * that is still to come. Calls that tools have suspended by themselves stay as they are.
 */
export async function resumeRun<R>(
  agent: SuspendingAgent<R>,
  runId: string,
  { answers = [], by, approvals, generate = {} }: ResumeOptions = {},
): Promise<Resumed<R>> {
  const paused = await pausedCalls(agent, runId)
  const given = by && approvals ? { answers, by, approvals } : undefined
  let result: R | undefined
  for (const { toolCallId, path } of paused) {
    const options = { ...generate, runId, toolCallId }
    result = await withAnswers(given, async (wake) => {
      try {
        return await whileResuming(path, () => agent.resumeGenerate(wake, options as never))
      } catch (error) {
        // Mastra has no result to give while other calls of the run are suspended, and throws.
        const left = await pausedCalls(agent, runId)
        if (left.length === 0 || left.some((one) => one.toolCallId === toolCallId)) throw error
        return undefined
      }
    })
  }
  const left = await pausedCalls(agent, runId)
  return { waiting: left.map(({ waiting }) => waiting), result }
}

async function pausedCalls<R>(agent: SuspendingAgent<R>, runId: string): Promise<Paused[]> {
  const { runs } = await agent.listSuspendedRuns()
  const calls = runs.find((run) => run.runId === runId)?.toolCalls ?? []
  return calls.flatMap(({ toolCallId, suspendPayload }) => {
    if (toolCallId === undefined) return []
    const found = innermost(suspendPayload, [toolCallId])
    return found ? [{ toolCallId, ...found }] : []
  })
}

/** A sub-agent's call is wrapped in what its agent was called with. */
function innermost(
  payload: unknown,
  path: readonly string[],
): Pick<Paused, 'waiting' | 'path'> | undefined {
  if (isWaiting(payload, path.at(-1))) return { waiting: payload, path }
  const { suspendPayload, toolCallId } = (payload ?? {}) as Readonly<Record<string, unknown>>
  if (suspendPayload === undefined) return undefined
  return innermost(suspendPayload, typeof toolCallId === 'string' ? [...path, toolCallId] : path)
}
