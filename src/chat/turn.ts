import {
  convertToModelMessages,
  createUIMessageStream,
  generateId,
  type LanguageModel,
  readUIMessageStream,
  streamText,
  type ToolSet,
  toUIMessageStream,
  type UIMessageChunk,
  type UIMessageStreamWriter,
} from 'ai'
import { withAnswers } from '../adapters/ai-sdk/answers.ts'
import { inCallOrder } from '../adapters/ai-sdk/call-order.ts'
import { resumeTurn } from '../adapters/ai-sdk/resume-turn.ts'
import { isTurnStepCount } from '../adapters/ai-sdk/turn-steps.ts'
import type { Approval } from '../approval/approval.ts'
import { isCountersignError } from '../base/errors.ts'
import { isCallBlocked } from '../gate/call-blocked.ts'
import type { Gate } from '../gate/gate.ts'
import type { Store } from '../store/store.ts'
import type { ChatMessage } from './conversation.ts'
import { asInterrupted, asRefused, pausedCalls } from './paused-calls.ts'

/** Steps of one turn: a model that calls without end is stopped. */
const MOST_STEPS = 16

export interface TurnParts {
  readonly model: LanguageModel
  readonly instructions: string
  /** Guarded, for this conversation. */
  readonly tools: ToolSet
  /** As the gate of the tools: its agent withdraws what is left unanswered. */
  readonly gate: Gate
  /** The name that the questions of this chat are owned by. */
  readonly agent: string
  readonly store: Store
  readonly messages: readonly ChatMessage[]
  /** The page went away, the person pressed stop, or the server is about to end. */
  readonly gone: AbortSignal
  /** Keeps the conversation as it is now. */
  save(messages: readonly ChatMessage[]): Promise<void>
  /** Once, when all is written down. */
  ended(): Promise<void>
  failed(error: unknown): string
}

/**
 * The one loop of the chat. The model speaks and calls; calls that need a person pause the SDK, and
 * the loop waits here until each is decided, expired or withdrawn. Only then does it go on, so that
 * the model reads all results of its step together and in its own order.
 */
export function runTurn(parts: TurnParts): ReadableStream<UIMessageChunk> {
  return createUIMessageStream({
    async execute({ writer }) {
      try {
        await loop(parts, writer)
      } finally {
        await parts.ended()
      }
    },
    onError: parts.failed,
  })
}

async function loop(parts: TurnParts, writer: UIMessageStreamWriter): Promise<void> {
  const { tools, gone, save } = parts
  let messages = parts.messages
  for (;;) {
    if (gone.aborted) break
    const turn = await resumeTurn(tools, await convertToModelMessages([...messages], { tools }))
    if (turn.status === 'waiting') {
      messages = await awaitPeople(parts, messages, writer)
      continue
    }
    messages = await speak(parts, messages, turn, writer)
    await save(messages)
    if ((await pausedCalls(tools, messages)).length === 0) return
  }
  await save(await settleLeft(parts, messages))
}

/** One stretch of the model's: until it is done, or calls wait for people. */
async function speak(
  { model, instructions, tools, gone, failed, save }: TurnParts,
  messages: readonly ChatMessage[],
  turn: Extract<Awaited<ReturnType<typeof resumeTurn>>, { status: 'ready' }>,
  writer: UIMessageStreamWriter,
): Promise<readonly ChatMessage[]> {
  const result = streamText({
    model,
    instructions,
    tools,
    messages: turn.messages,
    stopWhen: isTurnStepCount(MOST_STEPS, turn.messages),
    prepareStep: inCallOrder,
    abortSignal: gone,
    onError() {},
  })
  const failures = new WeakSet<object>()
  const stream = toUIMessageStream({
    stream: withAnswers(turn, noting(result.stream, failures)),
    originalMessages: [...messages],
    generateMessageId: generateId,
    onError: (error) => toolFailure(error, failures) ?? failed(error),
  })
  const [shown, kept] = stream.tee()
  writer.merge(shown)
  const last = messages.at(-1)
  const before = last?.role === 'assistant' ? messages.slice(0, -1) : messages
  let now = last?.role === 'assistant' ? structuredClone(last) : undefined
  let stage = ''
  const reading = readUIMessageStream({
    ...(now ? { message: now } : {}),
    stream: kept,
    onError() {},
  })
  for await (const message of reading) {
    now = message
    // Before a call runs it is written down that it was made: a process may be killed any time.
    const states = stagesOf(message)
    if (states !== stage) await save([...before, message])
    stage = states
  }
  const all = now ? [...before, now] : [...before]
  return gone.aborted ? asInterrupted(all) : all
}

const MOST_ERROR = 2_000

/** What a tool threw is the tool's own answer; whatever else goes wrong is the model's or ours. */
function toolFailure(error: unknown, failures: WeakSet<object>): string | undefined {
  if (isCallBlocked(error)) return error.modelMessage
  if (!(error instanceof Error) || !failures.has(error)) return undefined
  return error.message.slice(0, MOST_ERROR)
}

function noting<PART extends { readonly type: string }>(
  stream: ReadableStream<PART>,
  failures: WeakSet<object>,
): ReadableStream<PART> {
  return stream.pipeThrough(
    new TransformStream<PART, PART>({
      transform(part, controller) {
        if (part.type === 'tool-error' && 'error' in part && part.error instanceof Error) {
          failures.add(part.error)
        }
        controller.enqueue(part)
      },
    }),
  )
}

function stagesOf({ parts }: ChatMessage): string {
  return parts.flatMap((part) => ('toolCallId' in part ? [part.state] : [])).join(' ')
}

/** Until every question of the turn is answered. A page that goes away takes its confirmations back. */
async function awaitPeople(
  parts: TurnParts,
  messages: readonly ChatMessage[],
  writer: UIMessageStreamWriter,
): Promise<readonly ChatMessage[]> {
  const { store, gone, tools, save } = parts
  const paused = await pausedCalls(tools, messages)
  const asked = paused.flatMap(({ toolCallId, approval }) =>
    approval ? [{ toolCallId, approval }] : [],
  )
  let shown = messages
  for (const { toolCallId, approval } of asked) {
    const data = { toolCallId, approval: approval.id, level: approval.level }
    const part = { type: 'data-approval' as const, id: toolCallId, data }
    writer.write(part)
    shown = withPart(shown, part)
  }
  await save(shown)
  await Promise.all(asked.map(({ approval }) => decided(store, approval, gone)))
  return shown
}

function withPart(
  messages: readonly ChatMessage[],
  part: { readonly type: `data-${string}`; readonly id: string; readonly data: unknown },
): ChatMessage[] {
  const last = messages.at(-1)
  if (!last) return [...messages]
  const parts = last.parts.filter(
    (one) => !(one.type === part.type && 'id' in one && one.id === part.id),
  )
  return [...messages.slice(0, -1), { ...last, parts: [...parts, part] as ChatMessage['parts'] }]
}

async function decided(store: Store, approval: Approval, gone: AbortSignal): Promise<void> {
  let now = approval
  try {
    while (now.status === 'pending' && !gone.aborted) {
      now = await store.waitFor(now.id, now.revision, gone)
    }
  } catch (error) {
    if (!gone.aborted || isCountersignError(error)) throw error
  }
}

/**
 * The page that would ask these questions is gone: confirmations are withdrawn, so that they never
 * run, and the model reads that. What others review stays open; the conversation goes on with it.
 */
export async function settleLeft(
  { tools, gate, agent }: Pick<TurnParts, 'tools' | 'gate' | 'agent'>,
  messages: readonly ChatMessage[],
  also: 'confirmations' | 'reviews' = 'confirmations',
): Promise<readonly ChatMessage[]> {
  const refused = new Map<string, string>()
  for (const { approval } of await pausedCalls(tools, messages)) {
    if (approval?.status !== 'pending') continue
    if (also === 'confirmations' && approval.level !== 'confirm') continue
    // Another answer may have come first; which one is read below.
    await gate.approvals.withdraw(approval.id, { agent }).catch(() => {})
  }
  for (const { toolCallId, approval, refused: why } of await pausedCalls(tools, messages)) {
    // What others reviewed is told when the conversation goes on.
    const isTold = also === 'reviews' || approval === undefined || approval.level === 'confirm'
    if (why !== undefined && isTold) refused.set(toolCallId, why)
  }
  return asRefused(messages, refused)
}
