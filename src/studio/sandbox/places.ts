import { CountersignError } from '../../base/errors.ts'

const MOST_WAITING = 32

/** Room for so many sandboxes at once; the next ones wait, and no more than a few of them. */
export function createPlaces(most: number) {
  const waiting: (() => void)[] = []
  let taken = 0

  async function take(): Promise<void> {
    if (taken < most) {
      taken++
      return
    }
    if (waiting.length >= MOST_WAITING) {
      throw new CountersignError('too_many_requests', 'too many tools of the studio run at once')
    }
    await new Promise<void>((resolve) => waiting.push(resolve))
  }

  return {
    async within<T>(work: () => Promise<T>): Promise<T> {
      await take()
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next) next()
        else taken--
      }
    },
  }
}
