import { generateId, type LanguageModel, type ToolSet, type UIMessageChunk } from 'ai'
import { CountersignError } from '../base/errors.ts'
import type { Gate } from '../gate/gate.ts'
import type { Store } from '../store/store.ts'
import { type ChatMessage, titleOf } from './conversation.ts'
import type { Conversations, KeptConversation } from './conversations.ts'
import { asInterrupted, hasQuestions } from './paused-calls.ts'
import { runTurn, settleLeft } from './turn.ts'

/** A process that is silent for this long is believed dead. */
const TURN_MS = 6_000
const RENEW_MS = 2_000

/** What one person's conversation needs besides itself. */
export interface Seat {
  readonly owner: string
  readonly agent: string
  /** For one request of the person. Servers are connected when tools are first asked for. */
  at(run: string): OpenSeat
}

export interface OpenSeat {
  /** Speaks for the person. */
  readonly gate: Gate
  /** Guarded. */
  tools(): Promise<ToolSet>
}

/**
 * What a person said no to stays refused for this request. The next thing they ask for is another
 * one: counted here, so that no name a page or a model sends has a part in it.
 */
const runOf = ({ id, turns }: Pick<KeptConversation, 'id' | 'turns'>) => `chat-${id}-${turns}`

export interface Said {
  readonly text: string
  readonly id?: string | undefined
  readonly replaces?: string | undefined
}

export interface RoomParts {
  readonly store: Store
  readonly conversations: Conversations
  readonly instructions: string
  readonly stopping: AbortSignal
  failed(error: unknown): string
}

interface Live {
  readonly stop: AbortController
  readonly done: Promise<void>
}

/** Where conversations happen: one turn at a time in each, whichever process answers. */
export function createRoom({ store, conversations, instructions, stopping, failed }: RoomParts) {
  const live = new Map<string, Live>()

  async function known(owner: string, id: string): Promise<KeptConversation> {
    const found = await conversations.get(owner, id)
    if (found) return found
    throw new CountersignError('not_found', 'there is no such conversation')
  }

  async function isAnswering({ id, turn }: KeptConversation): Promise<boolean> {
    if (live.has(id)) return true
    return turn !== undefined && turn.by !== store.instance && turn.until > (await store.now())
  }

  /** As it is now; what a lost page or a killed process left open is settled first. */
  async function read(seat: Seat, id: string): Promise<KeptConversation> {
    const here = live.get(id)
    if (here?.stop.signal.aborted) await here.done
    const found = await known(seat.owner, id)
    if (await isAnswering(found)) return found
    const messages = await settled(seat, { ...found, messages: asInterrupted(found.messages) })
    const { turn, ...rest } = found
    if (turn === undefined && isEqual(messages, found.messages)) return found
    return (await conversations.put(seat.owner, { ...rest, messages })) ?? known(seat.owner, id)
  }

  async function settled(
    { agent, at }: Seat,
    found: KeptConversation,
    also?: 'reviews',
  ): Promise<readonly ChatMessage[]> {
    const { messages } = found
    if (!hasQuestions(messages)) return messages
    const { gate, tools } = at(runOf(found))
    return settleLeft({ agent, gate, tools: await tools() }, messages, also)
  }

  /** Takes the turn, or refuses because another has it. */
  async function begin(
    seat: Seat,
    id: string,
    change: (found: KeptConversation) => Promise<KeptConversation>,
  ): Promise<KeptConversation> {
    const found = await read(seat, id)
    if (await isAnswering(found)) throw busy()
    const until = (await store.now()) + TURN_MS
    const next = { ...(await change(found)), turn: { by: store.instance, until } }
    const taken = await conversations.put(seat.owner, next)
    if (!taken) throw busy()
    return taken
  }

  /** The turn is taken already: it is given back where no tools can be had. */
  async function withTools(seat: Seat, begun: KeptConversation, model: LanguageModel) {
    try {
      return { model, tools: await seat.at(runOf(begun)).tools() }
    } catch (error) {
      const { turn: _, ...rest } = begun
      await conversations.put(seat.owner, rest).catch(() => {})
      throw error
    }
  }

  function answer(
    seat: Seat,
    begun: KeptConversation,
    { model, tools }: { readonly model: LanguageModel; readonly tools: ToolSet },
    gone: AbortSignal,
  ): ReadableStream<UIMessageChunk> {
    const { id } = begun
    const { agent } = seat
    const { gate } = seat.at(runOf(begun))
    const stop = new AbortController()
    const { promise: done, resolve } = Promise.withResolvers<void>()
    live.set(id, { stop, done })
    let kept = begun
    let writing = Promise.resolve()
    /** One after another. A conversation that was removed or taken over meanwhile ends here. */
    const write = (change: (now: KeptConversation) => KeptConversation): Promise<void> => {
      writing = writing.then(async () => {
        const put = await conversations.put(seat.owner, change(kept))
        if (put) kept = put
        else stop.abort()
      })
      return writing
    }
    const held = async (now: KeptConversation) => ({
      ...now,
      turn: { by: store.instance, until: (await store.now()) + TURN_MS },
    })
    const renewing = setInterval(() => {
      void held(kept)
        .then(({ turn }) => write((now) => ({ ...now, turn })))
        .catch(() => stop.abort())
    }, RENEW_MS)
    return runTurn({
      store,
      gate,
      agent,
      tools,
      model,
      instructions,
      failed,
      messages: begun.messages,
      gone: AbortSignal.any([gone, stop.signal, stopping]),
      save: (messages) => write((now) => ({ ...now, messages })),
      async ended() {
        clearInterval(renewing)
        await write(({ turn: _, ...rest }) => rest).catch(() => {})
        live.delete(id)
        resolve()
      },
    })
  }

  return {
    known,
    async view(seat: Seat, id: string) {
      const found = await read(seat, id)
      const isRunning = await isAnswering(found)
      const waits = !isRunning && hasQuestions(found.messages)
      return { ...found, state: isRunning ? 'running' : waits ? 'waiting' : 'idle' } as const
    },
    async say(
      seat: Seat,
      id: string,
      said: Said,
      model: { readonly id: string; readonly open: () => Promise<LanguageModel> },
      gone: AbortSignal,
    ) {
      const opened = await model.open()
      const begun = await begin(seat, id, async (found) => {
        // A new message ends the turn before it: what still waits in it is withdrawn.
        const before = await settled(seat, found, 'reviews')
        const kept = upTo(before, said.replaces)
        const messages = [...kept, messageOf(said, kept)]
        const title = found.messages.length === 0 ? titleOf(said.text) : found.title
        return { ...found, title, model: model.id, messages, turns: found.turns + 1 }
      })
      return answer(seat, begun, await withTools(seat, begun, opened), gone)
    },
    async goOn(
      seat: Seat,
      id: string,
      open: (model: string) => Promise<LanguageModel>,
      gone: AbortSignal,
    ) {
      const { messages, model } = await read(seat, id)
      if (!hasQuestions(messages)) return nothing()
      const opened = await open(model)
      const begun = await begin(seat, id, async (found) => found)
      return answer(seat, begun, await withTools(seat, begun, opened), gone)
    },
    async stop(owner: string, id: string): Promise<void> {
      await known(owner, id)
      const here = live.get(id)
      here?.stop.abort()
      await here?.done
    },
  }
}

function nothing(): ReadableStream<UIMessageChunk> {
  return new ReadableStream({ start: (controller) => controller.close() })
}

function busy(): CountersignError {
  return new CountersignError('conversation_busy', 'this conversation is answering already', {
    hint: 'Wait for the answer, or stop it first.',
  })
}

function upTo(
  messages: readonly ChatMessage[],
  replaces: string | undefined,
): readonly ChatMessage[] {
  if (replaces === undefined) return messages
  const at = messages.findIndex(({ id, role }) => id === replaces && role === 'user')
  if (at !== -1) return messages.slice(0, at)
  throw new CountersignError('not_found', 'the message to replace is not in this conversation')
}

/** Made here: a role or a part that a page sends is never read. */
function messageOf({ text, id }: Said, before: readonly ChatMessage[]): ChatMessage {
  const isFree = id !== undefined && !before.some((one) => one.id === id)
  return { id: isFree ? id : generateId(), role: 'user', parts: [{ type: 'text', text }] }
}

function isEqual(one: unknown, two: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(two)
}
