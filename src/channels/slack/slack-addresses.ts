import type { Notice } from '../../gate/notify/channel.ts'
import type { ChannelHost } from '../../gate/notify/channel-host.ts'
import type { Addressee } from '../../gate/people.ts'
import type { SlackWorkspace } from './slack-workspace.ts'

export interface SlackRouting {
  readonly workspace: SlackWorkspace
  /** Channels of Slack, by group of the policy. */
  readonly channels: Readonly<Record<string, string>>
  readonly host: () => ChannelHost | undefined
}

/** The channel of each group that has one, and a direct message for every other person. */
export async function addressesIn(
  { workspace, channels, host }: SlackRouting,
  { to }: Notice,
  people: readonly Addressee[],
): Promise<readonly string[]> {
  const groups = to.flatMap((one) => (one !== '*' && 'group' in one ? [one.group] : []))
  const shared = groups.filter((group) => Object.hasOwn(channels, group))
  const others = people.filter((one) => !one.groups.some((group) => shared.includes(group)))
  const users = await Promise.all(others.map(userOf))
  const told = shared.flatMap((group) => channels[group] ?? [])
  return [...new Set([...told, ...users.flat()])]

  /** The account they linked, or else the member with their address. */
  async function userOf({ issuer, subject, email }: Addressee): Promise<readonly string[]> {
    const { team } = await workspace.own()
    const linked =
      issuer === undefined ? [] : ((await host()?.accountsOf({ issuer, subject })) ?? [])
    const own = linked.filter((one) => one.workspace === team).map(({ id }) => id)
    if (own.length > 0) return own.slice(0, 1)
    const found = email === undefined ? undefined : await workspace.byEmail(email)
    return found === undefined ? [] : [found]
  }
}
