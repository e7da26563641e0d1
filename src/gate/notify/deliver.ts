import type { Approval } from '../../approval/approval.ts'
import type { PersonName } from '../../approval/people/person.ts'
import { isQuestion, isTalk, type NoticeDraft } from '../../approval/transition.ts'
import { isCountersignError } from '../../base/errors.ts'
import type { NoticeEnd, Taken } from '../../store/outbox.ts'
import type { Store } from '../../store/store.ts'
import type { Deputy } from '../admin/stand-ins.ts'
import type { People } from '../people.ts'
import type { Probe } from '../probe.ts'
import { type Addressing, type Attempt, isAddressed, sendToAddresses } from './addressed.ts'
import {
  type Channel,
  type Delivery,
  NotDelivered,
  type Notice,
  type SentMessage,
} from './channel.ts'
import { bringForward } from './held.ts'
import { type Moment, noticeOf } from './notice.ts'
import { NO_ROUTING, type RoutingPolicy, toldNow } from './route-people.ts'
import { sendDue } from './send-held.ts'
import { shared } from './share.ts'
import { decidersOf, progressOf } from './who-decided.ts'

export interface DelivererOptions {
  readonly store: Store
  readonly channels: readonly Channel[]
  /** Where an approval is looked at, for people. */
  readonly link?: (id: string) => string | undefined
  /** Who the people behind a notice are, for channels that tell each of them. */
  readonly people?: Pick<People, 'reachable' | 'nameOf'>
  /** Channels by the policy, and who is on call. All at once unless set. */
  readonly routing?: RoutingPolicy
  /** Who is told in the place of an absent approver. */
  readonly deputies?: (approval: Approval) => Promise<readonly Deputy[]>
  /** Who is told of a question without eligible approvers, besides the person who waits for it. */
  readonly admins?: () => Promise<readonly PersonName[]>
  /** Milliseconds between two looks; changes are noticed sooner. One second unless set. */
  readonly every?: number
  /** Milliseconds between two looks at what was held; 5 seconds unless set. */
  readonly heldEvery?: number
  /** Told in one line of what needs an operator: no secrets, no arguments. */
  readonly report?: (line: string) => void
  readonly probe?: Probe
}

export interface Deliverer {
  /** Resolves when whatever happens from now on is written down for every channel. */
  opened(): Promise<void>
  /** Sends everything that is due. Resolves to how many notices were settled. */
  deliver(): Promise<number>
  /** Sends no more; resolves when what is under way is over. */
  stop(): Promise<void>
}

/** Attempts before a notice is stuck: with these pauses, about two and a half hours. */
export const MAX_ATTEMPTS = 15
const FIRST_PAUSE = 1_000
const LONGEST_PAUSE = 3_600_000
/** How long one attempt may take, and how long no other process tries meanwhile. */
const SEND_MS = 30_000
const LEASE_MS = 60_000
const AT_ONCE = 8
/** How long the next notice of an approval waits for one that is under way to several addresses. */
const PATIENCE_MS = 5_000
const EVERY = 1_000
const SEEN_EVERY = 3_600_000
/** How often what was held is looked through. */
const HELD_EVERY = 5_000

/**
 * Tells people what the outbox holds. Any number of these may run anywhere; each notice is sent at
 * least once, and as a question only as long as there is one.
 */
export function startDeliverer(options: DelivererOptions): Deliverer {
  const { store, channels, every = EVERY } = options
  const lanes = channels.map((channel) => createLane(channel, options))

  // A look that fails is made up for by the next one; a store that is closed has no next one.
  const look = () => {
    deliver().catch((error: unknown) => {
      if (isCountersignError(error, 'store_closed')) void stop()
    })
  }
  const leave = store.subscribe(look)
  const timer: unknown = setInterval(look, every)
  // The next process sends what is left: not worth keeping this one alive for.
  ;(timer as { unref?: () => void }).unref?.()
  look()

  async function deliver(): Promise<number> {
    const settled = await Promise.all(lanes.map((lane) => lane.deliver()))
    return settled.reduce((sum, count) => sum + count, 0)
  }

  async function stop(): Promise<void> {
    leave()
    clearInterval(timer as Parameters<typeof clearInterval>[0])
    await Promise.all(lanes.map((lane) => lane.stop()))
  }

  return {
    opened: async () => {
      await Promise.all(lanes.map((lane) => lane.opened()))
    },
    deliver,
    stop,
  }
}

/** One channel. Each has its own, so that a slow one does not hold up the others. */
function createLane(channel: Channel, options: DelivererOptions): Deliverer {
  const { store, report = () => {}, probe = () => {}, heldEvery = HELD_EVERY } = options
  const routing = options.routing ?? NO_ROUTING
  let delivering: Promise<number> | undefined
  let opening: Promise<void> | undefined
  let openedAt = Number.NEGATIVE_INFINITY
  let isWanted = false
  let isStopped = false
  let isShut = false
  let isServed = channel.isIdle === undefined
  let isFirst = true
  let heldAt = Number.NEGATIVE_INFINITY
  let wake = () => {}

  /** False while it has no address and never had one. Then it is served for good. */
  async function served(): Promise<boolean> {
    if (isServed) return true
    // A process before may have opened it, and what was written down since then is to be sent.
    const known = isFirst ? (await store.outbox.summary()).channels : []
    isFirst = false
    isServed = known.some(({ name }) => name === channel.name) || !(await channel.isIdle?.())
    return isServed
  }

  /** Records that this channel is served: at the start, and now and then. */
  function opened(): Promise<void> {
    if (isShut || performance.now() - openedAt < SEEN_EVERY) return DONE
    opening ??= store.outbox
      .open(channel.name, channel.kinds)
      .then(() => {
        openedAt = performance.now()
      })
      .finally(() => {
        opening = undefined
      })
    return opening
  }

  /** Takes what is due as long as there is room: a slow notice holds up no other approval. */
  async function deliverAll(): Promise<number> {
    const most = channel.atOnce ?? AT_ONCE
    const underWay = new Set<Promise<void>>()
    let settled = 0
    let failed: { readonly error: unknown } | undefined
    try {
      while (!isStopped && !failed && (isWanted || underWay.size > 0)) {
        if (isWanted && underWay.size < most) {
          isWanted = false
          if (!(await served())) break
          await opened()
          await sendHeld()
          for (const one of await take(most - underWay.size)) begin(one)
        }
        // What follows one of these can be taken once that is settled.
        const woken = new Promise<void>((resolve) => {
          wake = resolve
        })
        const hasRoom = isWanted && underWay.size < most
        if (underWay.size > 0 && !hasRoom) await Promise.race([...underWay, woken])
      }
      // Not even a turn where there is none: what is wanted in it would be forgotten.
      if (underWay.size > 0) await Promise.all(underWay)
      if (failed) throw failed.error
    } finally {
      // In the turn of the last look: what is wanted a moment later begins anew.
      delivering = undefined
    }
    return settled

    function begin(one: Taken): void {
      settled += 1
      const work = deliverOne(one)
        .catch((error: unknown) => {
          failed ??= { error }
        })
        .finally(() => {
          underWay.delete(work)
          isWanted = true
        })
      underWay.add(work)
    }
  }

  function take(limit: number): Promise<readonly Taken[]> {
    // One message after the other at each address: there, and only there, the order is kept.
    const patience = isAddressed(channel) ? { patience: PATIENCE_MS } : {}
    return store.outbox.take([channel.name], { limit, lease: LEASE_MS, ...patience })
  }

  async function deliverOne(taken: Taken): Promise<void> {
    const end = await attempt(taken)
    await store.outbox.settle(taken, end)
    if (end.end === 'stuck') {
      report(`notice ${taken.id} is stuck in ${channel.name}: ${end.problem}`)
    }
  }

  async function attempt(taken: Taken): Promise<NoticeEnd> {
    if (channel.kinds?.includes(taken.kind) === false) return { end: 'done' }
    if (taken.kind === 'commented' && isAddressed(channel) && !channel.followsUp) {
      return { end: 'done' }
    }
    const now = await told(taken)
    if (!now) return { end: 'done' }
    const { approval, notice } = now
    await probe('notice.taken', approval)
    const failure = await deliverNotice(taken, notice, approval)
    await probe('notice.sent', approval)
    if (failure === undefined) return { end: 'done' }
    const { message: problem } = failure
    if (failure.gone) await shut(problem)
    if (failure.gone || taken.attempts >= MAX_ATTEMPTS) return { end: 'stuck', problem }
    return { end: 'later', after: pauseAfter(taken.attempts, failure.retryAfter), problem }
  }

  /** As this channel may tell it now; undefined: it is no longer worth telling. */
  async function told(taken: NoticeDraft, orEnd?: 'or its end'): Promise<Told | undefined> {
    // At once, because a workflow may be waiting for this.
    const [approval, content, now] = await Promise.all([
      store.get(taken.approval),
      store.content(taken.approval),
      store.now(),
    ])
    if (!approval) return undefined
    const moment = await momentFor(taken, approval, now)
    const { status } = approval
    const end = orEnd && status !== 'pending' ? { ...taken, kind: status } : undefined
    const notice =
      noticeOf(taken, approval, content, moment) ??
      (end && noticeOf(end, approval, content, moment))
    if (!notice) return undefined
    const link = options.link?.(approval.id)
    const said = { ...shared(notice, channel.share), ...(link === undefined ? {} : { link }) }
    return { approval, notice: said }
  }

  async function deliverNotice(
    taken: Taken,
    notice: Notice,
    approval: Approval,
  ): Promise<NotDelivered | undefined> {
    if (!isAddressed(channel)) return (await sendTo(channel, notice)).failure
    try {
      // What was said is in no later message: rather twice than never.
      const isOnce = taken.attempts > 1 && !isTalk(taken.kind)
      const since = isOnce ? { since: taken.revision } : {}
      return await sendToAddresses(channel, notice, approval, { ...addressing(taken), ...since })
    } catch (error) {
      // Addresses are found with the help of other machines, and a failing one must not end this lane.
      return isCountersignError(error) ? Promise.reject(error) : failureOf(error)
    }
  }

  function addressing(draft: NoticeDraft): Addressing {
    const { records } = store
    return {
      store,
      people: options.people ?? {},
      sendOnce: (delivery, said) => sendTo(channel, said, delivery),
      renewed: async () => (await told(draft, 'or its end'))?.notice,
      toldNow: async (notice, people, audience) => {
        const { channels } = options
        const now = await store.now()
        const parts = { records, channel, channels, policy: routing, draft: draftOf(draft), now }
        return toldNow(parts, notice, people, audience)
      },
      onFailure: async () => bringForward(records, draft.approval, channel.name, await store.now()),
    }
  }

  async function sendHeld(): Promise<void> {
    if (!isAddressed(channel) || performance.now() - heldAt < heldEvery) return
    heldAt = performance.now()
    const bounds = { lease: LEASE_MS, mostAttempts: MAX_ATTEMPTS, report }
    const sending = { store, routing, told, addressing, failureOf, pauseAfter, sendTogether }
    await sendDue(channel, { ...sending, ...bounds })
  }

  async function momentFor(
    { kind }: NoticeDraft,
    approval: Approval,
    now: number,
  ): Promise<Moment> {
    const deputies = isQuestion(kind) ? await options.deputies?.(approval) : undefined
    const admins = kind === 'unreachable' ? await options.admins?.() : undefined
    const [met, decidedBy] = await Promise.all([
      progressOf(store, approval),
      decidersOf(store, options.people ?? {}, approval),
    ])
    const who = { ...(deputies ? { deputies } : {}), ...(admins ? { admins } : {}) }
    return { now, met, decidedBy, ...who }
  }

  async function shut(problem: string): Promise<void> {
    isShut = true
    await store.outbox.shut(channel.name, problem)
    report(`channel ${channel.name} is shut until the next start: ${problem}`)
  }

  return {
    opened: async () => {
      if (await served()) await opened()
    },
    deliver() {
      if (isStopped) return NOTHING
      isWanted = true
      wake()
      delivering ??= deliverAll()
      return delivering
    },
    async stop() {
      isStopped = true
      await delivering?.catch(() => {})
    },
  }
}

/** Without what belongs to one attempt. */
function draftOf({ id, approval, kind, revision, at }: NoticeDraft): NoticeDraft {
  return { id, approval, kind, revision, at }
}

interface Told {
  readonly approval: Approval
  readonly notice: Notice
}

const DONE = Promise.resolve()
const NOTHING = Promise.resolve(0)

function sendTo(channel: Channel, notice: Notice, to?: Delivery): Promise<Attempt> {
  return inTime((signal) => channel.send(notice, signal, to))
}

/** Several notices as one message. Only for a channel that can. */
function sendTogether(
  channel: Channel,
  notices: readonly Notice[],
  address: string,
): Promise<Attempt> {
  return inTime(async (signal) => {
    await channel.sendDigest?.(notices, signal, address)
    return undefined
  })
}

async function inTime(
  send: (signal: AbortSignal) => Promise<void> | Promise<SentMessage | undefined>,
): Promise<Attempt> {
  const late = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new NotDelivered(`no answer within ${SEND_MS / 1_000} seconds`))
      late.abort()
    }, SEND_MS)
  })
  try {
    const sending = (async () => send(late.signal))()
    const sent = (await Promise.race([sending, silence])) as SentMessage | undefined
    return { ref: sent?.ref }
  } catch (error) {
    return { failure: failureOf(error) }
  } finally {
    clearTimeout(timer)
  }
}

function failureOf(error: unknown): NotDelivered {
  if (error instanceof NotDelivered) return error
  // What a foreign error says may hold anything; its name says enough.
  return new NotDelivered(error instanceof Error ? `it failed with ${error.name}` : 'it failed')
}

/** Twice as long each time, and never all at the same moment. */
export function pauseAfter(attempts: number, wanted = 0): number {
  const pause = Math.min(FIRST_PAUSE * 2 ** (attempts - 1), LONGEST_PAUSE)
  const jittered = Math.round(pause * (0.5 + Math.random() / 2))
  return Math.min(Math.max(jittered, wanted), LONGEST_PAUSE)
}
