import { sha256 } from '../../base/json/digest.ts'
import { isPlainObject, type Json } from '../../base/json/json.ts'
import type { Records, StoredRecord } from '../../store/records.ts'

/** What a channel sent to one address about one approval, so that it can be settled in place. */
export interface Message {
  readonly channel: string
  readonly address: string
  /** Names it for the channel; absent while the first attempt is under way. */
  readonly ref?: string
  /** Of the approval, as this address was last told. */
  readonly revision: number
  /** The notice that was last sent, or is being sent. */
  readonly notice: string
  readonly state: 'sending' | 'sent' | 'gone'
  /** While it is being sent: no other message goes to this address before then. */
  readonly until?: number
}

export interface StoredMessage extends Message {
  /** Of the record: two processes cannot both continue from the same one. */
  readonly at: number
}

/** The kind of record it is kept as, by approval. */
export const MESSAGE_RECORD = 'channel message'
/** Kept this long after the approval's deadline; nothing changes about a call after that. */
const KEPT_MS = 30 * 86_400_000
const LONGEST_REF = 1_000

/** Everything this channel sent about the approval. */
export async function messagesOf(
  records: Records,
  channel: string,
  approval: string,
): Promise<readonly StoredMessage[]> {
  const prefix = `${approval}/`
  const found: StoredMessage[] = []
  for (let after: string | undefined = prefix; after?.startsWith(prefix); ) {
    const page = await records.list(MESSAGE_RECORD, { after })
    found.push(...page.records.filter(({ id }) => id.startsWith(prefix)).flatMap(readMessage))
    after = page.next
  }
  return found.filter((one) => one.channel === channel)
}

/** Undefined when another process wrote about this address in the meantime. */
export async function keepMessage(
  records: Records,
  { id, decideBy }: { readonly id: string; readonly decideBy: number },
  { channel, address, ref, revision, notice, state, until }: Message,
  expect: number | undefined,
): Promise<StoredMessage | undefined> {
  if (ref !== undefined && ref.length > LONGEST_REF) throw new Error('the ref is too long')
  const value = {
    ...{ channel, address, revision, notice, state },
    ...(ref === undefined ? {} : { ref }),
    ...(until === undefined ? {} : { until }),
  }
  const name = `${id}/${(await sha256(JSON.stringify([channel, address]))).slice(-43)}`
  const options = { expect: expect ?? 'absent', expiresAt: decideBy + KEPT_MS } as const
  const stored = await records.put(MESSAGE_RECORD, name, value as Json, options)
  return stored && { ...value, at: stored.revision }
}

function readMessage({ value, revision: at }: StoredRecord): StoredMessage[] {
  return isPlainObject(value) ? [{ ...(value as unknown as Message), at }] : []
}
