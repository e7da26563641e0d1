import { NotDelivered } from '../../gate/notify/channel.ts'
import { textAt } from '../chat/text-at.ts'
import { createTelegramCall, TelegramError } from './telegram-api.ts'
import { createBot, idAt } from './telegram-bot.ts'
import { startPolling } from './telegram-polling.ts'
import { UPDATES } from './telegram-sender.ts'

export interface TelegramSetup {
  readonly botToken: string
  readonly apiUrl: string
  /** The server will be started with a webhook secret. */
  readonly hasSecret: boolean
  /** Answers are sent to this server from now on. */
  readonly webhook?: { readonly url: string; readonly secret: string }
  /** Answers are fetched from now on. */
  readonly polling: boolean
  /** Wait for a message, and answer it. */
  readonly tries: boolean
  /** Milliseconds for that message to come. */
  readonly patience?: number
}

export interface TelegramCheck {
  readonly ok: boolean
  readonly says: string
}

const TRY_MS = 120_000

/** Tries what the channel will do, and tells of each step. False when one of them failed. */
export async function checkSetup(
  options: TelegramSetup,
  tell: (check: TelegramCheck) => void,
): Promise<boolean> {
  const { webhook, polling, tries, hasSecret, patience = TRY_MS } = options
  const call = createTelegramCall(options.apiUrl, options.botToken)
  try {
    const { username } = await createBot(call)()
    tell({ ok: true, says: `The token belongs to the bot @${username}.` })
    if (webhook) {
      const url = `${webhook.url.replace(/\/$/, '')}/v1/channels/telegram`
      await call('setWebhook', { url, secret_token: webhook.secret, allowed_updates: UPDATES })
      tell({ ok: true, says: `Telegram sends answers to ${url}.` })
    }
    if (polling) await call('deleteWebhook', {})
    const now = textAt(await call('getWebhookInfo', {}), 'url')
    const isFit = (now !== '') === hasSecret
    tell({ ok: isFit, says: wayOf(now, hasSecret) })
    if (!tries || !isFit) return isFit
    if (now !== '') {
      tell({ ok: false, says: 'A message can only be waited for without a webhook.' })
      return false
    }
    return await roundTrip(username)
  } catch (error) {
    tell({ ok: false, says: sentenceOf(error) })
    return false
  }

  async function roundTrip(username: string): Promise<boolean> {
    const came = Promise.withResolvers<boolean>()
    const stop = startPolling({
      call,
      report: (line) => tell({ ok: false, says: line }),
      async onUpdate(update) {
        const chat = idAt(update, 'message', 'chat', 'id')
        if (chat === '') return
        const text = 'Countersign works here.'
        await call('sendMessage', { chat_id: Number(chat), text }).then(
          () => came.resolve(true),
          () => came.resolve(false),
        )
      },
    })
    tell({ ok: true, says: `Write anything to @${username} now.` })
    const timer = setTimeout(() => came.resolve(false), patience)
    const isOk = await came.promise
    clearTimeout(timer)
    await stop()
    tell({ ok: isOk, says: isOk ? 'A message came and was answered.' : 'No message came in time.' })
    return isOk
  }
}

function wayOf(webhook: string, hasSecret: boolean): string {
  if (hasSecret) {
    return webhook === ''
      ? 'No webhook is set, and a webhook secret is: run this with --url.'
      : `A webhook is set: ${webhook}.`
  }
  return webhook === ''
    ? 'Answers are fetched by long polling; no address of yours has to be public.'
    : 'A webhook is set and no secret for it: set COUNTERSIGN_TELEGRAM_WEBHOOK_SECRET, or run this with --polling.'
}

function sentenceOf(error: unknown): string {
  if (error instanceof TelegramError && [401, 404].includes(error.code)) {
    return 'Telegram refuses the token.'
  }
  const isOurs = error instanceof TelegramError || error instanceof NotDelivered
  return isOurs ? `${error.message}.` : 'Telegram cannot be reached.'
}
