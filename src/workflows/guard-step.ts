import type { JsonObject } from '../base/json/json.ts'
import { type LookOptions, looksOf } from '../base/looks.ts'
import type { CallDeclaration } from '../gate/declared/declarations.ts'
import { type AnyTool, checkToolName, type ToolContext, type ToolDefinition } from '../gate/tool.ts'
import { type Placing, runDurably } from './durably.ts'
import type { Engine } from './engine.ts'
import type { WorkflowGate } from './gates.ts'
import { type Question, type StepOptions, stepCall } from './question.ts'
import { resultOf } from './step-result.ts'

export type { StepOptions } from './question.ts'
export { StepBlocked } from './step-result.ts'

/** A tool that workflows call as one durable step. */
export interface StepTool<A = JsonObject, R = unknown> extends CallDeclaration, LookOptions {
  /** The name policies and people know the tool by. */
  readonly name: string
  readonly definition?: ToolDefinition | undefined
  /** JSON Schema of what the approver fills in; the tool reads the answers as `context.decision`. */
  readonly form?: JsonObject | undefined
  readonly run: (args: A, context: ToolContext) => R | Promise<R>
}

/** What a step's tool adds to its calls, the same for all of them. */
export interface StepParts {
  readonly looks: readonly number[]
  question(asked: Pick<Question, 'label' | 'call'>): Question
}

export function partsOf<A, R>(given: StepTool<A, R>): StepParts {
  const { name, definition, run, looks, form, ...declared } = given
  checkToolName(name)
  const tool = { name, run, ...(definition ? { definition } : {}) } as AnyTool<JsonObject>
  const isDeclared = Object.keys(declared).length > 0
  return {
    looks: looksOf({ looks }),
    question: ({ label, call }) => ({
      label,
      call: form === undefined ? call : { ...call, form },
      declared: isDeclared ? declared : undefined,
      definition,
      tool,
    }),
  }
}

/**
 * Asks where the policy says so, then runs the tool once, whatever replays or retries the step. The
 * result is what the engine stores of it: JSON.
 */
export async function stepDurably<A extends JsonObject, R>(
  engine: Engine,
  gate: WorkflowGate,
  tool: StepTool<A, R>,
  args: A,
  options: StepOptions = {},
): Promise<R> {
  const { looks, question } = partsOf(tool)
  const place: Placing = async (places) =>
    question(await stepCall(places, tool.name, args, options))
  return resultOf<R>(engine, await runDurably(engine, gate, place, looks))
}
