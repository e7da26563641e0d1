import { quietUntil } from '../../base/quiet-hours.ts'
import type { NotifyRule } from '../../policy/document.ts'
import type { Notice } from './channel.ts'
import { nextDigest } from './digest-times.ts'
import type { Preferences } from './preferences.ts'

/**
 * Why a notice waits: for the end of quiet hours, because another channel or the people on call are
 * told first, or for a digest.
 */
export interface Later {
  readonly due: number
  readonly why: 'quiet' | 'order' | 'on-call' | 'digest'
}

export interface Moment {
  readonly now: number
  readonly channel: string
  /** Channels before this one in the person's order that reach them. */
  readonly earlier: number
  /** Milliseconds that the people on call have for themselves; 0 for those people. */
  readonly standBy?: number
}

const MINUTE = 60_000
/** As much of its time must be left after the quiet hours; otherwise the person is told in them. */
const LEFT_AFTER_QUIET = 30 * MINUTE
const URGENT_RISKS: readonly string[] = ['L4', 'L5']
export const NEXT_AFTER = 10

/**
 * When one person is told of a notice by one channel; undefined: now. A question is never held
 * beyond the time in which it can be answered, whatever a person chose.
 */
export function laterFor(
  { quiet, digests = [], nextAfter = NEXT_AFTER }: Preferences,
  notice: Notice,
  { now, channel, earlier, standBy = 0 }: Moment,
): Later | undefined {
  const { question, kind, approval, at } = notice
  // That no eligible approver is left is worth telling as long as the question is open.
  const isOpen = question || kind === 'unreachable'
  const last = isOpen ? approval.decideBy - LEFT_AFTER_QUIET : Number.POSITIVE_INFINITY
  const isUrgent = isOpen && URGENT_RISKS.includes(approval.risk ?? '')
  const until = quiet && !isUrgent ? quietUntil(quiet, now) : undefined
  // How a call ended is worth one message, and its order does not matter.
  const turn = question ? at + standBy + earlier * nextAfter * MINUTE : now
  const why = standBy > 0 ? 'on-call' : 'order'
  const waits: readonly Later[] = [
    ...(until === undefined ? [] : [{ due: until, why: 'quiet' } as const]),
    ...(turn <= now ? [] : [{ due: turn, why } as const]),
  ].filter(({ due }) => due <= last)
  const [first] = waits
  const digest = isUrgent ? undefined : digests.find((one) => one.channel === channel)
  if (!digest) return first
  const due = nextDigest(digest, Math.max(now, ...waits.map((one) => one.due)))
  return due <= last ? { due, why: 'digest' } : first
}

/** What a person chose, as far as the policy leaves that to them, over what the policy says. */
export function wishesUnder(chosen: Preferences, rule: NotifyRule | undefined): Preferences {
  if (!rule) return chosen
  const { channels, nextAfter, atOnce, peopleChoose = true } = rule
  const said: Preferences = {
    ...(channels ? { order: channels } : {}),
    ...(nextAfter === undefined ? {} : { nextAfter: nextAfter / MINUTE }),
  }
  const { quiet, digests, order, ...pace } = chosen
  const own = order && peopleChoose ? { order } : {}
  return {
    ...(peopleChoose ? { ...said, ...pace, ...own } : { ...pace, ...said }),
    ...(quiet && !atOnce ? { quiet } : {}),
    ...(digests && !atOnce ? { digests } : {}),
  }
}
