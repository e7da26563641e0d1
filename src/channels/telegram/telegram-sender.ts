import type { Share } from '../../gate/notify/channel.ts'
import type { ChannelHost, ChatAccount } from '../../gate/notify/channel-host.ts'
import { textAt, valueAt } from '../chat/text-at.ts'
import type { TelegramCall } from './telegram-api.ts'
import { idAt, type TelegramBot } from './telegram-bot.ts'

export interface UpdateParts {
  readonly host: ChannelHost
  readonly call: TelegramCall
  readonly bot: () => Promise<TelegramBot>
  readonly share: Share
}

/** The kinds of updates that are asked for. All others are ignored. */
export const UPDATES = ['message', 'callback_query'] as const

export const UNANSWERED = 'Countersign cannot answer right now. Open the inbox instead.'

/** What came in a private chat, from a person. Groups are told, and answer nothing. */
export interface Heard {
  readonly account: ChatAccount
  /** Of the account and of its private chat: Telegram gives both the same. */
  readonly chat: string
  /** As its owner calls it. */
  readonly name: string
}

/** Undefined for what no person sent in a private chat with this bot. */
export async function senderOf(
  { bot }: UpdateParts,
  from: unknown,
  message: unknown,
): Promise<Heard | undefined> {
  const [id, chat] = [idAt(from, 'id'), idAt(message, 'chat', 'id')]
  const isPrivate = textAt(message, 'chat', 'type') === 'private' && chat === id
  const isPerson = valueAt(from, 'is_bot') === false && /^[1-9]/.test(id)
  if (!isPrivate || !isPerson) return undefined
  const { id: workspace } = await bot()
  const names = [textAt(from, 'first_name'), textAt(from, 'last_name')].filter(Boolean)
  const username = textAt(from, 'username')
  const name = [...names, ...(username === '' ? [] : [`@${username}`])].join(' ')
  return { account: { workspace, id }, chat, name: name.slice(0, 120) || id }
}
