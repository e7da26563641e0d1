import { CountersignError } from '../base/errors.ts'

// Names of people come and go: what is remembered of them has an end.
const REMEMBERED = 1_000

/** At most so many in a minute for each name; throws for the next one. */
export function createPace(most: number, what: string): (name: string) => void {
  const times = new Map<string, number[]>()
  return (name) => {
    const since = performance.now() - 60_000
    const recent = (times.get(name) ?? []).filter((at) => at > since)
    if (recent.length >= most) {
      throw new CountersignError('too_many_requests', `more than ${most} ${what} in a minute`)
    }
    times.delete(name)
    times.set(name, [...recent, performance.now()])
    const [oldest] = times.keys()
    if (times.size > REMEMBERED && oldest !== undefined) times.delete(oldest)
  }
}
