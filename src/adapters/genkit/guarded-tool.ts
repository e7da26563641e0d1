import type { Call } from '../../base/call.ts'
import { CountersignError } from '../../base/errors.ts'
import { isPlainObject, type JsonObject } from '../../base/json/json.ts'
import { internals, type Stands } from '../../gate/internals.ts'
import { blocked, type Outcome } from '../../gate/outcome.ts'
import type { ToolDefinition } from '../../gate/tool.ts'
import type { ToolGate } from '../../gate/tool-gate.ts'
import { type Asking, previewFor } from '../asking.ts'
import { checkEdited } from '../edited-args.ts'
import { resultOrSentence } from '../result-or-sentence.ts'
import { isWake } from '../waking.ts'
import { type CallFacts, factsOf } from './middleware.ts'
import type { GenkitTool, Part, ToolOptions } from './sdk-types.ts'

export interface ToolAsking extends Asking {
  /** The alias of the MCP server that the tools come from. */
  readonly server?: string
}

/** A tool behind its gate, and what is needed to look up how one of its calls stands. */
export interface GuardedTool {
  readonly gate: ToolGate
  /** As the model calls it. */
  readonly name: string
  readonly tool: GenkitTool
  readonly asking: ToolAsking
  readonly definition: ToolDefinition
}

/** What an interrupt of ours says of itself: `metadata.interrupt` of the tool request. */
export interface Waiting {
  readonly countersign: 'waits'
  /** The call's `ref`; its key where the model gave it none. */
  readonly callId: string
  /**
   * Names the call in its run. Plugins count the calls of an answer, so a `ref` comes again in the
   * next turn; this does not.
   */
  readonly key: string
  readonly name: string
  readonly message: string
}

/** The interrupt of a call that waits for people. A tool that interrupts itself cannot name its call. */
export function waitingIn({ toolRequest, metadata }: Part): Waiting | undefined {
  const shown = (metadata?.interrupt ?? {}) as Partial<Waiting>
  const { countersign, callId, key } = shown
  if (countersign !== 'waits' || typeof key !== 'string') return undefined
  return callId === (toolRequest?.ref ?? key) ? (shown as Waiting) : undefined
}

/** Genkit knows an interrupt by the name of what is thrown. */
class Interrupt extends Error {
  override readonly name = 'ToolInterruptError'
  readonly metadata: Waiting

  constructor(metadata: Waiting) {
    super(metadata.message)
    this.metadata = metadata
  }
}

export function callOf(
  { name, asking: { run, server } }: GuardedTool,
  input: unknown,
  key: string,
): Call {
  return {
    tool: name,
    args: (input ?? {}) as JsonObject,
    run,
    key,
    ...(server === undefined ? {} : { server }),
  }
}

/** How one call stands. Asks about it when there is no question yet. */
export function stands(tool: GuardedTool, call: Call): Promise<Stands> {
  const { gate, name, asking, definition } = tool
  return gate.check(call, { definition, ...previewFor(asking, name) })
}

/** What Genkit calls in place of the tool. */
export async function runGuarded(
  own: GuardedTool,
  input: unknown,
  options: ToolOptions | undefined,
): Promise<unknown> {
  const { gate, name, tool, asking, definition } = own
  const facts = factsOf(options)
  if (!facts) throw withoutMiddleware(name)
  if (input !== undefined && !isPlainObject(input)) {
    const reason = 'the arguments are not an object'
    return said(own, blocked('invalid_call', { tool: name, reason }).modelMessage)
  }
  const key = waitingIn({ toolRequest: facts.request, ...metadataOf(options) })?.key
  const call = callOf(own, input, key ?? crypto.randomUUID())
  const pauses = asking.mode !== 'block'
  const now = await standsNow(own, call, pauses)
  if (now?.status === 'pending' && pauses) throw new Interrupt(waiting(own, facts, call, now))
  const start = async (args: JsonObject, { edited }: { readonly edited: boolean }) => {
    if (edited) await checkEdited(definition, args)
    const given = edited || input !== undefined ? args : input
    return (await tool(given, ownOptions(options, facts))) ?? null
  }
  const { signal } = facts
  const outcome = await gate.run<unknown>(
    call,
    { name, definition, run: start, ...previewFor(asking, name) },
    pauses ? { signal, wait: false } : { signal, waitFor: asking.waitFor },
  )
  return told(own, outcome, now?.status === 'allowed')
}

function withoutMiddleware(name: string): CountersignError {
  return new CountersignError('usage', `the guarded tool ${name} does not know its call`, {
    hint: 'Pass both `tools` and `use` of what guardTools() gave: ai.generate({ prompt, ...guarded }).',
  })
}

function metadataOf(options: ToolOptions | undefined): Pick<Part, 'metadata'> {
  return options?.metadata ? { metadata: options.metadata } : {}
}

function waiting(
  { name }: GuardedTool,
  { request: { ref } }: CallFacts,
  { key = '' }: Call,
  { modelMessage: message }: { readonly modelMessage: string },
): Waiting {
  return { countersign: 'waits', callId: ref ?? key, key, name, message }
}

/** Undefined where it is not known: running the call says what is wrong. */
async function standsNow(
  own: GuardedTool,
  call: Call,
  pauses: boolean,
): Promise<Stands | undefined> {
  if (own.gate[internals].allows?.(call)) return { status: 'allowed' }
  if (!pauses) return undefined
  try {
    return await stands(own, call)
  } catch {
    return undefined
  }
}

/** What woke our question up is no answer to a question of the tool, so it never sees that. */
function ownOptions(options: ToolOptions | undefined, { signal }: CallFacts): ToolOptions {
  const { resumed, ...others } = options ?? {}
  const isOurs = isWake(resumed)
  const { metadata } = others
  const { interrupt: _, resumed: __, ...rest } = metadata ?? {}
  return {
    ...others,
    ...(signal ? { abortSignal: signal } : {}),
    ...(isOurs ? { metadata: rest } : { resumed }),
  }
}

function told(own: GuardedTool, outcome: Outcome<unknown>, isAllowed: boolean): unknown {
  if (outcome.status === 'failed' && isInterrupt(outcome.error)) {
    if (isAllowed) throw outcome.error
    return said(own, OWN_QUESTION)
  }
  if (outcome.status !== 'succeeded' || !isMultipart(own)) {
    const output = resultOrSentence(outcome)
    return outcome.status === 'succeeded' ? output : said(own, output)
  }
  // Its result has parts beside what the model reads as output.
  const result = (outcome.result ?? {}) as { readonly output?: unknown }
  return { ...result, output: resultOrSentence({ ...outcome, result: result.output }) }
}

/** One yes runs a call once, and a tool that interrupts would be started a second time. */
const OWN_QUESTION =
  'The call was approved and started, and then its tool interrupted the turn, which an approved call cannot. It may have taken effect. Do not call it again.'

function isInterrupt(error: unknown): boolean {
  return error instanceof Error && error.name === 'ToolInterruptError'
}

function isMultipart({ tool }: GuardedTool): boolean {
  return tool.__action.actionType === 'tool.v2'
}

function said(own: GuardedTool, sentence: unknown): unknown {
  return isMultipart(own) ? { output: sentence } : sentence
}
