import type { ToolSet } from 'ai'
import { CountersignError } from '../../../base/errors.ts'
import { isCallBlocked } from '../../../gate/call-blocked.ts'
import { type Given, type GuardedTool, guardedBehind } from '../guarded-tool.ts'
import { notesFor } from '../model-output.ts'
import { type ResumeOptions, resumeTurn } from '../resume-turn.ts'
import type { StepReply, StepRequest } from './step.ts'

/**
 * For the step that a `WorkflowAgent` reaches the gate by. `tools` are guarded ones, with their
 * `execute`. Never throws for a call that does not run: the engine would repeat the step.
 */
export async function answerStep(
  tools: ToolSet,
  request: StepRequest,
  options: ResumeOptions = {},
): Promise<StepReply> {
  if (request.asks === 'resume') {
    return { is: 'resumed', turn: await resumeTurn(tools, request.messages, options) }
  }
  const { asks, tool: name, input, toolCallId, messages, context, abortSignal } = request
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
  const guarded = guardedBehind(tool)
  // Without its gate here nothing may run it. The run says so to the model.
  if (!tool || !guarded) {
    return asks === 'pause'
      ? { is: 'pause', pauses: false }
      : { is: 'error', message: notGuarded(name).message }
  }
  const given: Given = { toolCallId, messages, context }
  if (asks === 'run') {
    return ran(tool, guarded, input, abortSignal ? { ...given, abortSignal } : given)
  }
  const { needsApproval } = tool
  const pauses =
    typeof needsApproval === 'function' ? await needsApproval(input, given as never) : false
  return { is: 'pause', pauses }
}

async function ran(
  tool: ToolSet[string],
  { gate, name, asking }: GuardedTool,
  input: unknown,
  given: Given & { readonly abortSignal?: AbortSignal },
): Promise<StepReply> {
  try {
    const output: unknown = await tool.execute?.(input, given as never)
    const note = notesFor(gate, asking.run, name).of(given.toolCallId)
    return { is: 'output', output, ...(note === undefined ? {} : { note }) }
  } catch (error) {
    if (isCallBlocked(error, 'already_claimed')) return { is: 'elsewhere' }
    return { is: 'error', message: error instanceof Error ? error.message : String(error) }
  }
}

function notGuarded(name: string): CountersignError {
  return new CountersignError('usage', `the tool ${name} has no guarded tool behind it`, {
    hint: 'Pass answerStep what guardTools gave, with a tool for each name that the agent knows.',
  })
}
