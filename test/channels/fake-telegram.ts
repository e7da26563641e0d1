import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { InlineKeyboardMarkup, MessageEntity } from 'grammy/types'

/*
 * As much of the Bot API as the channel uses, strict about what Telegram is strict about: the token,
 * sizes, entities, buttons, one poller at a time. It can be told to limit, lose, delay and repeat.
 */

export const BOT_ID = 7_000_001
export const TOKEN = `${BOT_ID}:AAF-fake_token_of_the_tests_0123456789`
export const WEBHOOK_SECRET = 'webhook_secret_of_the_tests'

export interface FakeMessage {
  readonly chat: number
  readonly id: number
  readonly replyTo?: number
  text: string
  entities: readonly MessageEntity[]
  markup: InlineKeyboardMarkup | undefined
  isForced: boolean
  edits: number
}

type Fault = 'limit' | 'lose' | 'lose-answer' | 'error' | 'blocked'
type Fields = Readonly<Record<string, unknown>>
type Answer =
  | { ok: true; result: unknown }
  | ({ ok: false; error_code: number; description: string } & Fields)

export interface FakeTelegram {
  readonly apiUrl: string
  readonly messages: readonly FakeMessage[]
  readonly calls: readonly string[]
  readonly alerts: readonly string[]
  /** What waits to be fetched. */
  readonly pending: readonly unknown[]
  webhook: string
  fail(method: string, ...faults: Fault[]): void
  cut: (method: string, moment: 'before' | 'after') => boolean
  /** As a client would cause it; fetched by polling. */
  push(update: Fields): void
  updateId(): number
  /** What Telegram would tell of this message. */
  seen(message: FakeMessage): Fields
  close(): Promise<void>
}

export async function fakeTelegram(): Promise<FakeTelegram> {
  const messages: FakeMessage[] = []
  const calls: string[] = []
  const alerts: string[] = []
  const faults = new Map<string, Fault[]>()
  let pending: Fields[] = []
  let nextUpdate = 100
  let nextMessage = 1
  let poll: { answer: (got: Answer) => void } | undefined

  const http = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const [, token = '', method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? []
    const fault = faults.get(method)?.shift()
    if (fault === 'lose' || own.cut(method, 'before')) return void request.socket.destroy()
    calls.push(method)
    const fields = (body === '' ? {} : JSON.parse(body)) as Fields
    const answer = await (token === TOKEN
      ? answerWith(fault, method, fields, request)
      : failed(401, 'Unauthorized'))
    if (fault === 'lose-answer' || own.cut(method, 'after')) return void request.socket.destroy()
    response.writeHead(answer.ok ? 200 : answer.error_code, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer))
  }

  function answerWith(
    fault: Fault | undefined,
    method: string,
    fields: Fields,
    request: IncomingMessage,
  ): Answer | Promise<Answer> {
    if (fault === 'limit') {
      return { ...failed(429, 'Too Many Requests: retry after 7'), parameters: { retry_after: 7 } }
    }
    if (fault === 'error') return failed(500, 'Internal Server Error')
    if (fault === 'blocked') return failed(403, 'Forbidden: bot was blocked by the user')
    return method === 'getUpdates' ? updates(fields, request) : answerTo(method, fields)
  }

  function answerTo(method: string, fields: Fields): Answer {
    const chat = Number(fields.chat_id)
    switch (method) {
      case 'getMe':
        return done({ id: BOT_ID, is_bot: true, first_name: 'Countersign', username: 'cs_bot' })
      case 'getWebhookInfo':
        return done({ url: own.webhook, pending_update_count: pending.length })
      case 'setWebhook':
        own.webhook = String(fields.url)
        return done(true)
      case 'deleteWebhook':
        own.webhook = ''
        return done(true)
      case 'answerCallbackQuery': {
        const text = String(fields.text ?? '')
        if (text.length > 200) return failed(400, 'Bad Request: MESSAGE_TOO_LONG')
        alerts.push(text)
        return done(true)
      }
      case 'sendMessage': {
        const problem = problemOf(fields)
        if (problem) return failed(400, `Bad Request: ${problem}`)
        if (chat > 0 && chat < 10) return failed(403, "Forbidden: bot can't initiate conversation")
        const { message_id: replyTo } = (fields.reply_parameters ?? {}) as { message_id?: number }
        const sent: FakeMessage = {
          ...{ chat, id: nextMessage++, ...shown(fields), edits: 0 },
          ...(replyTo === undefined ? {} : { replyTo }),
        }
        messages.push(sent)
        return done(own.seen(sent))
      }
      case 'editMessageText': {
        const found = messages.find((one) => one.chat === chat && one.id === fields.message_id)
        if (!found) return failed(400, 'Bad Request: message to edit not found')
        if (found.isForced) return failed(400, "Bad Request: message can't be edited")
        const problem = problemOf(fields)
        if (problem) return failed(400, `Bad Request: ${problem}`)
        const next = shown(fields)
        if (
          next.text === found.text &&
          JSON.stringify(next.markup) === JSON.stringify(found.markup)
        ) {
          return failed(400, 'Bad Request: message is not modified')
        }
        Object.assign(found, next, { edits: found.edits + 1 })
        return done(own.seen(found))
      }
      default:
        return failed(404, 'Not Found: method not found')
    }
  }

  async function updates(fields: Fields, request: IncomingMessage): Promise<Answer> {
    if (own.webhook !== '') {
      return failed(409, "Conflict: can't use getUpdates method while webhook is active")
    }
    poll?.answer(failed(409, 'Conflict: terminated by other getUpdates request'))
    const { offset } = fields as { offset?: number }
    if (offset !== undefined) pending = pending.filter((one) => Number(one.update_id) >= offset)
    if (pending.length > 0) return done(pending)
    return new Promise((resolve) => {
      const own = { answer: (got: Answer) => answer(got) }
      const answer = (got: Answer) => {
        clearTimeout(timer)
        if (poll === own) poll = undefined
        resolve(got)
      }
      const timer = setTimeout(() => answer(done([])), Number(fields.timeout ?? 0) * 1_000)
      request.socket.once('close', () => answer(done([])))
      poll = own
    })
  }

  const own: FakeTelegram = {
    apiUrl: `http://127.0.0.1:${port}`,
    ...{ messages, calls, alerts, webhook: '', cut: () => false },
    get pending() {
      return pending
    },
    fail: (method, ...next) => void faults.set(method, [...(faults.get(method) ?? []), ...next]),
    updateId: () => nextUpdate++,
    push(update) {
      pending.push(update)
      poll?.answer(done(pending))
    },
    seen: ({ chat, id, text, entities, markup }) => ({
      message_id: id,
      date: 1_800_000_000,
      chat:
        chat > 0
          ? { id: chat, type: 'private', first_name: 'x' }
          : { id: chat, type: 'supergroup', title: 'x' },
      from: { id: BOT_ID, is_bot: true, first_name: 'Countersign', username: 'cs_bot' },
      text,
      entities,
      ...(markup ? { reply_markup: markup } : {}),
    }),
    async close() {
      poll?.answer(done([]))
      http.closeAllConnections()
      await new Promise((over) => http.close(over))
    },
  }
  return own
}

function done(result: unknown): Answer {
  return { ok: true, result }
}

function failed(error_code: number, description: string) {
  return { ok: false as const, error_code, description }
}

function shown(fields: Fields) {
  const markup = (fields.reply_markup ?? {}) as Partial<InlineKeyboardMarkup> & {
    force_reply?: boolean
  }
  const keyboard = markup.inline_keyboard
  return {
    text: String(fields.text).trim(),
    entities: (fields.entities ?? []) as readonly MessageEntity[],
    markup: keyboard && keyboard.length > 0 ? { inline_keyboard: keyboard } : undefined,
    isForced: markup.force_reply === true,
  }
}

/** What Telegram would refuse, and what a text of an agent could use to become more than text. */
function problemOf(fields: Fields): string | undefined {
  const text = String(fields.text ?? '')
  if (fields.parse_mode !== undefined) return 'a parse mode reads markup out of foreign text'
  if (text.trim() === '') return 'message text is empty'
  if (text.length > 4_096) return 'message is too long'
  const entities = (fields.entities ?? []) as readonly MessageEntity[]
  for (const { offset, length } of entities) {
    if (offset < 0 || length < 1 || offset + length > text.length) return 'ENTITY_BOUNDS_INVALID'
  }
  // Telegram makes links, mentions and commands of everything outside of code.
  const code = entities.filter(({ type }) => type === 'code' || type === 'pre')
  const free = [...text].length === 0 ? '' : outside(text, code)
  const own = free.replaceAll(/http:\/\/127\.0\.0\.1:\d+\/approvals\/[0-9a-z]+/g, '')
  if (/https?:|@\w|#\w|(^|\s)\/\w/.test(own)) return `foreign text outside of code: ${own}`
  const { inline_keyboard: rows = [] } = (fields.reply_markup ??
    {}) as Partial<InlineKeyboardMarkup>
  for (const button of rows.flat()) {
    if ('callback_data' in button && Buffer.byteLength(button.callback_data ?? '') > 64) {
      return 'BUTTON_DATA_INVALID'
    }
    if ('url' in button && !/^https:\/\//.test(button.url ?? '')) return 'BUTTON_URL_INVALID'
  }
  return undefined
}

function outside(text: string, entities: readonly { offset: number; length: number }[]): string {
  return [...text.split('')]
    .map((unit, at) =>
      entities.some(({ offset, length }) => at >= offset && at < offset + length) ? ' ' : unit,
    )
    .join('')
}
