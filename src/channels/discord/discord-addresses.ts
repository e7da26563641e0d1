import type { Notice } from '../../gate/notify/channel.ts'
import type { ChannelHost } from '../../gate/notify/channel-host.ts'
import type { Addressee } from '../../gate/people.ts'
import type { DiscordApplication } from './discord-application.ts'

export interface DiscordRouting {
  readonly application: () => Promise<DiscordApplication>
  /** Channels of Discord, by group of the policy. */
  readonly channels: Readonly<Record<string, string>>
  readonly host: () => ChannelHost | undefined
}

/** Each person with a linked account, and the channels of the groups that are asked. */
export async function addressesIn(
  { application, channels, host }: DiscordRouting,
  { to }: Notice,
  people: readonly Addressee[],
): Promise<readonly string[]> {
  const groups = to.flatMap((one) => (one !== '*' && 'group' in one ? [one.group] : []))
  const told = groups.flatMap((group) =>
    Object.hasOwn(channels, group) ? [`#${channels[group]}`] : [],
  )
  const own = await Promise.all(people.map(accountsOf))
  return [...new Set([...told, ...own.flat()])]

  /** Discord has no lookup by address. */
  async function accountsOf({ issuer, subject }: Addressee): Promise<readonly string[]> {
    if (issuer === undefined) return []
    const linked = (await host()?.accountsOf({ issuer, subject })) ?? []
    if (linked.length === 0) return []
    const { id: workspace } = await application()
    return linked.filter((one) => one.workspace === workspace).map(({ id }) => `@${id}`)
  }
}

/** Ids of people and of channels look the same, so an address says which it is. */
export function readAddress(address: string): {
  readonly user?: string
  readonly channel?: string
} {
  const id = address.slice(1)
  return address.startsWith('#') ? { channel: id } : { user: id }
}
