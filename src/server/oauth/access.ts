import { lockOnPerson } from '../../approval/locks/lock.ts'
import { type PersonId, samePerson } from '../../approval/people/person.ts'
import { lockCopy } from '../../gate/admin/operator-state.ts'
import { PERSON_RECORD, TOKEN_RECORD } from '../../store/audit/audited-records.ts'
import { allRecords, type Records } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import { type Account, accountKey } from '../identity/people.ts'
import { hashSecret } from '../identity/secret.ts'
import type { AgentToken } from '../identity/tokens.ts'

/** Under the hash of the token, until it ends: which connection it belongs to. */
export const ACCESS_RECORD = 'oauth access'

export function accessKey(token: string): string {
  return hashSecret('oauth-access', token)
}

/** Whether this is an access token of the connection, and its time is not over. */
export async function isAccessOf(
  records: Records,
  connection: string,
  token: string,
): Promise<boolean> {
  const found = await records.get(ACCESS_RECORD, accessKey(token))
  return (found?.value as { readonly connection?: string } | undefined)?.connection === connection
}

/**
 * Whether clients may act for this person now: they have an account with a role that is more than
 * looking on, and nothing locks them.
 */
export async function mayHaveClients(store: Store, person: PersonId): Promise<boolean> {
  const found = await store.records.get(PERSON_RECORD, accountKey(person))
  const account = found?.value as unknown as Account | undefined
  if (!account || account.locked || !account.roles.some((role) => role !== 'viewer')) return false
  const locks = lockCopy(store)
  const held = await locks.current()
  return lockOnPerson(held, { ...account, groups: [] }, locks.now()) === undefined
}

/** The connections of clients that act for these people, by name. */
export async function connectionsOf(
  records: Records,
  people: readonly PersonId[],
): Promise<readonly string[]> {
  const all = await allRecords(records, TOKEN_RECORD)
  return all.flatMap(({ id, value }) => {
    const { client } = value as unknown as Pick<AgentToken, 'client'>
    return client && people.some((one) => samePerson(one, client.person)) ? id : []
  })
}
