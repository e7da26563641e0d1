import { CountersignError } from '../base/errors.ts'
import { newId } from '../base/id.ts'
import { sha256 } from '../base/json/digest.ts'
import type { Json } from '../base/json/json.ts'
import type { Records } from '../store/records.ts'
import type { ChatMessage, Conversation, ConversationSummary } from './conversation.ts'

const KIND = 'chat'

/** A conversation as it was read: what is written next expects it to be unchanged. */
export interface KeptConversation extends Conversation {
  readonly at: number
  readonly revision: number
  /** The process that answers in it just now, and until when that is believed. */
  readonly turn?: { readonly by: string; readonly until: number }
}

export interface Conversations {
  list(owner: string): Promise<ConversationSummary[]>
  get(owner: string, id: string): Promise<KeptConversation | undefined>
  create(owner: string, first: Pick<Conversation, 'title' | 'model'>): Promise<KeptConversation>
  /** Undefined when it was changed or removed meanwhile. */
  put(owner: string, next: KeptConversation): Promise<KeptConversation | undefined>
  remove(owner: string, id: string): Promise<void>
}

export function createConversations(records: Records): Conversations {
  const place = async (owner: string, id: string) => `${await sha256(owner)}/${id}`

  async function put(owner: string, next: KeptConversation) {
    const { id, title, model, messages, turn, revision } = next
    const value = { title, model, messages, ...(turn ? { turn } : {}) } as unknown as Json
    const expect = revision === 0 ? ('absent' as const) : revision
    const kept = await records.put(KIND, await place(owner, id), value, { expect })
    return kept && { ...next, revision: kept.revision, at: kept.at }
  }

  return {
    async list(owner) {
      const prefix = await place(owner, '')
      const { records: found } = await records.list(KIND, { after: prefix })
      return found
        .filter(({ id }) => id.startsWith(prefix))
        .map(({ id, value, at }) => ({
          id: id.slice(prefix.length),
          title: (value as { title: string }).title,
          at,
        }))
        .toSorted((one, two) => two.at - one.at)
    },
    async get(owner, id) {
      const found = await records.get(KIND, await place(owner, id))
      if (!found) return undefined
      const value = found.value as unknown as Omit<KeptConversation, 'id' | 'at' | 'revision'>
      return { ...value, id, at: found.at, revision: found.revision }
    },
    async create(owner, { title, model }) {
      const messages: ChatMessage[] = []
      const made = await put(owner, { id: newId(), title, model, messages, at: 0, revision: 0 })
      if (!made) throw new CountersignError('store_busy', 'the conversation could not be made')
      return made
    },
    put,
    async remove(owner, id) {
      await records.remove(KIND, await place(owner, id))
    },
  }
}
