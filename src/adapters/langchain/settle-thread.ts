import { Command } from '@langchain/langgraph'
import type { AnswerBook } from '../../gate/admin/answer-book.ts'
import type { InBand } from '../in-band.ts'
import { type InChat, withAnswers } from './answers.ts'
import type { NodeConfig } from './guarded-tool.ts'
import { isQuestion, type Waiting, WOKEN } from './pause.ts'

export interface SettleOptions {
  /** What a user answered in the application, and who that was, authenticated. */
  readonly answers?: readonly InChat[]
  readonly by?: InBand['by']
  /** Of the gate: answers are written down there. */
  readonly approvals?: AnswerBook
}

/** As much of a compiled graph, or of an agent, as is needed here. */
export interface Threads {
  getState(config: never): unknown
}

/** Names no node and changes no state, so it fits every graph. */
export type Wake = Command<unknown, never, never>

export interface Settled<C> {
  /** Invoke the graph with it. Null: nothing waits here; invoked with that, a thread just goes on. */
  readonly command: Wake | null
  /** The config to invoke it with. */
  readonly config: C
  /** What the thread paused for. */
  readonly waiting: readonly Waiting[]
}

interface Snapshot {
  readonly tasks: readonly {
    readonly interrupts: readonly { readonly id?: string; readonly value?: unknown }[]
  }[]
}

/**
 * Wakes a paused thread up: each of its calls then looks for its own approval, and those that still
 * wait pause again. Interrupts that are not ours stay as they are.
 */
export async function settleThread<C extends NodeConfig>(
  graph: Threads,
  config: C,
  { answers = [], by, approvals }: SettleOptions = {},
): Promise<Settled<C>> {
  const { tasks } = (await graph.getState(config as never)) as Snapshot
  const waiting: Waiting[] = []
  const resume: Record<string, typeof WOKEN> = {}
  for (const { id, value } of tasks.flatMap(({ interrupts }) => interrupts)) {
    if (id === undefined || !isQuestion(id, value)) continue
    waiting.push(...value.calls)
    resume[id] = WOKEN
  }
  const shown = new Set(waiting.map(({ callId }) => callId))
  const known = answers.filter(({ callId }) => shown.has(callId))
  return {
    command: waiting.length > 0 ? (new Command({ resume }) as Wake) : null,
    config: by && approvals ? withAnswers(config, { answers: known, by, approvals }) : config,
    waiting,
  }
}
