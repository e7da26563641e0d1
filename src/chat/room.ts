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
/** Answers that one person gets at once, in all conversations. */
const MOST_TURNS = 4

/** What one person's conversation needs besides itself. */
export interface Seat {
  readonly owner: string
  readonly agent: string
  /** Whether the person may still chat: a turn of one who may not is ended. */
  isThere(): Promise<boolean>
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
  readonly owner: string
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

  async function isAnswering(found: KeptConversation): Promise<boolean> {
    return live.has(found.id) || isElsewhere(found)
  }

  async function isElsewhere({ turn }: KeptConversation): Promise<boolean> {
    return turn !== undefined && turn.by !== store.instance && turn.until > (await store.now())
  }

  /** As it is now; what a lost page or a killed process left open is settled first. */
  async function read(seat: Seat, id: string): Promise<KeptConversation> {
    const here = live.get(id)
    if (here?.stop.signal.aborted) await here.done
    const found = await known(seat.owner, id)
    return (await isAnswering(found)) ? found : tidied(seat, found)
  }

  async function tidied(seat: Seat, found: KeptConversation): Promise<KeptConversation> {
    const messages = await settled(seat, { ...found, messages: asInterrupted(found.messages) })
    const { turn, ...rest } = found
    if (turn === undefined && isEqual(messages, found.messages)) return found
    const put = await conversations.put(seat.owner, { ...rest, messages })
    return put ?? known(seat.owner, found.id)
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

  /** From here on this process answers in it: no other request of it gets as far. */
  function reserve(owner: string, id: string) {
    if (live.has(id)) throw busy()
    if ([...live.values()].filter((one) => one.owner === owner).length >= MOST_TURNS) {
      throw new CountersignError(
        'too_many_requests',
        `${MOST_TURNS} of your conversations are answering already`,
        { hint: 'Wait for one of them, or stop it.' },
      )
    }
    const stop = new AbortController()
    const { promise: done, resolve } = Promise.withResolvers<void>()
    live.set(id, { owner, stop, done })
    return {
      stop,
      free() {
        live.delete(id)
        resolve()
      },
    }
  }

  /** Takes the turn, or refuses because another has it. */
  async function begin(
    seat: Seat,
    id: string,
    change: (found: KeptConversation) => Promise<KeptConversation>,
  ): Promise<Begun> {
    const here = live.get(id)
    if (here?.stop.signal.aborted) await here.done
    await known(seat.owner, id)
    const { stop, free } = reserve(seat.owner, id)
    try {
      // A page that reads it may have settled something at the same moment.
      for (let tries = 0; tries < 3; tries++) {
        const found = await known(seat.owner, id)
        if (await isElsewhere(found)) throw busy()
        const until = (await store.now()) + TURN_MS
        const changed = await change(await tidied(seat, found))
        const next = { ...changed, turn: { by: store.instance, until } }
        const kept = await conversations.put(seat.owner, next)
        if (kept) return { kept, stop, free }
      }
      throw busy()
    } catch (error) {
      free()
      throw error
    }
  }

  /** The turn is taken already: it is given back where no tools can be had. */
  async function withTools(seat: Seat, { kept, free }: Begun): Promise<ToolSet> {
    try {
      return await seat.at(runOf(kept)).tools()
    } catch (error) {
      const { turn: _, ...rest } = kept
      await conversations.put(seat.owner, rest).catch(() => {})
      free()
      throw error
    }
  }

  async function answer(
    seat: Seat,
    begun: Begun,
    model: LanguageModel,
    gone: AbortSignal,
  ): Promise<ReadableStream<UIMessageChunk>> {
    const tools = await withTools(seat, begun)
    const { stop, free } = begun
    let { kept } = begun
    const { agent } = seat
    const { gate } = seat.at(runOf(kept))
    const { messages } = kept
    let writing = Promise.resolve()
    /** One after another. A conversation that was removed or taken over meanwhile ends here. */
    const write = (change: (now: KeptConversation) => KeptConversation): Promise<void> => {
      writing = writing
        .catch(() => {})
        .then(async () => {
          const put = await conversations.put(seat.owner, change(kept))
          if (put) kept = put
          else stop.abort()
        })
      return writing
    }
    const renew = async () => {
      if (!(await seat.isThere())) return stop.abort()
      const turn = { by: store.instance, until: (await store.now()) + TURN_MS }
      await write((now) => ({ ...now, turn }))
    }
    const renewing = setInterval(() => void renew().catch(() => stop.abort()), RENEW_MS)
    return runTurn({
      store,
      gate,
      agent,
      tools,
      model,
      instructions,
      failed,
      messages,
      gone: AbortSignal.any([gone, stop.signal, stopping]),
      save: (next) => write((now) => ({ ...now, messages: next })),
      async ended() {
        clearInterval(renewing)
        await write(({ turn: _, ...rest }) => rest).catch(() => {})
        free()
      },
    })
  }

  async function stop(owner: string, id: string): Promise<void> {
    const { turn, ...rest } = await known(owner, id)
    const here = live.get(id)
    here?.stop.abort()
    await here?.done
    // Where another process answers, it finds its turn gone with the next thing it writes.
    if (!here && turn) await conversations.put(owner, rest)
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
      return answer(seat, begun, opened, gone)
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
      return answer(seat, begun, opened, gone)
    },
    stop,
    /** What still waits in it is withdrawn: no answer could come to anything. */
    async remove(seat: Seat, id: string): Promise<void> {
      await stop(seat.owner, id)
      await settled(seat, await known(seat.owner, id), 'reviews').catch(() => {})
      await conversations.remove(seat.owner, id)
    },
  }
}

/** A conversation whose turn is taken. */
interface Begun {
  readonly kept: KeptConversation
  readonly stop: AbortController
  free(): void
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
