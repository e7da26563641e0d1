import type { Call } from '../base/call.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { CallDeclaration } from '../gate/declared/declarations.ts'
import { type AnyTool, checkToolName, type ToolDefinition } from '../gate/tool.ts'
import type { ApprovalWords, ApproverWords } from '../policy/grammar/approval-words.ts'
import type { Engine } from './engine.ts'
import type { LookOptions } from './looks.ts'

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
}

/** One call of one workflow, as every replay asks about it. */
export interface Question {
  /** Starts the names of its durable steps. */
  readonly label: string
  readonly call: Call
  readonly declared: CallDeclaration | undefined
  readonly definition: ToolDefinition | undefined
  readonly tool: AnyTool<JsonObject>
}

/** Where a question stands in its workflow. */
interface Placed {
  readonly run: string
  readonly key: string
}

/**
 * The same in every replay, worker and deploy, and another for every other question of the
 * workflow. A denial is remembered for its run, so an equal call at another place is another run.
 */
export async function placeOf(engine: Engine, tool: string, name: string): Promise<Placed> {
  const position = await engine.position(name)
  const key = position === undefined ? name : `${name}#${position}`
  return { run: key === tool ? engine.run : `${engine.run}/${encodeURIComponent(key)}`, key }
}

/** What a question is called that has no name. */
export const DEFAULT_NAME = 'approval'

/** A question without a tool: what people approve is that the workflow goes on with these values. */
export async function questionOf(
  engine: Engine,
  request: ApprovalRequest,
  take: AnyTool<JsonObject>,
): Promise<Question> {
  const { name = DEFAULT_NAME, title, description, links, args = {}, approvers, timeout } = request
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
  }
  return {
    label: key,
    call: {
      tool: name,
      args,
      run,
      key,
      ...(Object.keys(context).length === 0 ? {} : { context }),
    },
    declared: { approval: Object.keys(approval).length === 0 ? true : approval },
    definition: undefined,
    tool: take,
  }
}

/** Titles hold values of the workflow's input: no part of one is a variable of a template. */
function literal(title: string): string {
  return title.replaceAll('{{', '{ {')
}
