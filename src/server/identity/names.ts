import type { WirePerson } from '../../api/common.ts'
import type { PersonId } from '../../approval/people/person.ts'
import { foldAddress } from '../../base/address.ts'
import { type Account, type Accounts, accountKey, wirePerson } from './people.ts'

/** How each of these people is shown: an account that is gone leaves the id. */
export async function namesOf(accounts: Accounts, people: readonly PersonId[]) {
  const wanted = new Map(people.map((one) => [accountKey(one), one]))
  const known = new Map<string, Account | undefined>(
    await Promise.all([...wanted].map(async ([key, id]) => [key, await accounts.get(id)] as const)),
  )
  return (id: PersonId): WirePerson => wirePerson(id, known.get(accountKey(id)))
}

/** Who has an address. One that is not vouched for would be a name that any user can choose. */
export async function peopleByAddress(accounts: Accounts) {
  const vouched = (await accounts.list()).filter((one) => one.email && one.emailVerified)
  const known = Map.groupBy(vouched, ({ email = '' }) => foldAddress(email))
  return (address: string): readonly WirePerson[] =>
    (known.get(foldAddress(address)) ?? []).map((one) => wirePerson(one, one))
}
