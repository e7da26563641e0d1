import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { messageProblem } from './discord-rules.ts'

/*
 * As much of Discord as the channel uses, strict about what Discord is strict about: the token, who
 * the client is, sizes, mentions, buttons, an address that checks signatures. It can be told to limit,
 * lose, delay and refuse.
 */

export const APP_ID = '700000000000000001'
export const BOT_ID = '700000000000000002'
export const GUILD = '800000000000000001'
export const TOKEN = 'NzAwMDAwMDAwMDAwMDAwMDAy.GfakeT.of_the_tests_0123456789abcdef'

/** A key that every process of a test can make. */
export function keyOf(seed: number): KeyObject {
  const der = Buffer.concat([
    Buffer.from('302e020100300506032b657004220420', 'hex'),
    Buffer.alloc(32, seed),
  ])
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
}

export function publicHexOf(key: KeyObject): string {
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' })
  return Buffer.from(x, 'base64url').toString('hex')
}

const KEY = keyOf(7)
export const PUBLIC_KEY = publicHexOf(KEY)

/** The headers that Discord would send with these bytes. */
export function signedByDiscord(
  body: string,
  { key = KEY, at = String(Math.floor(Date.now() / 1_000)) } = {},
): Record<string, string> {
  const signature = sign(null, Buffer.from(`${at}${body}`), key).toString('hex')
  return {
    'content-type': 'application/json',
    'x-signature-ed25519': signature,
    'x-signature-timestamp': at,
  }
}

export interface FakeMessage {
  readonly channel: string
  readonly id: string
  readonly replyTo?: string
  content: string
  components: readonly unknown[]
  /** As people read it. */
  text: string
  edits: number
}

type Fault = 'limit' | 'lose' | 'lose-answer' | 'error' | 'closed'
type Fields = Readonly<Record<string, unknown>>
export type Kind = 'app' | 'open' | 'post' | 'edit' | 'history' | 'member' | 'commands' | 'setup'
type Answer = readonly [status: number, body: unknown]

export interface FakeDiscord {
  readonly apiUrl: string
  readonly messages: readonly FakeMessage[]
  readonly calls: readonly Kind[]
  readonly commands: readonly Fields[]
  /** Members of the server, by id of the account. */
  readonly members: Map<string, Fields>
  endpoint: string
  /** Milliseconds before every answer. */
  delay: number
  fail(kind: Kind, ...faults: Fault[]): void
  cut: (kind: Kind, moment: 'before' | 'after') => boolean
  /** Discord compares nonces for a few minutes. */
  minutesLater(): void
  /** What Discord would tell of this message. */
  seen(message: FakeMessage): Fields
  close(): Promise<void>
}

export const conversationOf = (user: string) => `6${user.slice(1)}`
export const nextId = (() => {
  let last = 900_000_000_000_000_000n
  return () => String(++last)
})()

export async function fakeDiscord(): Promise<FakeDiscord> {
  const messages: FakeMessage[] = []
  const calls: Kind[] = []
  const commands: Fields[] = []
  const members = new Map<string, Fields>()
  const nonces = new Map<unknown, FakeMessage>()
  const faults = new Map<Kind, Fault[]>()

  const http = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const { kind, ids } = kindOf(`${request.method} ${(request.url ?? '').split('?')[0]}`)
    const fault = faults.get(kind)?.shift()
    if (own.delay > 0) await new Promise((done) => setTimeout(done, own.delay))
    if (fault === 'lose' || own.cut(kind, 'before')) return void request.socket.destroy()
    calls.push(kind)
    const isClient =
      request.headers.authorization === `Bot ${TOKEN}` &&
      /^DiscordBot \(https:.*, .*\)$/.test(request.headers['user-agent'] ?? '')
    const fields = (body === '' ? {} : JSON.parse(body)) as Fields
    const [status, answer] = isClient
      ? (failing(fault) ?? (await answerTo(kind, ids, fields)))
      : [401, { code: 0, message: '401: Unauthorized' }]
    if (fault === 'lose-answer' || own.cut(kind, 'after')) return void request.socket.destroy()
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(status === 429 ? { 'retry-after': '8' } : {}),
    })
    response.end(JSON.stringify(answer))
  }

  async function answerTo(kind: Kind, ids: readonly string[], fields: Fields): Promise<Answer> {
    const [first = '', second = ''] = ids
    switch (kind) {
      case 'app':
        return [
          200,
          {
            ...{ id: APP_ID, name: 'Countersign', verify_key: PUBLIC_KEY },
            ...{ bot: { id: BOT_ID, bot: true }, interactions_endpoint_url: own.endpoint || null },
          },
        ]
      case 'setup': {
        const url = String(fields.interactions_endpoint_url)
        if (!(await verifiesSignatures(url)))
          return [400, { code: 50_035, message: 'Invalid Form' }]
        own.endpoint = url
        return [200, { id: APP_ID }]
      }
      case 'commands':
        if (fields.name !== undefined) commands.push(fields)
        return [200, fields.name === undefined ? commands : fields]
      case 'open': {
        const user = String(fields.recipient_id)
        if (user.endsWith('404')) return [404, { code: 10_013, message: 'Unknown User' }]
        return [200, { id: conversationOf(user), type: 1 }]
      }
      case 'member': {
        const member = first === GUILD ? members.get(second) : undefined
        return member ? [200, member] : [404, { code: 10_007, message: 'Unknown Member' }]
      }
      case 'history':
        return [
          200,
          messages
            .filter(({ channel }) => channel === first)
            .map(own.seen)
            .toReversed(),
        ]
      case 'post': {
        const problem = messageProblem(fields)
        if (problem) return [400, { code: 50_035, message: problem }]
        const known = fields.enforce_nonce === true ? nonces.get(fields.nonce) : undefined
        if (known) return [200, own.seen(known)]
        const { message_id: replyTo } = (fields.message_reference ?? {}) as { message_id?: string }
        const sent: FakeMessage = {
          ...{ channel: first, id: nextId(), ...shown(fields), edits: 0 },
          ...(replyTo === undefined ? {} : { replyTo }),
        }
        messages.push(sent)
        if (fields.nonce !== undefined) nonces.set(fields.nonce, sent)
        return [200, own.seen(sent)]
      }
      case 'edit': {
        const found = messages.find(({ channel, id }) => channel === first && id === second)
        if (!found) return [404, { code: 10_008, message: 'Unknown Message' }]
        const problem = messageProblem(fields)
        if (problem) return [400, { code: 50_035, message: problem }]
        Object.assign(found, shown(fields), { edits: found.edits + 1 })
        return [200, own.seen(found)]
      }
    }
  }

  const own: FakeDiscord = {
    apiUrl: `http://127.0.0.1:${port}`,
    ...{ messages, calls, commands, members, endpoint: '', delay: 0, cut: () => false },
    fail: (kind, ...next) => void faults.set(kind, [...(faults.get(kind) ?? []), ...next]),
    minutesLater: () => nonces.clear(),
    seen: ({ channel, id, content, components, replyTo }) => ({
      ...{ id, channel_id: channel, content, components, flags: 4, type: replyTo ? 19 : 0 },
      author: { id: BOT_ID, username: 'countersign', bot: true },
      ...(replyTo === undefined ? {} : { message_reference: { message_id: replyTo } }),
    }),
    async close() {
      http.closeAllConnections()
      await new Promise((over) => http.close(over))
    },
  }
  return own
}

const ROUTES: readonly (readonly [RegExp, Kind])[] = [
  [/^GET \/applications\/@me$/, 'app'],
  [/^PATCH \/applications\/@me$/, 'setup'],
  [/^(?:GET|POST) \/applications\/(\d+)\/commands$/, 'commands'],
  [/^POST \/users\/@me\/channels$/, 'open'],
  [/^GET \/guilds\/(\d+)\/members\/(\d+)$/, 'member'],
  [/^GET \/channels\/(\d+)\/messages$/, 'history'],
  [/^POST \/channels\/(\d+)\/messages$/, 'post'],
  [/^PATCH \/channels\/(\d+)\/messages\/(\d+)$/, 'edit'],
]

function kindOf(route: string): { readonly kind: Kind; readonly ids: readonly string[] } {
  for (const [pattern, kind] of ROUTES) {
    const found = pattern.exec(route)
    if (found) return { kind, ids: found.slice(1) }
  }
  throw new Error(`Discord has no ${route}`)
}

function failing(fault: Fault | undefined): Answer | undefined {
  if (fault === 'limit') return [429, { message: 'You are being rate limited.', retry_after: 7.5 }]
  if (fault === 'error') return [500, { code: 0, message: '500: Internal Server Error' }]
  if (fault === 'closed') return [403, { code: 50_007, message: 'Cannot send messages' }]
  return undefined
}

/** Without the marks of code and of bold. */
export function plainOf(content: string): string {
  return content.replaceAll(/```(?:text|json)\n([\s\S]*?)\n```/g, '$1').replaceAll(/`|\*\*/g, '')
}

function shown(fields: Fields) {
  const content = String(fields.content).trim()
  const text = plainOf(content)
  return { content, text, components: (fields.components ?? []) as readonly unknown[] }
}

/** As Discord checks an address: a PING that it signed, and one that it did not. */
async function verifiesSignatures(url: string): Promise<boolean> {
  const body = JSON.stringify({ type: 1, id: nextId(), application_id: APP_ID })
  const post = (headers: Record<string, string>) => fetch(url, { method: 'POST', headers, body })
  try {
    const right = await post(signedByDiscord(body))
    const wrong = await post(signedByDiscord(body, { key: keyOf(8) }))
    const { type } = (await right.json()) as { type?: number }
    return right.status === 200 && type === 1 && wrong.status === 401
  } catch {
    return false
  }
}
