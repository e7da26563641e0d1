import type { Notice } from '../../gate/notify/channel.ts'
import type { ChannelHost } from '../../gate/notify/channel-host.ts'
import type { Addressee } from '../../gate/people.ts'
import type { TelegramBot } from './telegram-bot.ts'

export interface TelegramRouting {
  readonly bot: () => Promise<TelegramBot>
  /** Group chats, by group of the policy. */
  readonly chats: Readonly<Record<string, string>>
  readonly host: () => ChannelHost | undefined
}

/** Each person with a linked account, and the chats of the groups that are asked. */
export async function addressesIn(
  { bot, chats, host }: TelegramRouting,
  { to }: Notice,
  people: readonly Addressee[],
): Promise<readonly string[]> {
  const groups = to.flatMap((one) => (one !== '*' && 'group' in one ? [one.group] : []))
  const told = groups.flatMap((group) => (Object.hasOwn(chats, group) ? (chats[group] ?? []) : []))
  const own = await Promise.all(people.map(accountOf))
  return [...new Set([...told, ...own.flat()])]

  /** Telegram has no lookup by address, and a bot may only write to people who wrote to it. */
  async function accountOf({ issuer, subject }: Addressee): Promise<readonly string[]> {
    if (issuer === undefined) return []
    const linked = (await host()?.accountsOf({ issuer, subject })) ?? []
    if (linked.length === 0) return []
    const { id: workspace } = await bot()
    return linked.filter((one) => one.workspace === workspace).map(({ id }) => id)
  }
}
