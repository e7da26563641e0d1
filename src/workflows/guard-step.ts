import { CountersignError } from '../base/errors.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { CallDeclaration } from '../gate/declared/declarations.ts'
import { type AnyTool, checkToolName, type ToolContext, type ToolDefinition } from '../gate/tool.ts'
import { runDurably } from './durably.ts'
import type { Engine } from './engine.ts'
import type { WorkflowGate } from './gates.ts'
import { type LookOptions, looksOf } from './looks.ts'
import { placeOf, type WorkflowWords } from './question.ts'

/** A tool that workflows call as one durable step. */
export interface StepTool<A = JsonObject, R = unknown> extends CallDeclaration, LookOptions {
  /** The name policies and people know the tool by. */
  readonly name: string
  readonly definition?: ToolDefinition | undefined
  /** JSON Schema of what the approver fills in; the tool reads the answers as `context.decision`. */
  readonly form?: JsonObject | undefined
  readonly run: (args: A, context: ToolContext) => R | Promise<R>
}

export interface StepOptions {
  /** Names this use within the workflow. The tool's name, counted, unless set. */
  readonly name?: string | undefined
  /** A line for the approver. Shown as what the workflow says, never as a fact. */
  readonly says?: string | undefined
  /** What the workflow says of itself: its name, the steps that are done and those that follow. */
  readonly workflow?: WorkflowWords | undefined
}

/** Thrown for a step without a result: it was refused, or started by a process that died. */
export class StepBlocked extends CountersignError {
  override readonly name = 'StepBlocked'
  /** `'unknown'`: it was started, how it ended is not known, and nothing starts it again. */
  readonly ran: false | 'unknown'
  /** The id of the approval. */
  readonly approval: string | undefined

  constructor(
    code: CountersignError['code'],
    message: string,
    { ran, approval }: { ran: false | 'unknown'; approval: string | undefined },
  ) {
    super(code, message)
    this.ran = ran
    this.approval = approval
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
  { name = tool.name, says, workflow }: StepOptions = {},
): Promise<R> {
  const { name: toolName, definition, run: work, looks, form, ...declared } = tool
  checkToolName(toolName)
  const { run, key } = await placeOf(engine, toolName, name)
  const context = {
    ...(says ? { says } : {}),
    ...(workflow === undefined ? {} : { workflow: { step: name, ...workflow } }),
  }
  const call = {
    tool: toolName,
    args,
    run,
    key,
    ...(Object.keys(context).length === 0 ? {} : { context }),
    ...(form === undefined ? {} : { form }),
  }
  const given = { name: toolName, run: work, ...(definition ? { definition } : {}) }
  const isDeclared = Object.keys(declared).length > 0
  const question = {
    label: key,
    call,
    declared: isDeclared ? declared : undefined,
    definition,
    tool: given as AnyTool<JsonObject>,
  }
  const { ran } = await runDurably(engine, gate, question, looksOf({ looks }))
  const approval = ran.id
  switch (ran.is) {
    case 'succeeded':
      return ran.result as R
    case 'failed':
      throw engine.fail(Object.assign(new Error(ran.error.message), { name: ran.error.name }))
    case 'unknown':
      throw engine.fail(
        new StepBlocked('outcome_unknown', ran.message, { ran: 'unknown', approval }),
      )
    case 'blocked':
      throw engine.fail(new StepBlocked(ran.code, ran.message, { ran: false, approval }))
  }
}
