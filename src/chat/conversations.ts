import { CountersignError } from '../base/errors.ts'
import { newId } from '../base/id.ts'
import { sha256 } from '../base/json/digest.ts'
import type { Json } from '../base/json/json.ts'
import type { Records } from '../store/records.ts'
import type { Store } from '../store/store.ts'
import type { ChatMessage, Conversation, ConversationSummary } from './conversation.ts'

const KIND = 'chat'
const PIECES = 'chat-messages'
/** Characters of one record, which holds 65,536 bytes: some take three of them, and quotes are escaped. */
const PIECE = 10_000
/** About 1.5 million characters: more than any model reads. */
const MOST_PIECES = 150
/** Since it last changed. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000

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
  /** Names the pieces that hold the messages, and how many there are. */
  readonly pieces: { readonly name: string; readonly count: number }
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
    const found = await records.get(KIND, at)
    return found && { ...found, value: found.value as unknown as Head }
  }

  async function put(owner: string, next: KeptConversation) {
    const { id, title, model, messages, turns, turn, revision } = next
    const at = await place(owner, id)
    const before = await head(at)
    if ((before?.revision ?? 0) !== revision) return undefined
    const expiresAt = (await now()) + KEPT_MS
    const pieces = await writePieces(records, JSON.stringify(messages), expiresAt)
    const value = { title, model, turns, pieces, ...(turn ? { turn } : {}) } as unknown as Json
    const expect = revision === 0 ? ('absent' as const) : revision
    const kept = await records.put(KIND, at, value, { expect, expiresAt })
    await dropPieces(records, kept ? before?.value.pieces : pieces)
    return kept && { ...next, revision: kept.revision, at: kept.at }
  }

  return {
    async list(owner) {
      const prefix = await place(owner, '')
      const found: ConversationSummary[] = []
      for (let after: string | undefined = prefix; after?.startsWith(prefix); ) {
        const page = await records.list(KIND, { after })
        for (const { id, value, at } of page.records) {
          if (!id.startsWith(prefix)) break
          const { title } = value as unknown as Head
          found.push({ id: id.slice(prefix.length), title, at })
        }
        after = page.next
      }
      return found.toSorted((one, two) => two.at - one.at)
    },
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
    async remove(owner, id) {
      const at = await place(owner, id)
      const removed = await records.remove(KIND, at)
      await dropPieces(records, (removed?.value as unknown as Head | undefined)?.pieces)
    },
  }
}

type Pieces = Head['pieces']
const pieceOf = (name: string, at: number) => `${name}/${String(at).padStart(3, '0')}`

async function writePieces(records: Records, text: string, expiresAt: number): Promise<Pieces> {
  const count = Math.ceil(text.length / PIECE)
  if (count > MOST_PIECES) {
    throw new CountersignError('too_large', 'this conversation is too long to go on', {
      hint: 'Begin a new one.',
    })
  }
  const name = newId()
  for (let at = 0; at < count; at++) {
    const piece = text.slice(at * PIECE, (at + 1) * PIECE)
    await records.put(PIECES, pieceOf(name, at), piece, { expiresAt })
  }
  return { name, count }
}

/** Undefined where one is gone: then the head names others by now. */
async function readPieces(records: Records, { name, count }: Pieces): Promise<string | undefined> {
  let text = ''
  for (let at = 0; at < count; at++) {
    const found = await records.get(PIECES, pieceOf(name, at))
    if (typeof found?.value !== 'string') return undefined
    text += found.value
  }
  return text
}

async function dropPieces(records: Records, pieces: Pieces | undefined): Promise<void> {
  if (!pieces) return
  for (let at = 0; at < pieces.count; at++) await records.remove(PIECES, pieceOf(pieces.name, at))
}
