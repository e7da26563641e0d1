import { interrupt, isGraphBubbleUp, isGraphInterrupt } from '@langchain/langgraph'
import { CountersignError } from '../../base/errors.ts'
import type { NodeConfig } from './guarded-tool.ts'

/** A call that waits for people, as the code that runs the graph is told about it. */
export interface Waiting {
  readonly callId: string
  readonly name: string
  readonly args: unknown
  readonly message: string
}

/** The value of an interrupt of ours. The value it is resumed with decides nothing. */
export interface Question {
  readonly countersign: 'waits'
  /**
   * The id of the interrupt itself. LangGraph makes it of the task, so that nothing that was
   * written elsewhere, such as a page a tool has fetched and asks about, can hold it.
   */
  readonly interrupt: string
  readonly calls: readonly Waiting[]
}

/** Whether the interrupt of this id is ours. What it looks like does not say so. */
export function isQuestion(id: string, value: unknown): value is Question {
  const { countersign, interrupt: own, calls } = (value ?? {}) as Partial<Question>
  return countersign === 'waits' && own === id && Array.isArray(calls)
}

/** What `settleThread` resumes with, so that a tool's own interrupt is never answered by it. */
export const WOKEN = { countersign: 'woken' } as const

function isWoken(value: unknown): boolean {
  return (value as Partial<typeof WOKEN> | null | undefined)?.countersign === WOKEN.countersign
}

/** Ends the task until it is resumed. Returns only then. */
export function pause(config: NodeConfig, calls: readonly Waiting[]): void {
  try {
    interrupt({ countersign: 'waits', calls })
  } catch (error) {
    if (isGraphInterrupt(error)) for (const one of error.interrupts) sign(one)
    if (isGraphBubbleUp(error)) throw error
    throw new CountersignError(
      'usage',
      `${calls.map(({ name }) => name).join(', ')} waits for a person, and this graph cannot pause`,
      {
        hint: "Give it a checkpointer and a thread_id, or guard its tools with { mode: 'block' }.",
        cause: error,
      },
    )
  }
  forgetFalsy(config)
}

/** The id is known once LangGraph has made the interrupt, and not before. */
function sign(made: { readonly id?: string; value?: unknown }): void {
  made.value = { ...(made.value as object), interrupt: made.id }
}

/** How LangGraph counts interrupts: the n-th of a task gets the n-th value it was resumed with. */
interface Scratchpad {
  interruptCounter: number
  resume: readonly unknown[]
  nullResume?: unknown
}

function scratchpadOf({ configurable }: NodeConfig): Scratchpad | undefined {
  return configurable?.__pregel_scratchpad as Scratchpad | undefined
}

/** A task resumed with `false` would be handed that value for ever, and never pause again. */
function forgetFalsy(config: NodeConfig): void {
  const pad = scratchpadOf(config)
  if (pad && !pad.nullResume) delete pad.nullResume
}

/**
 * Uses up the values that only woke our questions, where a task runs several calls: what is left
 * is for interrupts of the tools themselves.
 */
export function passWoken(config: NodeConfig): void {
  const pad = scratchpadOf(config)
  while (pad && isWoken(pad.resume[pad.interruptCounter + 1])) pause(config, [])
}

/**
 * Uses up every value that this task was resumed with so far, and says how many there were. They
 * woke our question; left alone, the first would answer an `interrupt()` of the tool's own.
 */
export function passPauses(config: NodeConfig): number {
  const pad = scratchpadOf(config)
  if (!pad) return 0
  while (pad.interruptCounter + 1 < pad.resume.length || pad.nullResume !== undefined) {
    pause(config, [])
  }
  return pad.interruptCounter + 1
}
