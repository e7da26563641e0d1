import type { PersonId } from '../../approval/people/person.ts'
import { CountersignError } from '../../base/errors.ts'
import type { Records } from '../../store/records.ts'
import { hashSecret, newSecret, SECRET } from './secret.ts'

/** Links that sign one person in, once, within ten minutes. */
export interface SignInLinks {
  /** The secret part of a new link. Only its hash is stored. */
  create(person: PersonId): Promise<string>
  /** Uses a link up. Throws `signin_expired` for every use but the first, and for unknown links. */
  use(secret: string): Promise<PersonId>
}

const KIND = 'sign-in link'
const LIFE_MS = 600_000

export function createSignInLinks(records: Records, now: () => Promise<number>): SignInLinks {
  return {
    async create({ issuer, subject }) {
      const secret = newSecret()
      const expiresAt = (await now()) + LIFE_MS
      const id = hashSecret('signin', secret)
      await records.put(KIND, id, { issuer, subject }, { expect: 'absent', expiresAt })
      return secret
    },
    async use(secret) {
      const taken = SECRET.test(secret)
        ? await records.remove(KIND, hashSecret('signin', secret))
        : undefined
      if (taken) return taken.value as unknown as PersonId
      throw new CountersignError(
        'signin_expired',
        'this sign-in link was used before, is too old, or never was one',
      )
    },
  }
}
