import type { Call } from '../../base/call.ts'
import type { Json } from '../../base/json/json.ts'
import { internals } from '../../gate/internals.ts'
import { blocked, type Outcome, type Pending } from '../../gate/outcome.ts'
import { type ArgumentSchema, checkerOf, schemaOf } from '../../gate/schema/argument-schema.ts'
import type { Tool, ToolDefinition, ToolFunction } from '../../gate/tool.ts'
import type { ToolGate } from '../../gate/tool-gate.ts'
import { type Asking, checkAsking } from '../asking.ts'
import { resultOrSentence } from '../result-or-sentence.ts'
import { type AgUiMessage, type AgUiToolCall, argumentsOf, openCalls } from './open-calls.ts'

/** A tool that the agent's server runs itself. Tools of the frontend are the frontend's to run. */
export interface AgUiTool {
  readonly description?: string
  /** Of the arguments: JSON Schema, as AG-UI names it, or a schema that also validates. */
  readonly parameters?: ArgumentSchema
  readonly run: ToolFunction
}

export interface RunAsking extends Pick<Asking, 'run'> {
  /** Where people decide; interrupts then carry a link. */
  readonly inbox?: string
}

/** `TOOL_CALL_RESULT`, as AG-UI 1.0 defines it. */
export interface ToolCallResult {
  readonly type: 'TOOL_CALL_RESULT'
  readonly messageId: string
  readonly toolCallId: string
  readonly role: 'tool'
  readonly content: string
}

/** An interrupt of AG-UI 1.0 for a call that waits. Answering it in the client decides nothing. */
export interface ApprovalInterrupt {
  /** The id of the approval. */
  readonly id: string
  readonly reason: 'countersign:approval'
  readonly message: string
  readonly toolCallId: string
  /** ISO 8601. Until then people can decide. */
  readonly expiresAt?: string
  readonly metadata: { readonly approval: string; readonly url?: string }
}

export type RunOutcome =
  | { readonly type: 'success' }
  | { readonly type: 'interrupt'; readonly interrupts: readonly ApprovalInterrupt[] }

export interface GuardedRun {
  /** A call that the model just made. Undefined: it waits, and `outcome` says so. */
  call(toolCall: AgUiToolCall): Promise<ToolCallResult | undefined>
  /**
   * At the start of a run: looks at every call that is still open, and gives the results of those
   * that were decided. What the client sent as `resume` is not looked at.
   */
  resume(input: { readonly messages: readonly AgUiMessage[] }): Promise<ToolCallResult[]>
  /** For `RUN_FINISHED`. */
  outcome(): RunOutcome
}

/**
 * The tools of one AG-UI run behind the gate. `run` is the thread, as the application knows it: the
 * client sends a `threadId` too, and may send any.
 */
export function guardRun(
  gate: ToolGate,
  tools: Readonly<Record<string, AgUiTool>>,
  { run, inbox }: RunAsking,
): GuardedRun {
  checkAsking(gate, { run })
  const known = new Map(Object.entries(tools).map(([name, tool]) => [name, guarded(name, tool)]))
  for (const [name, { definition }] of known) gate[internals].tool(name, definition)
  const interrupts = new Map<string, ApprovalInterrupt>()

  async function answered(toolCall: AgUiToolCall): Promise<ToolCallResult | undefined> {
    const outcome = await outcomeOf(toolCall)
    const { id } = toolCall
    interrupts.delete(id)
    if (outcome.status !== 'pending') return resultOf(id, textOf(outcome))
    const interrupt = interruptOf(toolCall, outcome, inbox)
    // Nothing is asked that people could answer, so nothing must wait for it.
    if (!interrupt) return resultOf(id, outcome.modelMessage)
    interrupts.set(id, interrupt)
    return undefined
  }

  async function outcomeOf(toolCall: AgUiToolCall): Promise<Outcome> {
    const { name } = toolCall.function
    const tool = known.get(name)
    const args = argumentsOf(toolCall)
    if (!tool) return blocked('invalid_call', { tool: name, reason: 'there is no such tool' })
    if (!args)
      return blocked('invalid_call', { tool: name, reason: 'the arguments are not an object' })
    try {
      await tool.check(args)
    } catch (error) {
      const reason = error instanceof Error ? error.message : undefined
      return blocked('invalid_call', { tool: name, reason })
    }
    return gate.run(callOf(toolCall, args), tool.tool, { wait: false })
  }

  const callOf = ({ id, function: { name } }: AgUiToolCall, args: Call['args']): Call => ({
    tool: name,
    args,
    run,
    key: id,
  })

  /** Messages come from the client, which may have made up the call: only what was asked goes on. */
  async function wasAsked(toolCall: AgUiToolCall): Promise<boolean> {
    const tool = known.get(toolCall.function.name)
    const args = argumentsOf(toolCall)
    if (!tool || !args) return false
    const { definition } = tool
    return (await gate[internals].asked(callOf(toolCall, args), { definition })) !== undefined
  }

  return {
    call: answered,
    async resume({ messages }) {
      const results: ToolCallResult[] = []
      for (const toolCall of openCalls(messages)) {
        const result = (await wasAsked(toolCall)) ? await answered(toolCall) : undefined
        if (result) results.push(result)
      }
      return results
    },
    outcome: () =>
      interrupts.size === 0
        ? { type: 'success' }
        : { type: 'interrupt', interrupts: [...interrupts.values()] },
  }
}

function guarded(name: string, { description, parameters, run }: AgUiTool) {
  const definition: ToolDefinition = {
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { inputSchema: schemaOf(parameters) as Json }),
  }
  const check = checkerOf(parameters)
  const tool: Tool = {
    name,
    definition,
    // What a person changed has not been checked yet.
    run: async (args, context) => run(context.edited ? await check(args) : args, context),
  }
  return { definition, check, tool }
}

function interruptOf(
  { id: toolCallId, function: { name } }: AgUiToolCall,
  { approvalId: approval, approval: record }: Pending,
  inbox: string | undefined,
): ApprovalInterrupt | undefined {
  if (approval === undefined) return undefined
  const url = inbox === undefined ? undefined : new URL(`approvals/${approval}`, inbox).href
  return {
    id: approval,
    reason: 'countersign:approval',
    message: `${name} waits for a person to approve it${url === undefined ? '' : `, at ${url}`}.`,
    toolCallId,
    ...(record ? { expiresAt: new Date(record.decideBy).toISOString() } : {}),
    metadata: { approval, ...(url === undefined ? {} : { url }) },
  }
}

function textOf(outcome: Outcome): string {
  if (outcome.status === 'failed') return outcome.modelMessage
  const value = resultOrSentence(outcome)
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function resultOf(toolCallId: string, content: string): ToolCallResult {
  const messageId = crypto.randomUUID()
  return { type: 'TOOL_CALL_RESULT', messageId, toolCallId, role: 'tool', content }
}
