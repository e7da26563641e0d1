import { words } from '../../app/space-separated.ts'
import type { Channel } from '../../gate/notify/channel.ts'
import { usage } from '../failure.ts'
import type { Shell } from '../shell.ts'
import { readPairs } from './read-pairs.ts'
import { readShare } from './read-share.ts'

export interface TelegramFlags {
  readonly telegramShare?: string
  readonly telegramChat?: readonly string[]
}

export interface TelegramSecrets {
  readonly botToken: string
  readonly webhookSecrets: readonly string[]
  readonly apiUrl?: string
}

/** From the environment alone: what stands on a command line others can read. */
export function telegramSecrets({ env }: Pick<Shell, 'env'>): TelegramSecrets | undefined {
  const { COUNTERSIGN_TELEGRAM_BOT_TOKEN: botToken, COUNTERSIGN_TELEGRAM_API_URL: apiUrl } = env
  if (botToken === undefined || botToken === '') return undefined
  const webhookSecrets = words(env.COUNTERSIGN_TELEGRAM_WEBHOOK_SECRET)
  return { botToken, webhookSecrets, ...(apiUrl ? { apiUrl } : {}) }
}

/** Telegram, where a bot token is set. */
export async function readTelegram(
  flags: TelegramFlags,
  shell: Shell,
): Promise<readonly Channel[]> {
  const { env } = shell
  const secrets = telegramSecrets(shell)
  if (!secrets) {
    if (flags.telegramShare === undefined && flags.telegramChat === undefined) return []
    throw usage(
      'Telegram needs a bot token',
      'Set COUNTERSIGN_TELEGRAM_BOT_TOKEN; `countersign telegram setup` says where it is found.',
    )
  }
  const share = readShare(flags.telegramShare ?? env.COUNTERSIGN_TELEGRAM_SHARE, '--telegram-share')
  const chats = readPairs(
    [...(flags.telegramChat ?? []), ...words(env.COUNTERSIGN_TELEGRAM_CHATS)],
    'Write --telegram-chat finance=-1001234567890, with the id of the group chat.',
  )
  const { telegram } = await import('../../channels/telegram/telegram.ts')
  return [telegram({ ...secrets, share, chats })]
}
