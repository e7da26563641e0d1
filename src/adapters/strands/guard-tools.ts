import type { Tool, ToolContext, ToolResultBlock, ToolStreamEvent } from '@strands-agents/sdk'
import type { Call } from '../../base/call.ts'
import { CountersignError } from '../../base/errors.ts'
import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'
import { delegation } from '../../gate/delegate.ts'
import { internals, type Stands } from '../../gate/internals.ts'
import { blocked, type Outcome } from '../../gate/outcome.ts'
import type { ToolDefinition } from '../../gate/tool.ts'
import type { ToolGate } from '../../gate/tool-gate.ts'
import {
  type Asking,
  checkAsking,
  checkOrigin,
  type ParentInput,
  parentInput,
  previewFor,
} from '../asking.ts'
import { checkEdited } from '../edited-args.ts'
import { failureOf } from '../failure.ts'
import { answerWith } from '../waking.ts'
import { type Events, events } from './events.ts'
import { pause } from './pause.ts'
import { blockOf, ErrorBlock } from './result-block.ts'

export interface ToolAsking extends Asking {
  /** The alias of the MCP server that the tools come from. */
  readonly server?: string
  /** What the agent that has an agent as a tool was given itself. */
  readonly parent?: ParentInput<ToolContext>
}

interface Guarded {
  readonly gate: ToolGate
  readonly tool: Tool
  readonly asking: ToolAsking
  readonly definition: ToolDefinition
  /** It hands the work to a sub-agent: asked about as a delegation. */
  readonly isAgent: boolean
}

/** By each guarded tool, the one it was made of, and the server that one comes from. */
const originals = new WeakMap<object, { tool: Tool; server: string | undefined }>()

/**
 * The same tools, each behind the gate. A call that waits interrupts the agent with Strands' own
 * `interrupt`, and looks at its approval again whenever the agent is resumed; what it is resumed with
 * decides nothing.
 */
export function guardTools<T extends Tool>(
  gate: ToolGate,
  tools: readonly T[],
  asking: ToolAsking,
): T[] {
  checkAsking(gate, asking)
  return tools.map((tool) => {
    if (typeof tool?.stream !== 'function' || typeof tool.name !== 'string') throw notATool()
    // Guarded again it belongs to the new run: on the old one it would run on another one's yes.
    const before = originals.get(tool)
    if (before) checkOrigin(tool.name, before.server, asking.server)
    const { tool: original, server } = before ?? { tool, server: undefined }
    const own = asking.server ?? server
    return guarded(gate, original, own === undefined ? asking : { ...asking, server: own }) as T
  })
}

function notATool(): CountersignError {
  return new CountersignError('usage', 'guardTools takes the tools of an agent, and nothing else', {
    hint: 'Pass agent.asTool() for an agent, and (await client.listTools()) with { server } for an MCP client.',
  })
}

function guarded(gate: ToolGate, tool: Tool, asking: ToolAsking): Tool {
  const { name, description, toolSpec } = tool
  const { server } = asking
  const inputSchema = toolSpec.inputSchema as unknown as Json | undefined
  const definition = { description, ...(inputSchema === undefined ? {} : { inputSchema }) }
  // Only agents as tools have one.
  const isAgent = 'agent' in tool && typeof tool.agent === 'object'
  if (server === undefined && !isAgent) gate[internals].tool(name, definition)
  const own: Guarded = { gate, tool, asking, definition, isAgent }
  // What else the SDK finds on a tool, and its class, stay as they are.
  const made = Object.create(tool, {
    stream: { value: (context: ToolContext) => guardedStream(own, context) },
    ...('invoke' in tool ? { invoke: { value: () => invokedDirectly(name) } } : {}),
  }) as Tool
  originals.set(made, { tool, server })
  return made
}

/** It would run without an id of its own, and outside of every agent. */
async function invokedDirectly(name: string): Promise<never> {
  throw new CountersignError('usage', `the guarded tool ${name} is called by its agent only`, {
    hint: 'Use agent.tool, or gate.guard for a function that your own code calls.',
  })
}

async function* guardedStream(
  own: Guarded,
  context: ToolContext,
): AsyncGenerator<ToolStreamEvent, ToolResultBlock, undefined> {
  const { gate, tool, asking, definition } = own
  const { name } = tool
  const { toolUse, cancelSignal } = context
  if (!isPlainObject(toolUse.input)) {
    throw new Error(
      blocked('invalid_call', { tool: name, reason: 'the arguments are not an object' })
        .modelMessage,
    )
  }
  const call = callOf(own, context, toolUse.input as JsonObject)
  const pauses = asking.mode !== 'block'
  const isFree = gate[internals].allows?.(call) ?? false
  const now = pauses && !isFree ? await stands(own, call, toolUse.toolUseId, context) : undefined
  const said = events<ToolStreamEvent>()
  const leaving = new AbortController()
  const signal = AbortSignal.any([cancelSignal, leaving.signal])
  let fresh: ToolResultBlock | undefined
  async function start(args: JsonObject, { edited }: { readonly edited: boolean }) {
    if (edited) await checkEdited(definition, args)
    const given = edited ? { ...context, toolUse: { ...toolUse, input: args as never } } : context
    fresh = await streamed(tool, given, said)
    if (fresh.status === 'error') throw new ErrorBlock(fresh)
    return fresh.toJSON()
  }
  const running = gate
    .run<unknown>(
      call,
      { name, definition, run: start, ...previewFor(asking, name) },
      pauses ? { signal, wait: false } : { signal, waitFor: asking.waitFor },
    )
    .finally(said.end)
  try {
    yield* said.all
    return await told(await running, fresh, toolUse.toolUseId, isFree || now?.status === 'allowed')
  } finally {
    // Where the caller leaves the stream early, a call that still waits is withdrawn.
    leaving.abort()
  }
}

async function streamed(
  tool: Tool,
  context: ToolContext,
  said: Events<ToolStreamEvent>,
): Promise<ToolResultBlock> {
  const stream = tool.stream(context)
  for (;;) {
    const { done, value } = await stream.next()
    if (done) return value
    said.put(value)
  }
}

async function told(
  outcome: Outcome<unknown>,
  fresh: ToolResultBlock | undefined,
  toolUseId: string,
  isAllowed: boolean,
): Promise<ToolResultBlock> {
  if (outcome.status === 'succeeded') return blockOf(outcome, fresh, toolUseId)
  // The model reads what is thrown.
  if (outcome.status !== 'failed') throw new Error(outcome.modelMessage)
  const { error } = outcome
  if (isInterrupt(error)) {
    if (isAllowed) throw error
    throw new Error(OWN_QUESTION)
  }
  const failure = failureOf(outcome)
  if (failure instanceof ErrorBlock) return failure.block
  throw failure
}

/** One yes runs a call once, and a tool that interrupts would be started a second time. */
const OWN_QUESTION =
  'The call was approved and started, and then its tool interrupted the agent, which an approved call cannot. It may have taken effect. Do not call it again.'

function isInterrupt(error: unknown): boolean {
  return error instanceof Error && error.name === 'InterruptError' && 'interrupts' in error
}

function callOf({ tool, asking, isAgent }: Guarded, context: ToolContext, args: JsonObject): Call {
  const { run, server, parent } = asking
  const call: Call = isAgent
    ? delegation(tool.name, args, parentInput(parent, context))
    : { tool: tool.name, args }
  const { toolUseId: key } = context.toolUse
  return { ...call, run, key, ...(server === undefined ? {} : { server }) }
}

/**
 * How the call stands, with what was answered in the application, if that can be found out. Where
 * it waits for people, this interrupts the agent and does not return.
 */
async function stands(
  { gate, tool, asking, definition }: Guarded,
  call: Call,
  callId: string,
  context: ToolContext,
): Promise<Stands | undefined> {
  const look = async () => {
    try {
      return await gate.check(call, { definition, ...previewFor(asking, tool.name) })
    } catch {
      // Running it will say what is wrong.
      return undefined
    }
  }
  let now: Stands | undefined = await look()
  const wakes = pause(context, callId, tool.name)
  while (now?.status === 'pending') {
    const wake = wakes.next(now.modelMessage)
    if (await answerWith(wake, callId, now)) now = await look()
  }
  return now
}
