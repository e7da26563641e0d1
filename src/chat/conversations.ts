import { CountersignError } from '../base/errors.ts'
import { newId } from '../base/id.ts'
import { sha256 } from '../base/json/digest.ts'
import type { Json } from '../base/json/json.ts'
import {
  CHAT_PIECE_RECORD,
  CHAT_RECORD,
  type ChatPieces,
  chatPieceId,
  chatsOf,
  removeChat,
  removePieces,
} from '../store/records/chat-records.ts'
import type { Records } from '../store/records.ts'
import type { Store } from '../store/store.ts'
import type { ChatMessage, Conversation, ConversationSummary } from './conversation.ts'

/** Characters of one record, which holds 65,536 bytes: some take three of them, and quotes are escaped. */
const PIECE = 10_000
/** About 1.5 million characters: more than any model reads. */
const MOST_PIECES = 150
/** Of one person. */
const MOST_CONVERSATIONS = 200
/** Since it last changed. */
const DAY_MS = 24 * 60 * 60 * 1_000
const KEPT_MS = 30 * DAY_MS
/** Pieces outlive the head that names them. */
const SPARE_MS = DAY_MS

/** A conversation as it was read: what is written next expects it to be unchanged. */
export interface KeptConversation extends Conversation {
  readonly at: number
  readonly revision: number
  /** How often the person asked for something. */
  readonly turns: number
  /** The process that answers in it just now, and until when that is believed. */
  readonly turn?: { readonly by: string; readonly until: number }
}

export interface Conversations {
  /** Of this owner alone, the newest first. */
  list(owner: string): Promise<ConversationSummary[]>
  get(owner: string, id: string): Promise<KeptConversation | undefined>
  create(owner: string, first: Pick<Conversation, 'title' | 'model'>): Promise<KeptConversation>
  /** Undefined when it was changed or removed meanwhile. */
  put(owner: string, next: KeptConversation): Promise<KeptConversation | undefined>
  remove(owner: string, id: string): Promise<void>
}

interface Head {
  readonly title: string
  readonly model: string
  readonly turns: number
  readonly turn?: KeptConversation['turn']
  readonly pieces: ChatPieces
}

/**
 * A record for each conversation, and its messages in records beside it. Pieces are never changed:
 * new ones are written first, then the head that names them, so a reader finds all of one state.
 */
export function createConversations({
  records,
  now,
}: Pick<Store, 'records' | 'now'>): Conversations {
  const place = async (owner: string, id: string) => `${await sha256(owner)}/${id}`

  async function head(at: string) {
    const found = await records.get(CHAT_RECORD, at)
    return found && { ...found, value: found.value as unknown as Head }
  }

  async function put(owner: string, next: KeptConversation) {
    const { id, title, model, messages, turns, turn, revision } = next
    const at = await place(owner, id)
    const before = await head(at)
    if ((before?.revision ?? 0) !== revision) return undefined
    const expiresAt = (await now()) + KEPT_MS
    const pieces = await writePieces(records, JSON.stringify(messages), expiresAt, before?.value)
    const value = { title, model, turns, pieces, ...(turn ? { turn } : {}) } as unknown as Json
    const expect = revision === 0 ? ('absent' as const) : revision
    const kept = await records.put(CHAT_RECORD, at, value, { expect, expiresAt })
    if (before?.value.pieces.name !== pieces.name) {
      await removePieces(records, kept ? before?.value.pieces : pieces)
    }
    return kept && { ...next, revision: kept.revision, at: kept.at }
  }

  async function list(owner: string): Promise<ConversationSummary[]> {
    const person = await sha256(owner)
    const found = (await chatsOf(records, person)).map(({ id, value, at }) => {
      const { title } = value as unknown as Head
      return { id: id.slice(person.length + 1), title, at }
    })
    return found.toSorted((one, two) => two.at - one.at)
  }

  return {
    list,
    async get(owner, id) {
      const at = await place(owner, id)
      // Between head and pieces another process may write: then the head is another one.
      for (let tries = 0; tries < 5; tries++) {
        const found = await head(at)
        if (!found) return undefined
        const { pieces, ...value } = found.value
        const text = await readPieces(records, pieces)
        if (text === undefined) continue
        const messages = JSON.parse(text) as ChatMessage[]
        return { ...value, id, messages, at: found.at, revision: found.revision }
      }
      throw new CountersignError('store_busy', 'the conversation changes all the time')
    },
    async create(owner, { title, model }) {
      if ((await list(owner)).length >= MOST_CONVERSATIONS) {
        throw new CountersignError(
          'too_large',
          `you have ${MOST_CONVERSATIONS} conversations, and more are not kept`,
          { hint: 'Delete some of them first.' },
        )
      }
      const made = await put(owner, {
        id: newId(),
        title,
        model,
        messages: [],
        turns: 0,
        at: 0,
        revision: 0,
      })
      if (!made) throw new CountersignError('store_busy', 'the conversation could not be made')
      return made
    },
    put,
    remove: async (owner, id) => removeChat(records, await place(owner, id)),
  }
}

/** A turn that waits is renewed all the time: what is there already is not written again. */
async function writePieces(
  records: Records,
  text: string,
  expiresAt: number,
  before: Pick<Head, 'pieces'> | undefined,
): Promise<ChatPieces> {
  const count = Math.ceil(text.length / PIECE)
  if (count > MOST_PIECES) {
    throw new CountersignError('too_large', 'this conversation is too long to go on', {
      hint: 'Begin a new one.',
    })
  }
  const digest = await sha256(text)
  const known = before?.pieces
  if (known?.digest === digest && known.until >= expiresAt) return known
  const name = newId()
  const until = expiresAt + SPARE_MS
  for (let at = 0; at < count; at++) {
    const piece = text.slice(at * PIECE, (at + 1) * PIECE)
    await records.put(CHAT_PIECE_RECORD, chatPieceId(name, at), piece, { expiresAt: until })
  }
  return { name, count, digest, until }
}

/** Undefined where one is gone: then the head names others by now. */
async function readPieces(
  records: Records,
  { name, count }: ChatPieces,
): Promise<string | undefined> {
  let text = ''
  for (let at = 0; at < count; at++) {
    const found = await records.get(CHAT_PIECE_RECORD, chatPieceId(name, at))
    if (typeof found?.value !== 'string') return undefined
    text += found.value
  }
  return text
}
