import type { Records, StoredRecord } from '../records.ts'

/** Servers of models that admins entered, by name; a key is sealed with one that is not in the database. */
export const MODEL_SERVER_RECORD = 'chat-model-server'
/** One conversation of one person, as `<hash of the person>/<id>`. */
export const CHAT_RECORD = 'chat'
/** What was said in it, in pieces that a record can hold. */
export const CHAT_PIECE_RECORD = 'chat-messages'

/** Names the pieces that hold the messages of a conversation, and how many there are. */
export interface ChatPieces {
  readonly name: string
  readonly count: number
  /** Of the text they hold. */
  readonly digest: string
  /** When they are cleared away. */
  readonly until: number
}

export function chatPieceId(name: string, at: number): string {
  return `${name}/${String(at).padStart(3, '0')}`
}

/** The conversations of one person, by the hash of who they are. */
export async function chatsOf(records: Records, person: string): Promise<StoredRecord[]> {
  const prefix = `${person}/`
  const found: StoredRecord[] = []
  for (let after: string | undefined = prefix; after?.startsWith(prefix); ) {
    const page = await records.list(CHAT_RECORD, { after })
    found.push(...page.records.filter(({ id }) => id.startsWith(prefix)))
    after = page.next
  }
  return found
}

export async function removeChat(records: Records, id: string): Promise<void> {
  const removed = await records.remove(CHAT_RECORD, id)
  const { pieces } = (removed?.value ?? {}) as unknown as { readonly pieces?: ChatPieces }
  await removePieces(records, pieces)
}

export async function removePieces(records: Records, pieces: ChatPieces | undefined) {
  for (let at = 0; pieces && at < pieces.count; at++) {
    await records.remove(CHAT_PIECE_RECORD, chatPieceId(pieces.name, at))
  }
}
