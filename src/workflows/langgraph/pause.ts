import { interrupt, isGraphBubbleUp, isGraphInterrupt } from '@langchain/langgraph'
import { CountersignError } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'

/** A question that a node waits for, as the code that runs the graph is told about it. */
export interface Waiting {
  /** The id of the approval. */
  readonly callId: string
  readonly name: string
  readonly args: JsonObject
  readonly message: string
}

/** As much of LangGraph's bookkeeping of one task as is looked at. */
export interface Scratchpad {
  /** What the graph was resumed with, without saying which interrupt it is for. */
  nullResume?: unknown
}

/**
 * Ends the task until it is resumed; what it is resumed with says nothing. The value has the shape
 * of the interrupts of guarded tools, so that `settleThread` wakes both.
 */
export function pause(pad: Scratchpad, waiting: Waiting): void {
  try {
    interrupt({ countersign: 'waits', calls: [waiting] })
  } catch (error) {
    // Only LangGraph knows the id: nothing that was written elsewhere can hold it.
    if (isGraphInterrupt(error)) for (const one of error.interrupts) sign(one)
    if (isGraphBubbleUp(error)) throw error
    throw new CountersignError(
      'usage',
      `${waiting.name} waits for a person, and this graph cannot pause`,
      {
        hint: 'Compile it with a checkpointer, and invoke it with { configurable: { thread_id } }.',
        cause: error,
      },
    )
  }
  // LangGraph hands out `false` and other falsy values for ever, so that it would never pause again.
  if (!pad.nullResume) delete pad.nullResume
}

function sign(made: { readonly id?: string; value?: unknown }): void {
  made.value = { ...(made.value as object), interrupt: made.id }
}
