import type { ModelMessage, Tool, ToolSet } from 'ai'
import { type Notes, withNotes } from '../model-output.ts'
import type { StepCall, StepReply, Steps } from './step.ts'

/** Between two looks at a call that another attempt runs. */
const ELSEWHERE_PAUSE = 5_000

const ours = new WeakSet<object>()

/** Whether a tool reaches the gate by steps. */
export function isStepTool(tool: unknown): boolean {
  return typeof tool === 'object' && tool !== null && ours.has(tool)
}

/**
 * The same tools for a `WorkflowAgent`, whose code may reach for nothing: whether a call pauses and
 * what it gives is asked by a step, where the gate is. Their own `needsApproval` and `execute` belong
 * to the tools of that step.
 */
export function stepTools<TOOLS extends ToolSet>(tools: TOOLS, steps: Steps): TOOLS {
  const entries = Object.entries(tools).map(
    ([name, tool]) => [name, stepTool(name, tool as Tool, steps)] as const,
  )
  // The SDK looks names up as own properties; a model may call one of them `__proto__`.
  return Object.fromEntries(entries) as TOOLS
}

interface Given {
  readonly toolCallId: string
  readonly messages: ModelMessage[]
  readonly context: unknown
  readonly abortSignal?: AbortSignal
}

function stepTool(name: string, tool: Tool, { run, step, wait }: Steps): Tool {
  const notes = new Map<string, string>()
  const told: Notes = {
    add: (toolCallId, note) => void notes.set(toolCallId, note),
    of: (toolCallId) => notes.get(toolCallId),
  }

  /** Only what a step can take. */
  function callOf(input: unknown, given: Given): StepCall {
    const { toolCallId, messages, abortSignal } = given
    // The agent looks contexts up by name, and finds what every object has under some names.
    const context = typeof given.context === 'function' ? undefined : given.context
    const call = { run, tool: name, input, toolCallId, messages, context }
    return abortSignal ? { ...call, abortSignal } : call
  }

  async function needsApproval(input: unknown, given: Given): Promise<boolean> {
    const reply = await step({ asks: 'pause', ...callOf(input, given) })
    if (reply.is !== 'pause') throw unexpected(reply)
    return reply.pauses
  }

  async function execute(input: unknown, given: Given): Promise<unknown> {
    for (;;) {
      const reply = await step({ asks: 'run', ...callOf(input, given) })
      switch (reply.is) {
        case 'output':
          if (reply.note !== undefined) told.add(given.toolCallId, reply.note)
          return reply.output
        case 'elsewhere':
          await wait(ELSEWHERE_PAUSE)
          break
        case 'error':
          throw new DidNotRun(reply.message)
        default:
          throw unexpected(reply)
      }
    }
  }

  const made = {
    ...tool,
    needsApproval,
    execute,
    toModelOutput: withNotes(tool.toModelOutput, told),
  } as unknown as Tool
  ours.add(made)
  return made
}

/** The SDK shows the model what `toString` returns: the sentence, without the name of a class. */
class DidNotRun extends Error {
  override toString(): string {
    return this.message
  }
}

function unexpected({ is }: StepReply): Error {
  return new Error(`the step of the gate answered ${is}; it has to return what answerStep gives`)
}
