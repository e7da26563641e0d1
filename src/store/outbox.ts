import { NOTICE_KINDS, type NoticeDraft, type NoticeKind } from '../approval/transition.ts'

/**
 * Notices still to be delivered (transactional outbox). Each is written in the transaction of
 * its event, once for each channel that is open at that moment, and stays until it was sent.
 */
export interface Outbox {
  /**
   * From now on notices are written down for this channel too: those of `kinds`, or all. Opens one
   * that was shut, again. Kinds that it was opened with before stay, by whichever process.
   */
  open(channel: string, kinds?: readonly NoticeKind[]): Promise<void>
  /** The other end is gone for good: nothing more is written for it, and what is left is stuck. */
  shut(channel: string, problem: string): Promise<void>
  /**
   * Notices whose time has come, for this caller alone until its lease ends. Of one approval and
   * channel only the oldest: the next one follows when that is settled, or after `patience`.
   */
  take(channels: readonly string[], options: TakeOptions): Promise<Taken[]>
  /**
   * Changes nothing when the lease ended and another process has it: false then. Neither `take` nor
   * an end that is `done` has to survive a power cut: the notice is then sent once more.
   */
  settle(taken: Taken, end: NoticeEnd): Promise<boolean>
  summary(): Promise<OutboxSummary>
  /** Tries everything that is stuck once more. Resolves to how many that are. */
  retry(): Promise<number>
}

export interface TakeOptions {
  readonly limit: number
  /** Milliseconds. A sender that died is followed by another after this. */
  readonly lease: number
  /**
   * Milliseconds under way after which a notice no longer holds up the next one of its approval; one
   * that failed holds up none. For callers that keep the order themselves; endless unless set.
   */
  readonly patience?: number
}

/** A notice under way that is due again after this moment is not overtaken yet. */
export function overtakenUntil(now: number, { lease, patience }: TakeOptions): number | undefined {
  return patience === undefined ? undefined : now + lease - patience
}

export interface Taken extends NoticeDraft {
  readonly channel: string
  /** This one included. */
  readonly attempts: number
}

export type NoticeEnd =
  /** Told, or not worth telling any more. */
  | { readonly end: 'done' }
  | { readonly end: 'later'; readonly after: number; readonly problem: string }
  | { readonly end: 'stuck'; readonly problem: string }

/**
 * What a channel is open for once it was opened with `kinds`, and before with `known`. All of them are
 * listed as well: else a process that wants fewer would take some from one that wants all. Nothing is
 * known of a channel that only an older version opened.
 */
export function openKinds(
  known: readonly NoticeKind[] | undefined,
  kinds: readonly NoticeKind[] = NOTICE_KINDS,
): readonly NoticeKind[] {
  return known ? [...new Set([...known, ...kinds])] : kinds
}

export interface OutboxSummary {
  readonly waiting: number
  readonly stuck: number
  readonly channels: readonly ChannelState[]
  /** The oldest that wait or are stuck, at most a hundred. */
  readonly notices: readonly NoticeState[]
}

export interface ChannelState {
  readonly name: string
  /** When a process that serves it was last there. */
  readonly seenAt: number
  readonly waiting: number
  readonly stuck: number
  /** Why nothing is sent there any more. */
  readonly problem?: string
}

export interface NoticeState {
  readonly id: string
  readonly channel: string
  readonly approval: string
  readonly kind: NoticeKind
  readonly at: number
  readonly attempts: number
  readonly state: 'waiting' | 'stuck'
  readonly problem?: string
}

/** A channel that no process has served for this long is not written for any more. */
export const CHANNEL_MS = 7 * 24 * 60 * 60 * 1_000
export const NOTICES_SHOWN = 100
/** Problems come from other machines: they are cut before they are kept. */
const LONGEST_PROBLEM = 300

export function problemText(problem: string): string {
  return problem.slice(0, LONGEST_PROBLEM)
}
