import { NotDelivered } from '../../gate/notify/channel.ts'
import { textAt, valueAt } from '../chat/text-at.ts'
import type { TelegramCall } from './telegram-api.ts'

/** The bot that the token belongs to. Accounts are linked to it, and to no other. */
export interface TelegramBot {
  readonly id: string
  readonly username: string
}

/** Asked once; asked again while it fails. */
export function createBot(call: TelegramCall): (signal?: AbortSignal) => Promise<TelegramBot> {
  let known: Promise<TelegramBot> | undefined
  return (signal) => {
    known ??= call('getMe', {}, signal ? { signal } : {}).then((me) => {
      const id = idAt(me, 'id')
      if (id === '') throw new NotDelivered('Telegram does not say whose token it is')
      return { id, username: textAt(me, 'username') }
    })
    known.catch(() => {
      known = undefined
    })
    return known
  }
}

/** An id of Telegram: a whole number, negative for groups. Empty when there is none. */
export function idAt(value: unknown, ...keys: readonly string[]): string {
  const found = valueAt(value, ...keys)
  return Number.isSafeInteger(found) && found !== 0 ? String(found) : ''
}
