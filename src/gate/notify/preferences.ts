import type { PersonId } from '../../approval/people/person.ts'
import { CountersignError } from '../../base/errors.ts'
import { sha256 } from '../../base/json/digest.ts'
import type { Json } from '../../base/json/json.ts'
import { type QuietHours, quietProblem } from '../../base/quiet-hours.ts'
import type { Records } from '../../store/records.ts'
import { type Digest, digestProblem } from './digest-times.ts'

/** How one person wants to be told. Everything at once, everywhere, unless set. */
export interface Preferences {
  /** Channels in the order they are tried; those that are not named come last. */
  readonly order?: readonly string[]
  /** Minutes until the next channel tells of a question that is still open. */
  readonly nextAfter?: number
  readonly quiet?: QuietHours
  /** Channels that tell of several calls in one message, at these times. */
  readonly digests?: readonly Digest[]
}

const PREFERENCES_RECORD = 'notify-preferences'

export async function preferencesOf(records: Records, person: PersonId): Promise<Preferences> {
  const found = await records.get(PREFERENCES_RECORD, await nameOf(person))
  return (found?.value ?? {}) as Preferences
}

/** Throws `invalid_value` for hours that are none. */
export async function keepPreferences(
  records: Records,
  person: PersonId,
  preferences: Preferences,
): Promise<void> {
  const { quiet, digests = [] } = preferences
  const problem = quiet && quietProblem(quiet)
  if (problem) throw new CountersignError('invalid_value', `the quiet hours are wrong: ${problem}`)
  const wrong = digests.flatMap((one) => digestProblem(one) ?? [])[0]
  if (wrong) throw new CountersignError('invalid_value', `the digest is wrong: ${wrong}`)
  const names = digests.map(({ channel }) => channel)
  if (new Set(names).size < names.length) {
    throw new CountersignError('invalid_value', 'a channel has one digest')
  }
  await records.put(PREFERENCES_RECORD, await nameOf(person), preferences as unknown as Json)
}

/** They go with their person. */
export async function forgetPreferences(records: Records, person: PersonId): Promise<void> {
  await records.remove(PREFERENCES_RECORD, await nameOf(person))
}

async function nameOf({ issuer, subject }: PersonId): Promise<string> {
  return sha256(JSON.stringify([issuer, subject]))
}
