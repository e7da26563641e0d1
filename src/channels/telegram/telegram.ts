import { createHash, timingSafeEqual } from 'node:crypto'
import { CountersignError } from '../../base/errors.ts'
import { type Channel, NotDelivered, type Share } from '../../gate/notify/channel.ts'
import type { ChannelHost } from '../../gate/notify/channel-host.ts'
import { parsedJson, valueAt } from '../chat/text-at.ts'
import { addressesIn } from './telegram-addresses.ts'
import { createTelegramCall, TelegramError } from './telegram-api.ts'
import { createBot } from './telegram-bot.ts'
import { deliver, deliverDigest } from './telegram-delivery.ts'
import { startPolling } from './telegram-polling.ts'
import { handleUpdate } from './telegram-updates.ts'

export interface TelegramOptions {
  /** `123456:ABC…`, from @BotFather. */
  readonly botToken: string
  /**
   * Answers come to `POST /v1/channels/NAME` with this secret in a header, as `setWebhook` was told.
   * Without it they are fetched by long polling. Several while one is replaced.
   */
  readonly webhookSecrets?: string | readonly string[]
  /** `arguments`: calls are shown and decided in Telegram. The name of the tool alone unless set. */
  readonly share?: Share
  /** Group chats in which groups of the policy are told, besides each member: `{ finance: '-100…' }`. */
  readonly chats?: Readonly<Record<string, string>>
  /** What operators see, and the end of the address of the webhook; `telegram` unless set. */
  readonly name?: string
  /** Another place of the Bot API: a server of your own, or one for tests. */
  readonly apiUrl?: string
}

export const TELEGRAM_API = 'https://api.telegram.org'
/** Updates whose repetition is recognised. */
const REMEMBERED = 1_000

/** Tells people in Telegram and, where calls may be shown there, takes their answers. */
export function telegram(options: TelegramOptions): Channel {
  const { botToken, name = 'telegram', share = 'name', chats = {} } = options
  const secrets = [options.webhookSecrets ?? []].flat()
  assertOptions(options, secrets)
  const call = createTelegramCall(options.apiUrl ?? TELEGRAM_API, botToken)
  const bot = createBot(call)
  const seen = new Set<number>()
  const working = new Set<Promise<unknown>>()
  let host: ChannelHost | undefined

  /** Never rejects: what failed was answered with a sentence, or cannot be answered at all. */
  async function update(one: unknown): Promise<void> {
    const id = valueAt(one, 'update_id')
    if (!host || typeof id !== 'number' || seen.has(id)) return
    const [oldest] = seen.size >= REMEMBERED ? seen : []
    if (oldest !== undefined) seen.delete(oldest)
    seen.add(id)
    const work = handleUpdate({ host, call, bot, share }, one).catch(() => {})
    working.add(work)
    await work
    working.delete(work)
  }

  async function receive(request: Request): Promise<Response> {
    const given = request.headers.get('x-telegram-bot-api-secret-token') ?? ''
    if (!secrets.some((secret) => isSame(secret, given))) {
      throw new CountersignError(
        'signature_refused',
        'this did not come with the secret of the webhook',
      )
    }
    await update(parsedJson(await request.text()))
    return Response.json({})
  }

  return {
    name,
    share,
    addresses: (notice, people) =>
      addressesIn({ bot, chats, host: () => host }, notice, people).catch((error: unknown) => {
        throw error instanceof TelegramError ? new NotDelivered(error.message) : error
      }),
    async send(notice, signal, delivery) {
      if (!delivery) throw new NotDelivered('Telegram needs to know whom to tell')
      return deliver({ call, mayAnswer: share === 'arguments' }, notice, delivery, signal)
    },
    sendDigest: (notices, signal, address) => deliverDigest(call, notices, address, signal),
    linking: { title: 'Telegram', where: 'to the bot, in a private chat' },
    ...(secrets.length > 0 ? { receive } : {}),
    connect(given) {
      host = given
      const stop =
        secrets.length > 0
          ? () => {}
          : startPolling({ call, onUpdate: update, report: given.report })
      return async () => {
        await stop()
        await Promise.allSettled(working)
      }
    },
  }
}

/** Of the same length whatever was given, so that comparing tells nothing. */
function isSame(secret: string, given: string): boolean {
  const [a, b] = [secret, given].map((text) => createHash('sha256').update(text).digest())
  return a !== undefined && b !== undefined && timingSafeEqual(a, b)
}

function assertOptions(
  { botToken, chats = {}, apiUrl = TELEGRAM_API }: TelegramOptions,
  secrets: readonly string[],
): void {
  if (!/^\d{1,20}:[\w-]{20,200}$/.test(botToken)) {
    throw wrong('the bot token of Telegram does not look like 123456:ABC…')
  }
  // What Telegram allows, and long enough that it is not guessed.
  if (secrets.some((secret) => !/^[\w-]{16,256}$/.test(secret))) {
    throw wrong('a webhook secret of Telegram is not 16 to 256 letters, digits, - and _')
  }
  const isSafe =
    URL.canParse(apiUrl) &&
    (apiUrl.startsWith('https://') || /^http:\/\/(?:127\.0\.0\.1|localhost)[:/]/.test(apiUrl))
  if (!isSafe) throw wrong('the address of Telegram is not an https address')
  const wrongChat = Object.values(chats).find((id) => !/^-\d{1,16}$/.test(id))
  if (wrongChat !== undefined) {
    throw wrong(`${JSON.stringify(wrongChat)} is not the id of a group chat in Telegram`)
  }
}

function wrong(message: string): CountersignError {
  return new CountersignError('usage', message, {
    hint: '`countersign telegram setup` says where each of them is found.',
  })
}
