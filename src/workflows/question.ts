import type { Call, WorkflowContext } from '../base/call.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { LookOptions } from '../base/looks.ts'
import type { CallDeclaration } from '../gate/declared/declarations.ts'
import { type AnyTool, checkToolName, type ToolDefinition } from '../gate/tool.ts'
import type { ApprovalWords, ApproverWords } from '../policy/grammar/approval-words.ts'
import type { Engine } from './engine.ts'

/** What a workflow asks people. */
export interface ApprovalRequest extends LookOptions {
  /** Names the question within its workflow; policy files know it by this name, like a tool. */
  readonly name?: string | undefined
  /** The question, in one line. That of the policy unless set. */
  readonly title?: string | undefined
  /** More about it. Shown as what the workflow says, never as a fact. */
  readonly description?: string | undefined
  readonly links?: readonly string[] | undefined
  /** What the approval is for: exactly these values, which a person may be allowed to edit. */
  readonly args?: JsonObject | undefined
  /** Addresses, groups, or `'*'`. Beside a policy file the strictest counts. */
  readonly approvers?: readonly ApproverWords[] | undefined
  /** How long people have: `'7 days'`, `'24 hours'`, `'30 minutes'`. Then it has expired. */
  readonly timeout?: string | undefined
  /** Everything else a policy file can say: `quorum`, `escalate`, `edit`, `reason`, … */
  readonly approval?: ApprovalWords | undefined
  /** JSON Schema of what the approver fills in; the answers are the `payload` of the decision. */
  readonly form?: JsonObject | undefined
  /** What the workflow says of itself: its name, the steps that are done and those that follow. */
  readonly workflow?: WorkflowWords | undefined
}

/** `step`, the one that waits, is the name of the question unless set. */
export type WorkflowWords = WorkflowContext

/** One call of one workflow, as every replay asks about it. */
export interface Question {
  /** Starts the names of its durable steps. */
  readonly label: string
  readonly call: Call
  readonly declared: CallDeclaration | undefined
  readonly definition: ToolDefinition | undefined
  readonly tool: AnyTool<JsonObject>
}

/** What names a workflow and the uses of a name within it. */
export type Places = Pick<Engine, 'run' | 'position'>

/** Where a question stands in its workflow. */
interface Placed {
  readonly run: string
  readonly key: string
}

/**
 * The same in every replay, worker and deploy, and another for every other question of the
 * workflow. A denial is remembered for its run, so an equal call at another place is another run.
 */
export async function placeOf(engine: Places, tool: string, name: string): Promise<Placed> {
  const position = await engine.position(name)
  const key = position === undefined ? name : `${name}#${position}`
  return { run: key === tool ? engine.run : `${engine.run}/${encodeURIComponent(key)}`, key }
}

/** What a question is called that has no name. */
export const DEFAULT_NAME = 'approval'

/** A question without a tool: what people approve is that the workflow goes on with these values. */
export async function questionOf(
  engine: Places,
  request: ApprovalRequest,
  take: AnyTool<JsonObject>,
): Promise<Question> {
  return { ...(await askedOf(engine, request)), definition: undefined, tool: take }
}

/** The same, before it is said what claims the yes. */
export async function askedOf(
  engine: Places,
  request: ApprovalRequest,
): Promise<Pick<Question, 'label' | 'call' | 'declared'>> {
  const { name = DEFAULT_NAME, title, description, links, args = {}, approvers, timeout } = request
  const { form, workflow } = request
  checkToolName(name)
  const { run, key } = await placeOf(engine, name, name)
  const approval: ApprovalWords = {
    ...request.approval,
    ...(title === undefined ? {} : { message_template: literal(title) }),
    ...(approvers === undefined ? {} : { approvers }),
    ...(timeout === undefined ? {} : { decide_by: timeout }),
  }
  const context = {
    ...(description === undefined ? {} : { says: description }),
    ...(links === undefined ? {} : { links }),
    ...(workflow === undefined ? {} : { workflow: { step: name, ...workflow } }),
  }
  return {
    label: key,
    call: {
      tool: name,
      args,
      run,
      key,
      ...(Object.keys(context).length === 0 ? {} : { context }),
      ...(form === undefined ? {} : { form }),
    },
    declared: { approval: Object.keys(approval).length === 0 ? true : approval },
  }
}

export interface StepOptions {
  /** Names this use within the workflow. The tool's name, counted, unless set. */
  readonly name?: string | undefined
  /** A line for the approver. Shown as what the workflow says, never as a fact. */
  readonly says?: string | undefined
  /** What the workflow says of itself: its name, the steps that are done and those that follow. */
  readonly workflow?: WorkflowWords | undefined
}

/** One use of a tool in a workflow. */
export async function stepCall(
  engine: Places,
  tool: string,
  args: JsonObject,
  { name = tool, says, workflow }: StepOptions,
): Promise<Pick<Question, 'label' | 'call'>> {
  const { run, key } = await placeOf(engine, tool, name)
  const context = {
    ...(says ? { says } : {}),
    ...(workflow === undefined ? {} : { workflow: { step: name, ...workflow } }),
  }
  const hasContext = Object.keys(context).length > 0
  return { label: key, call: { tool, args, run, key, ...(hasContext ? { context } : {}) } }
}

/** Titles hold values of the workflow's input: no part of one is a variable of a template. */
function literal(title: string): string {
  return title.replaceAll('{{', '{ {')
}
