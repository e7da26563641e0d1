import { isCountersignError } from '../../base/errors.ts'
import type { Flusher } from './flusher.ts'

/** Names of grants that are over for long enough and still hold what they were about. */
type NextIds = (after: string) => readonly string[] | Promise<readonly string[]>

/** What a grant covered, and why, goes with the other words of people; that it was stays. */
export async function eraseGrants(
  { submitGrant }: Pick<Flusher, 'submitGrant'>,
  next: NextIds,
): Promise<number> {
  let erased = 0
  for (let after = ''; ; ) {
    const ids = await next(after)
    const last = ids.at(-1)
    if (last === undefined) return erased
    for (const id of ids) {
      try {
        await submitGrant(id, { type: 'erase', commandId: crypto.randomUUID() })
        erased += 1
      } catch (error) {
        if (!isCountersignError(error, 'on_hold')) throw error
      }
    }
    after = last
  }
}
