import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { SCOPES } from '../../src/channels/slack/slack-manifest.ts'

/*
 * As much of Slack as the channel uses, strict about what Slack is strict about: tokens, methods,
 * sizes of blocks, triggers that work once. It can be told to limit, lose, delay and repeat.
 */

export interface FakeUser {
  readonly id: string
  readonly team_id: string
  readonly name: string
  readonly email?: string
  readonly [fact: string]: unknown
}

export interface FakeMessage {
  readonly channel: string
  readonly ts: string
  readonly user: string
  readonly thread_ts?: string
  text: string
  blocks: readonly Block[]
  edits: number
}

interface Block {
  readonly type: string
  readonly [member: string]: unknown
}

export interface FakeView {
  readonly trigger_id: string
  readonly view: {
    readonly callback_id: string
    readonly private_metadata?: string
    readonly blocks: readonly Block[]
  }
}

export const TEAM = 'T0ACME'
export const BOT = 'U0BOT'
export const TOKENS = { bot: 'xoxb-right', app: 'xapp-right' }
export const SIGNING_SECRET = 'f0e1d2c3b4a5968778695a4b3c2d1e0f'

type Fault = 'limit' | 'lose' | 'lose-answer' | 'error'

export interface FakeSlack {
  readonly apiUrl: string
  readonly users: Map<string, FakeUser>
  readonly messages: readonly FakeMessage[]
  readonly views: readonly FakeView[]
  readonly calls: readonly string[]
  /** Answers to envelopes, in the order they came. */
  readonly acks: readonly { readonly envelope_id: string; readonly payload?: unknown }[]
  /** The next calls of this method end so, one each. */
  fail(method: string, ...faults: Fault[]): void
  /** Milliseconds before every answer. */
  delay: number
  /** Asked before a call is carried out and before it is answered; true: not any more. */
  cut: (method: string, moment: 'before' | 'after') => boolean
  /** Through Socket Mode; resolves to what the app answers. */
  envelope(type: string, payload: unknown, id?: string): Promise<unknown>
  readonly sockets: number
  /** What the bot token may do. */
  scopes: string
  disconnect(): void
  trigger(): string
  close(): Promise<void>
}

export async function fakeSlack(members: readonly FakeUser[]): Promise<FakeSlack> {
  const users = new Map(members.map((one) => [one.id, one]))
  const messages: FakeMessage[] = []
  const views: FakeView[] = []
  const calls: string[] = []
  const acks: { envelope_id: string; payload?: unknown }[] = []
  const waiting = new Map<string, (payload: unknown) => void>()
  const faults = new Map<string, Fault[]>()
  const triggers = new Set<string>()
  let clock = 1
  let socket: WebSocket | undefined
  let sockets = 0

  const http = createServer((request, response) => void handle(request, response))
  const wss = new WebSocketServer({ server: http })
  wss.on('connection', (opened) => {
    socket = opened
    sockets += 1
    opened.on('message', (data) => {
      const ack = JSON.parse(String(data)) as (typeof acks)[number]
      acks.push(ack)
      waiting.get(ack.envelope_id)?.(ack.payload)
    })
    opened.send(JSON.stringify({ type: 'hello', num_connections: 1 }))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const method = (request.url ?? '').replace(/^\/api\//, '')
    const fields = new URLSearchParams(text)
    const token = (request.headers.authorization ?? '').replace('Bearer ', '')
    const fault = faults.get(method)?.shift()
    if (own.delay > 0) await new Promise((done) => setTimeout(done, own.delay))
    if (fault === 'lose') return void request.socket.destroy()
    if (fault === 'limit') return void response.writeHead(429, { 'retry-after': '7' }).end()
    if (own.cut(method, 'before')) return void request.socket.destroy()
    calls.push(method)
    const answer =
      fault === 'error' ? { ok: false, error: 'fatal_error' } : answerTo(method, token, fields)
    if (fault === 'lose-answer' || own.cut(method, 'after')) return void request.socket.destroy()
    response.writeHead(200, {
      'content-type': 'application/json',
      'x-oauth-scopes': own.scopes,
    })
    response.end(JSON.stringify(answer))
  }

  function answerTo(method: string, token: string, fields: URLSearchParams): object {
    const wanted = method === 'apps.connections.open' ? TOKENS.app : TOKENS.bot
    if (token !== wanted) return { ok: false, error: 'invalid_auth' }
    const at = (name: string) => fields.get(name) ?? ''
    const json = (name: string): unknown => (fields.has(name) ? JSON.parse(at(name)) : undefined)
    switch (method) {
      case 'auth.test':
        return { ok: true, team_id: TEAM, user_id: BOT, team: 'Acme', bot_id: 'B0BOT' }
      case 'apps.connections.open':
        return { ok: true, url: `ws://127.0.0.1:${port}/link` }
      case 'users.info': {
        const user = users.get(at('user'))
        return user ? { ok: true, user } : { ok: false, error: 'user_not_found' }
      }
      case 'users.lookupByEmail': {
        const user = [...users.values()].find(({ email }) => email === at('email'))
        return user ? { ok: true, user } : { ok: false, error: 'users_not_found' }
      }
      case 'conversations.open':
        return users.has(at('users'))
          ? { ok: true, channel: { id: `D${at('users').slice(1)}` } }
          : { ok: false, error: 'user_not_found' }
      case 'chat.postMessage': {
        const blocks = (json('blocks') ?? []) as readonly Block[]
        const problem = blockProblem(blocks, 50)
        if (problem) return { ok: false, error: `invalid_blocks ${problem}` }
        const ts = `${1_800_000_000 + clock++}.000100`
        messages.push({
          ...{ channel: at('channel'), ts, user: BOT, text: at('text'), blocks, edits: 0 },
          ...(fields.has('thread_ts') ? { thread_ts: at('thread_ts') } : {}),
        })
        return { ok: true, channel: at('channel'), ts }
      }
      case 'chat.update': {
        const found = messages.find((one) => one.channel === at('channel') && one.ts === at('ts'))
        if (!found) return { ok: false, error: 'message_not_found' }
        found.text = at('text')
        found.blocks = (json('blocks') ?? []) as readonly Block[]
        found.edits += 1
        return { ok: true, channel: found.channel, ts: found.ts }
      }
      case 'conversations.history':
      case 'conversations.replies': {
        const isThread = method === 'conversations.replies'
        const found = messages.filter(
          (one) =>
            one.channel === at('channel') &&
            (isThread ? one.thread_ts === at('ts') : one.thread_ts === undefined),
        )
        return { ok: true, messages: found.toReversed() }
      }
      case 'views.open': {
        // A trigger works once, and only one that Slack made.
        if (!triggers.delete(at('trigger_id'))) return { ok: false, error: 'invalid_trigger_id' }
        const view = json('view') as FakeView['view']
        const problem = blockProblem(view.blocks, 100)
        if (problem || JSON.stringify(view).length > 250_000) {
          return { ok: false, error: `invalid_arguments ${problem}` }
        }
        if ((view.private_metadata ?? '').length > 3_000) return { ok: false, error: 'metadata' }
        views.push({ trigger_id: at('trigger_id'), view })
        return { ok: true, view: { id: 'V1' } }
      }
      default:
        return { ok: false, error: 'unknown_method' }
    }
  }

  const own: FakeSlack = {
    apiUrl: `http://127.0.0.1:${port}/api`,
    ...{ users, messages, views, calls, acks, delay: 0, cut: () => false },
    scopes: Object.keys(SCOPES).join(','),
    get sockets() {
      return sockets
    },
    fail: (method, ...next) => void faults.set(method, [...(faults.get(method) ?? []), ...next]),
    async envelope(type, payload, id = randomUUID()) {
      const answered = new Promise<unknown>((resolve) => waiting.set(id, resolve))
      const sent = { envelope_id: id, type, payload, accepts_response_payload: true }
      socket?.send(JSON.stringify(sent))
      return answered
    },
    disconnect: () =>
      socket?.send(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested' })),
    trigger() {
      const id = randomUUID()
      triggers.add(id)
      return id
    },
    async close() {
      for (const one of wss.clients) one.terminate()
      wss.close()
      http.closeAllConnections()
      await new Promise((done) => http.close(done))
    },
  }
  return own
}

/** What Slack would refuse, and what a text of an agent could use to become more than text. */
function blockProblem(blocks: readonly Block[], most: number): string | undefined {
  if (blocks.length > most) return 'too many blocks'
  const texts = JSON.stringify(blocks).matchAll(/"type":"mrkdwn","text":"((?:[^"\\]|\\.)*)"/g)
  for (const [, text = ''] of texts) {
    if (
      !/^<!date\^\d+\^(decide by|decided) \{time\} \{date_short_pretty\}\|\1 [\dT:.Z-]+>$/.test(
        text,
      )
    ) {
      return `mrkdwn that is not ours: ${text}`
    }
  }
  for (const { type, text } of blocks) {
    const { text: words = '' } = (text ?? {}) as { text?: string }
    if (words.length > (type === 'header' ? 150 : 3_000)) return `too long a ${type}`
    if (text !== undefined && words === '') return `an empty ${type}`
  }
  return undefined
}

/** The headers and the body that Slack would send. */
export function signedBySlack(
  body: string,
  { secret = SIGNING_SECRET, at = Math.floor(Date.now() / 1_000) } = {},
): Record<string, string> {
  const digest = createHmac('sha256', secret).update(`v0:${at}:${body}`).digest('hex')
  return { 'x-slack-request-timestamp': String(at), 'x-slack-signature': `v0=${digest}` }
}

export function formOf(payload: unknown): string {
  return new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
}
