import type { Channel } from '../../gate/notify/channel.ts'
import { allDevices, PUSH_CHANNEL } from '../../store/records/device-record.ts'
import { LINK_RECORD } from '../../store/records/link-record.ts'
import { allRecords, type Records } from '../../store/records.ts'
import { type Account, accountKey } from './people.ts'

interface Known {
  readonly records: Records
  readonly channels: readonly Channel[]
  readonly accounts: readonly Account[]
}

/**
 * The channels that have an address of each person, by account key, in the order of the server's
 * channels. Reads records only. A chat that finds people by their mail address is asked nothing here,
 * and a room that a group reads is no address of one person.
 */
export async function toldThrough({
  records,
  channels,
  accounts,
}: Known): Promise<ReadonlyMap<string, readonly string[]>> {
  const devices = await allDevices(records)
  const links = await allRecords(records, LINK_RECORD)
  const reached = new Set([
    ...devices.map(({ person }) => `${accountKey(person)} ${PUSH_CHANNEL}`),
    ...links.map(({ id, value }) => {
      const { channel } = value as { readonly channel: string }
      return `${id.slice(0, id.indexOf('.'))} ${channel}`
    }),
  ])
  const names = (account: Account) =>
    channels
      .filter(
        ({ name, byMail }) =>
          reached.has(`${accountKey(account)} ${name}`) ||
          (byMail && account.emailVerified && account.email !== undefined),
      )
      .map(({ name }) => name)
  return new Map(accounts.map((account) => [accountKey(account), names(account)]))
}
