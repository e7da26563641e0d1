import type { Approval } from '../../approval/approval.ts'
import { lockOnPerson } from '../../approval/locks/lock.ts'
import { hasStake, type Named } from '../../approval/people/person.ts'
import type { Approver } from '../../base/oversight.ts'
import type { Store } from '../../store/store.ts'
import { lockCopy } from '../admin/operator-state.ts'
import type { Addressee, People } from '../people.ts'
import { type Channel, type Delivery, NotDelivered, type Notice } from './channel.ts'
import { keepMessage, messagesOf, type StoredMessage } from './messages.ts'
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
  /** What is true of the approval now, as this channel may tell it. */
  readonly renewed: () => Promise<Notice | undefined>
}

export interface Attempt {
  readonly ref?: string | undefined
  readonly failure?: NotDelivered
}

/** Messages under way at once in one channel. */
const AT_ONCE = 4
/** New messages begin only within this time, so that the lease outlasts the last of them. */
const BEGIN_WITHIN_MS = 20_000

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
  const people = await peopleFor(notice, approval, parts)
  const named = await channel.addresses(notice, people)
  const addresses = new Set([...named, ...(settles(notice) ? sent.map((one) => one.address) : [])])
  const left = [...addresses].filter((address) => !isDone(sent, address, notice))
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
  return worstOf(failures)
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
  { store, sendOnce, renewed }: Addressing,
): Promise<NotDelivered | undefined> {
  let before = known
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
    const intent = { ...own, ref, revision: before?.revision ?? 0, state: 'sending' } as const
    // Written first: after a crash it is known that the message may be there already.
    const begun = await keepMessage(store.records, approval, withRef(intent), before?.at)
    if (begun) {
      const previous = ref === undefined ? {} : { previous: { ref, revision: begun.revision } }
      // What the call became is no news for an address that is no longer asked.
      const said = settles && saying.question ? shared(saying, 'name') : saying
      const { failure, ref: made = ref } = await sendOnce(
        { address, settles, repeated, ...previous },
        said,
      )
      if (failure && !failure.gone) return failure
      const state = failure ? 'gone' : 'sent'
      const end = { ...own, ref: made, revision, state } as const
      if (await keepMessage(store.records, approval, withRef(end), begun.at)) return undefined
    }
    // Another process told this address something meanwhile. What is true now is said once more,
    // because its message and ours may have arrived in either order.
    saying = await renewed()
    const sent = await messagesOf(store.records, channel.name, approval.id)
    before = sent.find((one) => one.address === address)
  }
  return saying && new NotDelivered('several processes told this address at once')
}

function withRef<T extends { readonly ref: string | undefined }>({ ref, ...message }: T) {
  return { ...message, ...(ref === undefined ? {} : { ref }) }
}

/** The end of a question, and another question in its place, concern all who were asked it. */
function settles({ kind, question }: Notice): boolean {
  return kind === 'changed' || (!question && kind !== 'unreachable')
}

function isDone(sent: readonly StoredMessage[], address: string, { id }: Notice): boolean {
  return sent.some(
    (one) =>
      one.address === address &&
      (one.state === 'gone' || (one.state === 'sent' && one.notice === id)),
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
    const isAsker = notice.question && level === 'review' && hasStake(named, call)
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
  if (!question || kind === 'escalated') return to
  const { email } = call.principal ?? {}
  if (level === 'confirm' && email !== undefined) return [{ email }]
  const isOpen = requirements.some((one) => one.approvers.length === 0 && one.quorum.length === 0)
  return isOpen || level === 'confirm' ? [...to, '*'] : to
}

/** The one that is waited for longest. */
function worstOf(failures: readonly NotDelivered[]): NotDelivered | undefined {
  return failures.reduce<NotDelivered | undefined>(
    (worst, one) => (worst && (worst.retryAfter ?? 0) >= (one.retryAfter ?? 0) ? worst : one),
    undefined,
  )
}
