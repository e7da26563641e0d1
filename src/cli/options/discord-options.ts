import { words } from '../../app/space-separated.ts'
import type { Channel } from '../../gate/notify/channel.ts'
import { usage } from '../failure.ts'
import type { Shell } from '../shell.ts'
import { readPairs } from './read-pairs.ts'
import { readShare } from './read-share.ts'

export interface DiscordFlags {
  readonly discordShare?: string
  readonly discordChannel?: readonly string[]
  readonly discordServer?: string
}

export interface DiscordSecrets {
  readonly botToken: string
  readonly publicKeys: readonly string[]
  readonly apiUrl?: string
}

/** From the environment alone: what stands on a command line others can read. */
export function discordSecrets({ env }: Pick<Shell, 'env'>): DiscordSecrets | undefined {
  const { COUNTERSIGN_DISCORD_BOT_TOKEN: botToken, COUNTERSIGN_DISCORD_API_URL: apiUrl } = env
  if (botToken === undefined || botToken === '') return undefined
  const publicKeys = words(env.COUNTERSIGN_DISCORD_PUBLIC_KEY)
  return { botToken, publicKeys, ...(apiUrl ? { apiUrl } : {}) }
}

/** Discord, where a bot token is set. */
export async function readDiscord(flags: DiscordFlags, shell: Shell): Promise<readonly Channel[]> {
  const { env } = shell
  const { discordShare, discordChannel = [], discordServer } = flags
  const secrets = discordSecrets(shell)
  if (!secrets) {
    if (discordShare === undefined && discordChannel.length === 0 && discordServer === undefined) {
      return []
    }
    throw usage(
      'Discord needs a bot token',
      'Set COUNTERSIGN_DISCORD_BOT_TOKEN; `countersign discord setup` says where it is found.',
    )
  }
  const share = readShare(discordShare ?? env.COUNTERSIGN_DISCORD_SHARE, '--discord-share')
  const channels = readPairs(
    [...discordChannel, ...words(env.COUNTERSIGN_DISCORD_CHANNELS)],
    'Write --discord-channel finance=1234567890123456789, with the id of the channel.',
  )
  const guild = discordServer ?? env.COUNTERSIGN_DISCORD_SERVER
  const { discord } = await import('../../channels/discord/discord.ts')
  return [discord({ ...secrets, share, channels, ...(guild ? { guild } : {}) })]
}
