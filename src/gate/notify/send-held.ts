import type { Approval } from '../../approval/approval.ts'
import type { NoticeDraft } from '../../approval/transition.ts'
import { isCountersignError } from '../../base/errors.ts'
import { problemText } from '../../store/outbox.ts'
import type { Store } from '../../store/store.ts'
import {
  type AddressedChannel,
  type Addressing,
  type Attempt,
  heldAddresses,
  sendHeldTo,
} from './addressed.ts'
import type { Channel, NotDelivered, Notice } from './channel.ts'
import {
  bringForward,
  finish,
  personOf,
  postpone,
  release,
  type StoredHeld,
  takeDue,
} from './held.ts'
import { type RoutingPolicy, wishesOf } from './route-people.ts'
import { laterFor } from './routing.ts'

/** How the channel tells, and how often it tries. */
export interface Telling {
  readonly store: Store
  readonly routing: RoutingPolicy
  /** As the channel may tell it now; undefined: it is no longer worth telling. */
  readonly told: (draft: NoticeDraft) => Promise<Told | undefined>
  readonly addressing: (draft: NoticeDraft) => Addressing
  readonly sendTogether: (
    channel: Channel,
    notices: readonly Notice[],
    address: string,
  ) => Promise<Attempt>
  readonly failureOf: (error: unknown) => NotDelivered
  /** Milliseconds until the next attempt. */
  readonly pauseAfter: (attempts: number, wanted?: number) => number
  readonly lease: number
  readonly mostAttempts: number
  readonly report: (line: string) => void
}

interface Told {
  readonly approval: Approval
  readonly notice: Notice
}

/** Sends what people wanted to hear of later, once that time has come. */
export async function sendDue(channel: AddressedChannel, telling: Telling): Promise<void> {
  const { store, lease } = telling
  const due = await takeDue(store.records, channel.name, await store.now(), lease)
  for (const together of batchesOf(channel, due)) {
    const ready: Ready[] = []
    for (const held of together) {
      const now = await readyOf(channel, held, telling)
      if ('state' in now) await note(channel, held, now, telling)
      else ready.push(now)
    }
    const [only] = ready
    // A single one is a message of its own, which is settled in its place later.
    if (only && ready.length === 1 && !only.held.heard?.length) {
      await note(channel, only.held, await sendOne(channel, only, telling), telling)
    } else if (only) await sendBatch(channel, ready, telling)
  }
}

/** What one person gets in one message. */
function batchesOf(
  channel: Channel,
  due: readonly StoredHeld[],
): readonly (readonly StoredHeld[])[] {
  const batches = new Map<string, StoredHeld[]>()
  for (const held of due) {
    const isTogether = held.why === 'digest' && channel.sendDigest !== undefined
    const key = isTogether ? personOf(held) : held.id
    const batch = batches.get(key)
    if (batch) batch.push(held)
    else batches.set(key, [held])
  }
  return [...batches.values()]
}

type End =
  | { readonly state: 'over' }
  | { readonly state: 'quiet'; readonly until: number }
  | { readonly state: 'failed'; readonly failure: NotDelivered }

interface Ready extends Told {
  readonly held: StoredHeld
}

async function readyOf(
  channel: Channel,
  held: StoredHeld,
  { store, routing, told }: Telling,
): Promise<Ready | End> {
  const now = await told(held.draft)
  if (!now) return { state: 'over' }
  const parts = { records: store.records, policy: routing }
  const { digests: _, ...wishes } = await wishesOf(parts, now.notice, held.person)
  // The turn of a channel can come inside of quiet hours that began after the question.
  const moment = { now: await store.now(), channel: channel.name, earlier: 0 }
  const later = laterFor(wishes, now.notice, moment)
  return later ? { state: 'quiet', until: later.due } : { held, ...now }
}

async function sendOne(
  channel: AddressedChannel,
  { held: { person, draft }, notice, approval }: Ready,
  telling: Telling,
): Promise<End> {
  return ended(telling, () =>
    sendHeldTo(channel, person, notice, approval, telling.addressing(draft)),
  )
}

/** One message to each address. Where one of them fails, it alone is tried again. */
async function sendBatch(
  channel: AddressedChannel,
  ready: readonly Ready[],
  telling: Telling,
): Promise<void> {
  const heard = new Map<Ready, readonly string[]>()
  const end = await ended(telling, async () => {
    const byAddress = new Map<string, Ready[]>()
    for (const one of ready) {
      const { held, notice, approval } = one
      const parts = telling.addressing(held.draft)
      const found = await heldAddresses(channel, held.person, notice, approval, parts)
      for (const { address } of found) {
        if (held.heard?.includes(address)) continue
        byAddress.set(address, [...(byAddress.get(address) ?? []), one])
      }
    }
    let worst: NotDelivered | undefined
    for (const [address, together] of byAddress) {
      const notices = together.map(({ notice }) => notice)
      const { failure } = await telling.sendTogether(channel, notices, address)
      // The next channels need not wait for one that reaches this person no more.
      if (failure?.gone) {
        for (const { held } of together) await telling.addressing(held.draft).onFailure()
      } else if (failure) worst = failure
      if (failure && !failure.gone) continue
      for (const one of together) heard.set(one, [...(heard.get(one) ?? []), address])
    }
    return worst
  })
  // The same for all, so that they stay together.
  const most = Math.max(...ready.map(({ held }) => held.attempts))
  const pause =
    end.state === 'failed' ? telling.pauseAfter(most, end.failure.retryAfter) : undefined
  for (const one of ready) {
    const held = { ...one.held, heard: [...(one.held.heard ?? []), ...(heard.get(one) ?? [])] }
    if (end.state === 'over')
      await finish(telling.store.records, held.id, await telling.store.now())
    else await note(channel, held, end, telling, pause)
  }
}

async function ended(
  { failureOf }: Telling,
  send: () => Promise<NotDelivered | undefined>,
): Promise<End> {
  try {
    const failure = await send()
    return failure ? { state: 'failed', failure } : { state: 'over' }
  } catch (error) {
    // Addresses are found with the help of other machines, and a failing one must not end this lane.
    if (isCountersignError(error)) throw error
    return { state: 'failed', failure: failureOf(error) }
  }
}

async function note(
  channel: Channel,
  held: StoredHeld,
  end: End,
  { store, pauseAfter, mostAttempts, report }: Telling,
  pause?: number,
): Promise<void> {
  const { records } = store
  const { draft, attempts } = held
  if (end.state === 'over') return release(records, held.id)
  if (end.state === 'quiet') {
    const why = held.why === 'digest' ? 'digest' : 'quiet'
    return postpone(records, held, { due: end.until, why, attempts: attempts - 1 })
  }
  const { gone, message, retryAfter } = end.failure
  const now = await store.now()
  if (gone) {
    report(`notice ${draft.id} was given up in ${channel.name}`)
    return release(records, held.id)
  }
  await bringForward(records, draft.approval, channel.name, now)
  if (attempts < mostAttempts) {
    return postpone(records, held, { due: now + (pause ?? pauseAfter(attempts, retryAfter)) })
  }
  report(`notice ${draft.id} is stuck in ${channel.name}: ${message}`)
  await postpone(records, held, { due: now, stuck: problemText(message) })
}
