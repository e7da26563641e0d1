import { CountersignError } from '../../base/errors.ts'
import type { Store } from '../../store/store.ts'
import type { PersonCaller } from './caller.ts'

// Who finds a browser open must not be able to leave a key or an account of their own in it.
const FRESH_MS = 15 * 60_000

/** Throws `signin_too_old` unless the person signed in a short while ago. */
export async function assertFresh(
  { now }: Pick<Store, 'now'>,
  { session }: PersonCaller,
  what: string,
): Promise<void> {
  if ((await now()) - session.startedAt <= FRESH_MS) return
  throw new CountersignError('signin_too_old', 'you signed in too long ago for this', {
    hint: `Sign out and in again; ${what} within 15 minutes of that.`,
  })
}
