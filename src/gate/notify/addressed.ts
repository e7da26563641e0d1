import type { Approval } from '../../approval/approval.ts'
import { lockOnPerson } from '../../approval/locks/lock.ts'
import { hasStake, type Named } from '../../approval/people/person.ts'
import { isTalk } from '../../approval/transition.ts'
import type { Approver } from '../../base/oversight.ts'
import type { Store } from '../../store/store.ts'
import { lockCopy } from '../admin/operator-state.ts'
import type { Addressee, People } from '../people.ts'
import { type Channel, type Delivery, NotDelivered, type Notice } from './channel.ts'
import { keepMessage, messagesOf, type StoredMessage } from './messages.ts'
import type { Audience } from './route-people.ts'
import { shared } from './share.ts'

/** A channel that keeps one message per address and approval. */
export type AddressedChannel = Channel & Required<Pick<Channel, 'addresses'>>

export function isAddressed(channel: Channel): channel is AddressedChannel {
  return channel.addresses !== undefined
}

export interface Addressing {
  readonly store: Store
  readonly people: Pick<People, 'reachable'>
  /** Sends once; resolves to why it did not get through. */
  readonly sendOnce: (delivery: Delivery, notice: Notice) => Promise<Attempt>
  /** Who of these is told now; the others are written down for later. */
  readonly toldNow: (
    notice: Notice,
    people: readonly Addressee[],
    audience: Audience,
  ) => Promise<readonly Addressee[]>
  /** Told when an address could not be reached. */
  readonly onFailure: () => Promise<void>
  /** What is true of the approval now, as this channel may tell it: its end, once it has ended. */
  readonly renewed: () => Promise<Notice | undefined>
  /**
   * Set when this notice was tried before: an address that has heard of this revision since, by a
   * notice that came later, needs it no more.
   */
  readonly since?: number
}

export interface Attempt {
  readonly ref?: string | undefined
  readonly failure?: NotDelivered
}

/** Messages under way at once in one channel. */
const AT_ONCE = 4
/** New messages begin only within this time, so that the lease outlasts the last of them. */
const BEGIN_WITHIN_MS = 20_000
/** Longer than one attempt may take. A sender that died is followed by another after this. */
const UNDER_WAY_MS = 40_000
/** When an address is tried again at which another notice is under way. */
const BUSY_MS = 1_000

/**
 * Sends a notice to each address that has not got it yet, and settles what other addresses were
 * told. A crash at any moment leaves a record of what was sent, or may have been.
 */
export async function sendToAddresses(
  channel: AddressedChannel,
  notice: Notice,
  approval: Approval,
  parts: Addressing,
): Promise<NotDelivered | undefined> {
  const { store } = parts
  const sent = await messagesOf(store.records, channel.name, approval.id)
  const all = await peopleFor(notice, approval, parts)
  const audience = { approval, names: namesFor(notice, approval) }
  const people = await parts.toldNow(notice, all, audience)
  const found = await channel.addresses(notice, people)
  // Of those who are asked, and hear of this later.
  const later =
    notice.question && settles(notice) && people.length < all.length
      ? (await channel.addresses(notice, all)).filter((address) => !found.includes(address))
      : []
  const isVote = notice.kind === 'voted'
  // A vote is news for those who have the question, and asks no other person. It makes no sound, so
  // it waits for no hour.
  const named = [...found, ...(isVote ? later : [])].filter(
    (address) => !isVote || isTold(sent, address),
  )
  const told = settles(notice) && !isVote ? sent.map((one) => one.address) : []
  // What is settled at an address counts as told there: a person who waits for it would never hear of it.
  const addresses = new Set([...named, ...told.filter((address) => !later.includes(address))])
  const left = [...addresses].filter((address) => !isDone(sent, address, notice, parts.since))
  const started = performance.now()
  const failures: NotDelivered[] = []

  async function work(): Promise<void> {
    for (let address = left.shift(); address !== undefined; address = left.shift()) {
      if (performance.now() - started > BEGIN_WITHIN_MS) {
        failures.push(new NotDelivered('there are more people to tell'))
        return
      }
      const known = sent.find((one) => one.address === address)
      const one = { address, settles: !named.includes(address), known, notice }
      const failure = await sendToOne(channel, one, approval, parts)
      if (failure) failures.push(failure)
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, left.length) }, work))
  if (failures.length > 0) await parts.onFailure()
  return worstOf(failures)
}

/**
 * Sends what was held for one person, if it is still theirs to hear and they were not told since.
 * Resolves to why it did not get through.
 */
export async function sendHeldTo(
  channel: AddressedChannel,
  person: Addressee,
  notice: Notice,
  approval: Approval,
  parts: Addressing,
): Promise<NotDelivered | undefined> {
  const failures: NotDelivered[] = []
  for (const { address, known } of await heldAddresses(channel, person, notice, approval, parts)) {
    const one = { address, settles: false, known, notice }
    const failure = await sendToOne(channel, one, approval, parts)
    if (failure) failures.push(failure)
  }
  return worstOf(failures)
}

export interface HeldAddress {
  readonly address: string
  readonly known: StoredMessage | undefined
}

/** Where a person has not heard of it, if it is still theirs to hear. */
export async function heldAddresses(
  channel: AddressedChannel,
  person: Addressee,
  notice: Notice,
  approval: Approval,
  parts: Addressing,
): Promise<readonly HeldAddress[]> {
  const still = (await peopleFor(notice, approval, parts)).filter(
    (one) => one.issuer === person.issuer && one.subject === person.subject,
  )
  const [own, rooms] = await Promise.all([
    still.length === 0 ? [] : channel.addresses(notice, still),
    channel.addresses(notice, []),
  ])
  // A place that several people read was told at once.
  const addresses = own.filter((address) => !rooms.includes(address))
  const sent = await messagesOf(parts.store.records, channel.name, approval.id)
  return addresses
    .map((address) => ({ address, known: sent.find((one) => one.address === address) }))
    .filter(
      ({ known }) =>
        !(known?.state === 'gone' || (known?.state === 'sent' && isAfter(known, notice))),
    )
}

/** Whether this address was told of the same or of something newer. What was said is in no other message. */
function isAfter(
  { notice: last, revision }: StoredMessage,
  { id, kind, approval }: Notice,
): boolean {
  return last === id || (!isTalk(kind) && revision >= approval.revision)
}

interface ToOne {
  readonly address: string
  readonly settles: boolean
  readonly known: StoredMessage | undefined
  readonly notice: Notice
}

/** Attempts to tell one address, each of what is true by then. */
const TURNS = 3

async function sendToOne(
  channel: AddressedChannel,
  { address, settles, known, notice }: ToOne,
  approval: Approval,
  { store, sendOnce, renewed, onFailure }: Addressing,
): Promise<NotDelivered | undefined> {
  let before = known
  let posted: string | undefined
  let saying: Notice | undefined = notice
  for (let turn = 0; turn < TURNS && saying; turn++) {
    const {
      id,
      approval: { revision },
    }: Notice = saying
    const own = { channel: channel.name, address, notice: id }
    const { ref } = before ?? {}
    // Of the first message it is not even known whether it is there.
    const repeated = before?.state === 'sending' && (ref === undefined || before.notice === id)
    const now = await store.now()
    const isBusy = before?.state === 'sending' && before.notice !== id && (before.until ?? 0) > now
    if (isBusy) return new NotDelivered('another message is under way', { retryAfter: BUSY_MS })
    const told = before?.revision ?? 0
    const intent = { ...own, ref, revision: told, state: 'sending' } as const
    const begin = { ...withRef(intent), until: now + UNDER_WAY_MS }
    // Written first: after a crash it is known that the message may be there already.
    const begun = await keepMessage(store.records, approval, begin, before?.at)
    if (begun) {
      const previous = ref === undefined ? {} : { previous: { ref, revision: begun.revision } }
      // What the call became is no news for an address that is no longer asked.
      const said = settles && saying.question ? shared(saying, 'name') : saying
      const { failure, ref: made = ref } = await sendOnce(
        { address, settles, repeated, ...previous },
        said,
      )
      posted = made
      if (failure && !failure.gone) {
        // It is over, though not known whether it got through: the next notice need not wait.
        await keepMessage(store.records, approval, withRef(intent), begun.at)
        return failure
      }
      const state = failure ? 'gone' : 'sent'
      const end = { ...own, ref: made, revision, state } as const
      if (await keepMessage(store.records, approval, withRef(end), begun.at)) {
        // It is not tried again, so no later failure makes room for the next channel.
        if (failure) await onFailure()
        return undefined
      }
    }
    // Another process told this address something meanwhile. What is true now is said once more,
    // because its message and ours may have arrived in either order.
    saying = await renewed()
    const sent = await messagesOf(store.records, channel.name, approval.id)
    const found = sent.find((one) => one.address === address)
    // Ours is there although the other one did not know of it: it must not stay as it is.
    before = found && posted !== undefined ? { ref: posted, ...found } : found
    if (!saying && before && found?.ref === undefined) {
      await keepMessage(store.records, approval, before, before.at)
    }
    // It was never asked here, so its end is no news.
    if (notice.question && saying?.question === false && before?.ref === undefined) return undefined
  }
  return saying && new NotDelivered('several processes told this address at once')
}

function withRef<T extends { readonly ref: string | undefined }>({ ref, ...message }: T) {
  return { ...message, ...(ref === undefined ? {} : { ref }) }
}

/** The end of a question, its votes, and another in its place change what addresses were told. */
function settles({ kind, question }: Notice): boolean {
  return kind === 'changed' || kind === 'voted' || (!question && kind !== 'unreachable')
}

function isTold(sent: readonly StoredMessage[], address: string): boolean {
  return sent.some((one) => one.address === address)
}

function isDone(
  sent: readonly StoredMessage[],
  address: string,
  { id }: Notice,
  since = Number.POSITIVE_INFINITY,
): boolean {
  return sent.some(
    (one) =>
      one.address === address &&
      (one.state === 'gone' ||
        (one.state === 'sent' && one.notice === id) ||
        (one.state === 'sent' && one.revision >= since)),
  )
}

/** The people behind `to`, without those who are locked, were removed, or may not answer. */
async function peopleFor(
  notice: Notice,
  approval: Approval,
  { store, people }: Addressing,
): Promise<readonly Addressee[]> {
  const { call, level } = approval
  const found = (await people.reachable?.(namesFor(notice, approval))) ?? []
  const copy = lockCopy(store)
  const locks = await copy.current()
  return found.filter((one) => {
    const named: Named = { issuer: '', ...one, emailVerified: one.email !== undefined }
    const isAnswer = notice.question && !FOR_ASKERS.includes(notice.kind)
    const isAsker = isAnswer && level === 'review' && hasStake(named, call)
    return !isAsker && !lockOnPerson(locks, named, copy.now())
  })
}

/**
 * A rule that names no approvers asks all of them; a question that its own user may answer is put to
 * that user alone, where their address is known.
 */
function namesFor(
  { to, kind, question }: Notice,
  { level, call, requirements }: Approval,
): readonly Approver[] {
  if (!question || NAMED.includes(kind)) return to
  const { email } = call.principal ?? {}
  if (level === 'confirm' && email !== undefined) return [{ email }]
  const isOpen = requirements.some((one) => one.approvers.length === 0 && one.quorum.length === 0)
  return isOpen || level === 'confirm' ? [...to, '*'] : to
}

/** Told to those it names, and to no others. */
const NAMED: readonly Notice['kind'][] = ['escalated', 'assigned', 'questioned']
/** Told also to people with a stake in the call: they cannot decide, and may reply. */
const FOR_ASKERS: readonly Notice['kind'][] = ['questioned', 'commented']

/** The one that is waited for longest. */
function worstOf(failures: readonly NotDelivered[]): NotDelivered | undefined {
  return failures.reduce<NotDelivered | undefined>(
    (worst, one) => (worst && (worst.retryAfter ?? 0) >= (one.retryAfter ?? 0) ? worst : one),
    undefined,
  )
}
