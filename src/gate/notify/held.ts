import type { NoticeDraft } from '../../approval/transition.ts'
import { sha256 } from '../../base/json/digest.ts'
import type { Json } from '../../base/json/json.ts'
import { allRecords, type Records, type StoredRecord } from '../../store/records.ts'
import type { Addressee } from '../people.ts'
import type { Later } from './routing.ts'

/** One notice for one person in one channel, to be sent later. Durable, so that none is forgotten. */
export interface Held {
  readonly channel: string
  readonly person: Addressee
  readonly draft: NoticeDraft
  readonly why: Later['why']
  readonly due: number
  readonly attempts: number
  /** It was tried as often as any notice is, and waits for an operator. Why it failed last. */
  readonly stuck?: string
  /** Addresses that got a digest with it already, while it is tried again at the others. */
  readonly heard?: readonly string[]
}

export interface StoredHeld extends Held {
  readonly id: string
  readonly revision: number
}

const HELD_RECORD = 'held notice'
/** Kept this long past its time, for a server that was off. */
const KEPT_MS = 7 * 86_400_000
/** What a digest told: the notice itself may still be tried for other people, and holds it no more. */
const TOLD_RECORD = 'digest told'
/** Longer than a notice is tried. */
const TOLD_MS = 86_400_000

/** The same notice for the same person is held once, and keeps its first time. Resolves to its id. */
export async function hold(records: Records, held: Held): Promise<string> {
  const { channel, draft, due } = held
  const id = (await sha256(JSON.stringify([channel, personOf(held), draft.id]))).slice(-43)
  if (await records.get(TOLD_RECORD, id)) return id
  const options = { expect: 'absent', expiresAt: due + KEPT_MS } as const
  await records.put(HELD_RECORD, id, held as unknown as Json, options)
  return id
}

/** What this channel is to send now, for this caller alone until `lease` is over. */
export async function takeDue(
  records: Records,
  channel: string,
  now: number,
  lease: number,
): Promise<readonly StoredHeld[]> {
  const due = (await all(records))
    .filter((one) => one.channel === channel && one.due <= now && one.stuck === undefined)
    // A reply before its question would be told as the question.
    .sort((a, b) => a.draft.revision - b.draft.revision || a.draft.at - b.draft.at)
  const taken: StoredHeld[] = []
  const others = new Set<string>()
  for (const { id, revision, ...held } of due) {
    // Another process began to take this digest: it takes the rest of it, too.
    if (held.why === 'digest' && others.has(personOf(held))) continue
    const mine = { ...held, due: now + lease, attempts: held.attempts + 1 }
    const options = { expect: revision, expiresAt: mine.due + KEPT_MS }
    const put = await records.put(HELD_RECORD, id, mine as unknown as Json, options)
    if (put) taken.push(read(put))
    else others.add(personOf(held))
  }
  return taken
}

export async function release(records: Records, id: string): Promise<void> {
  await records.remove(HELD_RECORD, id)
}

/** A digest told of it: the same notice is not held for this person again. */
export async function finish(records: Records, id: string, now: number): Promise<void> {
  await records.put(TOLD_RECORD, id, {}, { expiresAt: now + TOLD_MS })
  await release(records, id)
}

/** Not yet: quiet hours began since, or the channel failed. */
export async function postpone(
  records: Records,
  { id, revision, ...held }: StoredHeld,
  changes: Partial<Held> & Pick<Held, 'due'>,
): Promise<void> {
  const options = { expect: revision, expiresAt: changes.due + KEPT_MS }
  await records.put(HELD_RECORD, id, { ...held, ...changes } as unknown as Json, options)
}

/**
 * A channel failed: the next ones do not wait for their turn, nor people for those on call. Quiet
 * hours stay quiet.
 */
export async function bringForward(
  records: Records,
  approval: string,
  failed: string,
  now: number,
): Promise<void> {
  for (const { id, revision, ...held } of await all(records)) {
    const isNext = held.why === 'order' && held.channel !== failed
    const isOurs = held.draft.approval === approval && held.due > now
    if (!isOurs || !(isNext || held.why === 'on-call')) continue
    const options = { expect: revision, expiresAt: now + KEPT_MS }
    await records.put(HELD_RECORD, id, { ...held, due: now } as unknown as Json, options)
  }
}

/** What was given up, the oldest first. */
export async function stuckHeld(records: Records): Promise<readonly StoredHeld[]> {
  const stuck = (await all(records)).filter((one) => one.stuck !== undefined)
  return stuck.sort((a, b) => a.draft.at - b.draft.at)
}

/** Tries once more what was given up. Resolves to how many that are. */
export async function retryHeld(records: Records, now: number): Promise<number> {
  let retried = 0
  for (const { id, revision, stuck: _, ...held } of await stuckHeld(records)) {
    const again = { ...held, due: now, attempts: 0 }
    const options = { expect: revision, expiresAt: now + KEPT_MS }
    if (await records.put(HELD_RECORD, id, again as unknown as Json, options)) retried += 1
  }
  return retried
}

/** Who it is for: one text for each person. */
export function personOf({ person: { issuer, subject } }: Held): string {
  return JSON.stringify([issuer, subject])
}

async function all(records: Records): Promise<readonly StoredHeld[]> {
  return (await allRecords(records, HELD_RECORD)).map(read)
}

function read({ id, revision, value }: StoredRecord): StoredHeld {
  return { ...(value as unknown as Held), id, revision }
}
