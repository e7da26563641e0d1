import { type Actor, type Event, factsOf } from '../../approval/transition.ts'
import type { ErrorCode } from '../../base/errors.ts'
import type { Store } from '../../store/store.ts'

/** What was tried and not allowed: names and codes alone. */
export interface Attempt {
  readonly code: ErrorCode
  readonly by: Actor
  /** The pattern of the route, or the channel that was answered in. */
  readonly at: string
  /** Only where the refusal itself says that there is such an approval. */
  readonly approval?: string
}

export interface RefusedAttempts {
  note(attempt: Attempt): void
  /** Writes down what is not written yet, and notes no more. */
  close(): Promise<void>
}

/** Refusals of rights and of credentials. Mistakes of a client are none. */
const RECORDED: ReadonlySet<ErrorCode> = new Set([
  'self_approval',
  'not_an_approver',
  'not_the_asker',
  'not_permitted',
  'assurance_too_low',
  'edit_not_allowed',
  'edit_denied',
  'grant_not_enough',
  'not_grantable',
  'not_the_claimer',
  'locked',
  'signin_expired',
  'signin_refused',
  'signin_too_old',
  'passkey_refused',
  'login_unknown',
  'link_unknown',
  'not_linked',
  'signature_refused',
  'token_unknown',
  'principal_unproved',
  'csrf_mismatch',
])

export const isRecorded = (code: ErrorCode): boolean => RECORDED.has(code)

/** A first attempt is written soon; what repeats it is summed up at the end of the window. */
const SOON_MS = 1_000
const WINDOW_MS = 600_000
/** Different attempts that a window writes one by one; all others are summed up by their codes. */
const MOST_ENTRIES = 60
/** Of these for one caller: one that is refused everywhere leaves room for the names of others. */
const MOST_OF_ONE = 12

interface Group {
  readonly attempt: Attempt
  count: number
  written: number
}

/**
 * At most `MOST_ENTRIES` entries at once and again at the end of each ten minutes, and one for all
 * that is more: an attacker who is refused a million times fills neither disk nor record.
 */
export function createRefusedAttempts(
  store: Pick<Store, 'amend'>,
  { soonMs = SOON_MS, windowMs = WINDOW_MS, onRefused = (_code: ErrorCode): void => {} } = {},
): RefusedAttempts {
  const groups = new Map<string, Group>()
  const others = new Map<ErrorCode, number>()
  let soon: ReturnType<typeof setTimeout> | undefined
  let window: ReturnType<typeof setTimeout> | undefined
  let writing = Promise.resolve()
  let isClosed = false

  function later(ms: number, work: () => void): ReturnType<typeof setTimeout> {
    const timer = setTimeout(work, ms)
    // Node waits for a timer; elsewhere it is a number.
    if (typeof timer === 'object') timer.unref()
    return timer
  }

  async function write(by: Actor, facts: Event['facts']): Promise<void> {
    const commandId = crypto.randomUUID()
    await store.amend({
      commandId,
      event: { type: 'attempt.refused', by, ...(facts ? { facts } : {}) },
      changes: [],
    })
  }

  async function writeGroups(isDue: (group: Group) => boolean): Promise<void> {
    for (const group of groups.values()) {
      if (!isDue(group) || group.count === group.written) continue
      const { count, attempt } = group
      const { by, code, at, approval } = attempt
      await write(by, factsOf({ at, code, count: count - group.written, approval }))
      group.written = count
    }
  }

  async function endWindow(): Promise<void> {
    await writeGroups(() => true)
    if (others.size > 0) {
      const counted = [...others]
      const codes = counted.map(([code, count]) => `${code} ${count}`)
      const count = counted.reduce((sum, [, n]) => sum + n, 0)
      await write({ system: 'gate' }, { code: 'others', codes, count })
      for (const [code, n] of counted) {
        const left = (others.get(code) ?? n) - n
        if (left > 0) others.set(code, left)
        else others.delete(code)
      }
    }
    for (const [key, group] of groups) if (group.count === group.written) groups.delete(key)
  }

  /** One write after the other. One that failed is made up for at the end of the window. */
  function next(work: () => Promise<void>): Promise<void> {
    writing = writing.then(work).catch(() => {})
    return writing
  }

  function endSoon(): void {
    window ??= later(windowMs, () => {
      window = undefined
      void next(endWindow).then(() => {
        if (!isClosed && (groups.size > 0 || others.size > 0)) endSoon()
      })
    })
  }

  function entriesOf(by: Actor): number {
    const name = JSON.stringify(by)
    return [...groups.values()].filter(({ attempt }) => JSON.stringify(attempt.by) === name).length
  }

  return {
    note(attempt) {
      if (isClosed || !RECORDED.has(attempt.code)) return
      onRefused(attempt.code)
      const key = JSON.stringify(attempt)
      const known = groups.get(key)
      if (known) known.count += 1
      else if (groups.size < MOST_ENTRIES && entriesOf(attempt.by) < MOST_OF_ONE) {
        groups.set(key, { attempt, count: 1, written: 0 })
        soon ??= later(soonMs, () => {
          soon = undefined
          void next(() => writeGroups(({ written }) => written === 0))
        })
      } else others.set(attempt.code, (others.get(attempt.code) ?? 0) + 1)
      endSoon()
    },
    async close() {
      isClosed = true
      clearTimeout(soon)
      clearTimeout(window)
      await next(endWindow)
    },
  }
}
