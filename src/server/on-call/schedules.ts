import type { OnCallNow, OnCallState } from '../../base/on-call/on-call.ts'
import { variable } from '../../gate/pdp/node-modules.ts'
import { onCallIn, type PolicyGroups } from '../../gate/people.ts'
import { type Calendar, onCallByCalendar, readCalendar } from './calendar.ts'

export interface Schedules {
  /** Undefined for a group without a schedule. Never throws. */
  onCall(group: string, at: number): Promise<OnCallState | undefined>
}

export interface ScheduleOptions {
  readonly policy: () => PolicyGroups
  /** Hosts of your own network that calendars may be fetched from; `COUNTERSIGN_CALENDAR_ALLOW` unless set. */
  readonly allowHosts?: readonly string[]
  /** Told in one line when a calendar can no longer be read, and when it can again. */
  readonly report?: (line: string) => void
}

/** A calendar is read again after this time, and one that failed a little sooner. */
const FRESH_MS = 5 * 60_000
const AGAIN_MS = 60_000

type Known = { readonly nowAt: (at: number) => OnCallNow } | { readonly problem: string }

interface Kept {
  readonly at: number
  readonly known: Promise<Known>
}

/**
 * Who is on call. A calendar that cannot be read now is not answered from an older copy: people may
 * have swapped their turns in it.
 */
export function createSchedules({
  policy,
  allowHosts = (variable('COUNTERSIGN_CALENDAR_ALLOW') ?? '').split(/\s+/).filter(Boolean),
  report = () => {},
}: ScheduleOptions): Schedules {
  const kept = new Map<string, Kept>()
  const failing = new Map<string, string>()

  async function read(place: string): Promise<Known> {
    try {
      // Only where there is a calendar: a Worker has neither files nor sockets of Node.
      const { fetchCalendar } = await import('./fetch-calendar.ts')
      const text = await fetchCalendar(place, { allowHosts })
      // What its reader says may quote the calendar.
      const calendar = await readCalendar(text).catch(() => {})
      if (!calendar) return { problem: 'it is not a calendar that can be read' }
      return { nowAt: rememberedIn(calendar) }
    } catch (error) {
      const isOurs = error instanceof Error && error.constructor === Error
      return { problem: isOurs ? error.message : 'it cannot be fetched' }
    }
  }

  function calendarAt(place: string): Promise<Known> {
    const found = kept.get(place)
    if (found && performance.now() - found.at < FRESH_MS) return found.known
    const known = read(place)
    const mine = { at: performance.now(), known }
    kept.set(place, mine)
    void known.then((one) => {
      if ('nowAt' in one || kept.get(place) !== mine) return
      kept.set(place, { at: mine.at - FRESH_MS + AGAIN_MS, known })
    })
    return known
  }

  function note(group: string, problem: string | undefined): void {
    if (failing.get(group) === problem) return
    if (problem === undefined) {
      failing.delete(group)
      report(`the on-call calendar of group ${group} is read again`)
    } else {
      failing.set(group, problem)
      report(`group ${group} is told as a whole, its on-call calendar fails: ${problem}`)
    }
  }

  return {
    async onCall(group, at) {
      const schedule = policy().groups.get(group)?.onCall
      if (!schedule || !('calendar' in schedule.by)) return onCallIn(policy(), group, at)
      const known = await calendarAt(schedule.by.calendar)
      const state = stateOf(known, at, schedule.othersAfter)
      note(group, 'problem' in state ? state.problem : undefined)
      return state
    },
  }
}

function stateOf(known: Known, at: number, othersAfter: number): OnCallState {
  if ('problem' in known) return known
  try {
    return { othersAfter, ...known.nowAt(at) }
  } catch {
    return { problem: UNREADABLE }
  }
}

const UNREADABLE = 'an event of it cannot be read'

/**
 * Each person who is told asks once more, and a calendar may hold thousands of events. What failed
 * is remembered, too: it may have taken all the time it has.
 */
function rememberedIn(calendar: Calendar): (at: number) => OnCallNow {
  let last:
    | { readonly from: number; readonly until: number; readonly found?: OnCallNow }
    | undefined
  return (at) => {
    if (!last || at < last.from || at >= last.until) {
      // Also where it throws.
      last = { from: at, until: at + FRESH_MS }
      const found = onCallByCalendar(calendar, at)
      last = { ...last, until: found.until ?? last.until, found }
    }
    if (!last.found) throw new TypeError(UNREADABLE)
    return last.found
  }
}
