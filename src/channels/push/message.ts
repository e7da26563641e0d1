import type { Delivery, Notice } from '../../gate/notify/channel.ts'
import { digestLines, digestTitle } from '../digest-words.ts'
import { noticeBody, noticeTitle, type Reader } from '../notice-words.ts'

/**
 * What a device is sent. Safari shows it without a script of ours (Declarative Web Push, RFC 8030 in
 * `web_push`), and the service worker reads the same. No actions: nothing is decided from here.
 */
export interface PushPayload {
  readonly web_push: 8030
  readonly notification: {
    readonly title: string
    readonly body: string
    readonly navigate: string
    /** One notification per approval: the next one takes the place of the last. */
    readonly tag: string
    readonly lang: 'en'
    readonly silent?: true
    readonly renotify?: true
    readonly requireInteraction?: true
  }
  /** There is nothing left to decide: the notification goes away by itself. */
  readonly closed?: true
}

/** What becomes of the notification on a device, as the outbox remembers it. */
export type PushState = 'open' | 'closed' | 'told'

export interface PushMessage {
  readonly state: PushState
  /** Absent: this device need not hear of it. */
  readonly payload?: PushPayload
  readonly urgency: 'high' | 'normal'
  /** Seconds that the push service keeps it for a device that is off. */
  readonly ttl: number
}

export interface Recipient extends Reader {
  /** Where the inbox is, when the notice has no link. */
  readonly home: string
}

const DAY_S = 86_400
/** Push services keep nothing longer. */
const LONGEST_S = 28 * DAY_S

/** What one device is told of a notice. */
export function messageFor(
  notice: Notice,
  { previous, settles }: Pick<Delivery, 'previous' | 'settles'>,
  recipient: Recipient,
): PushMessage {
  const { kind, question, approval } = notice
  const left = Math.ceil((approval.decideBy - recipient.now) / 1_000)
  const ttl = Math.min(Math.max(left, 1), LONGEST_S)
  const before = previous?.ref as PushState | undefined
  // Another question took its place, and that is for other people.
  if (question && settles) return { state: before ?? 'closed', urgency: 'normal', ttl }
  if (question || kind === 'unreachable') {
    const payload = payloadOf(notice, recipient, {
      ...(kind !== 'asked' && kind !== 'escalated' && question ? { renotify: true } : {}),
      ...(question ? { requireInteraction: true } : {}),
    })
    return { state: 'open', payload, urgency: 'high', ttl }
  }
  const kept = Math.max(ttl, DAY_S)
  const isFailure = kind === 'failed' || kind === 'unknown'
  // A failure takes the place of the question, whose end may not have arrived here.
  if (before === 'open' && (settles || !isFailure)) {
    const payload = payloadOf(notice, recipient, { silent: true })
    return { state: 'closed', payload: { ...payload, closed: true }, urgency: 'normal', ttl: kept }
  }
  // The person who decided knows; the others were told that nothing is left to decide.
  if (settles || (before === 'closed' && !isFailure)) {
    return { state: before ?? 'closed', urgency: 'normal', ttl: kept }
  }
  const payload = payloadOf(notice, recipient, isFailure ? { renotify: true } : {})
  return { state: 'told', payload, urgency: 'normal', ttl: kept }
}

/** Several calls in one notification, which opens the inbox. The next digest takes its place. */
export function digestPayload(notices: readonly Notice[], home: string): PushPayload {
  return {
    web_push: 8030,
    notification: {
      title: digestTitle(notices),
      body: digestLines(notices).join('\n'),
      navigate: home,
      tag: 'cs-digest',
      lang: 'en',
      renotify: true,
    },
  }
}

function payloadOf(
  notice: Notice,
  recipient: Recipient,
  how: Partial<PushPayload['notification']>,
): PushPayload {
  const { approval, link } = notice
  return {
    web_push: 8030,
    notification: {
      title: noticeTitle(notice),
      body: noticeBody(notice, recipient),
      navigate: link ?? recipient.home,
      tag: `cs-${approval.id}`,
      lang: 'en',
      ...how,
    },
  }
}
