import type { BaseAgent, BaseTool, Context, Event, LlmAgent } from '@google/adk'
import { isA } from './tool-words.ts'

/** One call of the step that came to an end. */
interface Ended {
  readonly tool: BaseTool
  readonly args: Record<string, unknown>
  readonly context: Context
  readonly response: unknown
}

interface Step {
  isPaused: boolean
  ended: Ended[]
}

/** By the queue of a step, of which there is a new one for every answer of the model. */
const steps = new WeakMap<object, Step>()

function stepOf({ invocationContext }: Context): Step | undefined {
  const { eventQueue } = invocationContext
  if (!eventQueue) return undefined
  const known = steps.get(eventQueue)
  if (known) return known
  const step: Step = { isPaused: false, ended: [] }
  steps.set(eventQueue, step)
  return step
}

/**
 * Whether a call made here can pause. It cannot in live runs and in nodes of a workflow, and where
 * agents run in a sequence, a loop or side by side the ADK would go on with the next one.
 */
export function canPause({ invocationContext, toolConfirmation }: Context): boolean {
  if (toolConfirmation) return true
  const { eventQueue, workflowInstructionScope, agent } = invocationContext
  if (!eventQueue || !agent || workflowInstructionScope) return false
  for (let one: BaseAgent | undefined = agent; one; one = one.parentAgent) {
    if (!isA('llmAgent', one)) return false
  }
  return true
}

/**
 * When one call of a step pauses, the ADK forgets the results of the others, and the model never
 * reads them. So they are put into the session by themselves.
 */
export async function keepResult(ended: Ended): Promise<void> {
  const step = stepOf(ended.context)
  if (!step) return
  if (step.isPaused) await tell(ended)
  else step.ended.push(ended)
}

export async function pauseStep(context: Context): Promise<void> {
  const step = stepOf(context)
  if (!step) return
  step.isPaused = true
  for (const ended of step.ended.splice(0)) await tell(ended)
}

async function tell({ tool, args, context, response }: Ended): Promise<void> {
  const { invocationContext: invocation, functionCallId: id } = context
  const told = (await altered({ tool, args, context, response })) ?? response
  const { agent, branch, invocationId } = invocation
  const event: Event = {
    id: crypto.randomUUID(),
    invocationId,
    timestamp: Date.now(),
    ...(agent ? { author: agent.name } : {}),
    ...(branch === undefined ? {} : { branch }),
    // What the call did to the state travels with the pause.
    actions: {
      stateDelta: {},
      artifactDelta: {},
      requestedAuthConfigs: {},
      requestedToolConfirmations: {},
    },
    content: {
      role: 'user',
      parts: [
        {
          functionResponse: {
            ...(id === undefined ? {} : { id }),
            name: tool.name,
            response: asObject(told),
          },
        },
      ],
    },
  }
  invocation.eventQueue?.push(event)
}

/** Callbacks that change results, or hide parts of them, change these too. */
async function altered({ tool, args, context, response }: Ended): Promise<unknown> {
  const { agent, pluginManager } = context.invocationContext
  const result = asObject(response)
  const byPlugin = await pluginManager.runAfterToolCallback({
    tool,
    toolArgs: args,
    toolContext: context,
    result,
  })
  if (byPlugin != null || !isA('llmAgent', agent)) return byPlugin
  for (const callback of (agent as LlmAgent).canonicalAfterToolCallbacks) {
    const byAgent = await callback({ tool, args, context, response: result })
    if (byAgent) return byAgent
  }
  return undefined
}

function asObject(response: unknown): Record<string, unknown> {
  if (Array.isArray(response)) return { results: response }
  const isObject = typeof response === 'object' && response !== null
  return isObject ? (response as Record<string, unknown>) : { result: response }
}
