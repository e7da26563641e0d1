import { isZone } from './on-call/wall-clock.ts'

/** Hours of the day in which a person does not want to be told, by the clock on their wall. */
export interface QuietHours {
  /** As IANA names it: `Europe/Berlin`. */
  readonly zone: string
  /** `22:00`. */
  readonly from: string
  /** `07:00`; earlier than `from` means the next morning. */
  readonly to: string
}

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/
const DAY = 24 * 60
/** Longer ones would leave too little of the day. */
const LONGEST = 16 * 60
const MINUTE = 60_000

/** Why these are no quiet hours, as a clause; undefined: they are. */
export function quietProblem({ zone, from, to }: QuietHours): string | undefined {
  if (!isZone(zone)) return `${JSON.stringify(zone)} is not a time zone`
  if (!TIME.test(from) || !TIME.test(to)) return 'times are written as 22:00'
  const length = (minutesOf(to) - minutesOf(from) + DAY) % DAY
  if (length === 0) return 'they end when they begin'
  return length > LONGEST ? 'they are longer than 16 hours' : undefined
}

/** When the quiet hours end that this moment lies in; undefined outside of them. */
export function quietUntil(quiet: QuietHours, now: number): number | undefined {
  const isQuiet = within(quiet)
  if (!isQuiet(now)) return undefined
  // By steps, because on two nights of the year the clock on the wall jumps.
  let end = now - (now % MINUTE)
  while (isQuiet(end)) end += 15 * MINUTE
  while (!isQuiet(end - MINUTE)) end -= MINUTE
  return end
}

function within({ zone, from, to }: QuietHours): (moment: number) => boolean {
  const wall = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  const [begin, end] = [minutesOf(from), minutesOf(to)]
  return (moment) => {
    const now = minutesOf(wall.format(moment))
    return begin < end ? now >= begin && now < end : now >= begin || now < end
  }
}

function minutesOf(time: string): number {
  return 60 * Number(time.slice(0, 2)) + Number(time.slice(3, 5))
}
