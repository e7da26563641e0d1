import type { ModelMessage } from 'ai'
import type { Resumed } from '../resume-turn.ts'

/** One call, as the agent tells the step about it. */
export interface StepCall {
  readonly run: string
  readonly tool: string
  readonly input: unknown
  readonly toolCallId: string
  readonly messages: ModelMessage[]
  readonly context: unknown
  /** Workflow carries signals into steps. */
  readonly abortSignal?: AbortSignal
}

/** What workflow code asks the gate, which only a step can reach. Plain data, and the signal. */
export type StepRequest =
  | ({ readonly asks: 'pause' | 'run' } & StepCall)
  | { readonly asks: 'resume'; readonly run: string; readonly messages: ModelMessage[] }

/** What the step answers. Plain data, because the engine keeps it and repeats it in every replay. */
export type StepReply =
  | { readonly is: 'pause'; readonly pauses: boolean }
  | { readonly is: 'output'; readonly output: unknown; readonly note?: string }
  /** The sentence for the model, or what the tool threw. */
  | { readonly is: 'error'; readonly message: string }
  /** Another attempt at this step has the call, or had it when its process died. */
  | { readonly is: 'elsewhere' }
  | { readonly is: 'resumed'; readonly turn: Resumed }

/** How the workflow reaches the gate, and how it waits. */
export interface Steps {
  /** The chat. Together with the SDK's id of a call it names that call. */
  readonly run: string
  /** A function with `'use step'` that calls `answerStep`. */
  readonly step: (request: StepRequest) => Promise<StepReply>
  /** Resolves after so many milliseconds: `sleep` of `workflow`. It may resolve early. */
  readonly wait: (ms: number) => Promise<unknown>
}
