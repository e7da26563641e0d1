import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, type JWTPayload, SignJWT } from 'jose'

/*
 * As much of Microsoft's Bot Connector as the channel uses, strict about what it is strict about: the
 * sign-in, the bearer, the kinds of elements in a card, its size. It can be told to limit, lose, delay
 * and refuse. Its keys are served as Microsoft serves them, with the channels they may speak for.
 */

export const APP_ID = '0a1b2c3d-0000-4000-8000-000000000001'
export const TENANT = '0a1b2c3d-0000-4000-8000-00000000000a'
export const PASSWORD = 'client~secret~of~the~tests'
const BEARER = 'token-of-the-bot'

export type Fields = Readonly<Record<string, unknown>>
type Fault = 'limit' | 'lose' | 'lose-answer' | 'error' | 'blocked'
export type Kind = 'keys' | 'login' | 'post' | 'edit' | 'member'
type Answer = readonly [status: number, body: unknown]
type KeyName = 'right' | 'other' | 'unpublished'

export interface FakeMessage {
  readonly conversation: string
  readonly id: string
  card: Fields
  /** As people read it, a line each. */
  text: string
  edits: number
}

export interface FakeTeams {
  readonly url: string
  readonly serviceUrl: string
  readonly host: string
  readonly messages: readonly FakeMessage[]
  readonly calls: readonly Kind[]
  /** Of every conversation, by the id that Teams gives them. */
  readonly members: Map<string, Fields>
  delay: number
  fail(kind: Kind, ...faults: Fault[]): void
  cut: (kind: Kind, moment: 'before' | 'after') => boolean
  /** What the connector sends as its bearer. */
  token(change?: TokenChange): Promise<string>
  close(): Promise<void>
}

export interface TokenChange {
  readonly key?: KeyName
  readonly kid?: string
  readonly claims?: JWTPayload
  readonly alg?: 'RS256' | 'PS256' | 'RS512'
}

const KEYS = {
  right: generateKeyPairSync('rsa', { modulusLength: 2_048 }),
  other: generateKeyPairSync('rsa', { modulusLength: 2_048 }),
  unpublished: generateKeyPairSync('rsa', { modulusLength: 2_048 }),
}
export const RIGHT_PUBLIC = KEYS.right.publicKey

export async function fakeTeams(): Promise<FakeTeams> {
  const messages: FakeMessage[] = []
  const calls: Kind[] = []
  const members = new Map<string, Fields>()
  const faults = new Map<Kind, Fault[]>()
  let next = 1_800_000_000_000
  const keys = [
    { ...(await exportJWK(KEYS.right.publicKey)), kid: 'right', endorsements: ['msteams'] },
    // Speaks for a channel in which senders choose who they are.
    { ...(await exportJWK(KEYS.other.publicKey)), kid: 'other', endorsements: ['directline'] },
  ]

  const http = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  const host = `127.0.0.1:${port}`

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const { kind, ids } = kindOf(`${request.method} ${request.url}`)
    const fault = faults.get(kind)?.shift()
    if (own.delay > 0) await new Promise((done) => setTimeout(done, own.delay))
    if (fault === 'lose' || own.cut(kind, 'before')) return void request.socket.destroy()
    calls.push(kind)
    const isOpen = kind === 'keys' || kind === 'login'
    const isBot = isOpen || request.headers.authorization === `Bearer ${BEARER}`
    const [status, answer] = isBot
      ? (failing(fault) ?? answerTo(kind, ids, body))
      : [401, { error: { code: 'Unauthorized' } }]
    if (fault === 'lose-answer' || own.cut(kind, 'after')) return void request.socket.destroy()
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(status === 429 ? { 'retry-after': '7' } : {}),
    })
    response.end(JSON.stringify(answer))
  }

  function answerTo(
    kind: Kind,
    [first = '', second = '']: readonly string[],
    body: string,
  ): Answer {
    switch (kind) {
      case 'keys':
        return [200, { keys }]
      case 'login': {
        const form = Object.fromEntries(new URLSearchParams(body))
        const isRight =
          first === TENANT &&
          form.client_id === APP_ID &&
          form.client_secret === PASSWORD &&
          form.grant_type === 'client_credentials' &&
          form.scope === 'https://api.botframework.com/.default'
        return isRight
          ? [200, { access_token: BEARER, expires_in: 3_599, token_type: 'Bearer' }]
          : [401, { error: 'invalid_client' }]
      }
      case 'member': {
        const member = members.get(second)
        return member ? [200, member] : [404, { error: { code: 'MemberNotFoundInConversation' } }]
      }
      case 'post': {
        const card = cardIn(body)
        const problem = cardProblem(card)
        if (problem) return [400, { error: { code: 'BadSyntax', message: problem } }]
        const sent = { conversation: first, id: String(next++), card, text: textOf(card), edits: 0 }
        messages.push(sent)
        return [201, { id: sent.id }]
      }
      case 'edit': {
        const found = messages.find((one) => one.conversation === first && one.id === second)
        if (!found) return [404, { error: { code: 'ActivityNotFoundInConversation' } }]
        const card = cardIn(body)
        const problem = cardProblem(card)
        if (problem) return [400, { error: { code: 'BadSyntax', message: problem } }]
        Object.assign(found, { card, text: textOf(card), edits: found.edits + 1 })
        return [200, { id: found.id }]
      }
    }
  }

  const own: FakeTeams = {
    ...{ url: `http://${host}`, serviceUrl: `http://${host}/amer/`, host },
    ...{ messages, calls, members, delay: 0, cut: () => false },
    fail: (kind, ...some) => void faults.set(kind, [...(faults.get(kind) ?? []), ...some]),
    token({ key = 'right', kid = key, claims = {}, alg = 'RS256' } = {}) {
      const now = Math.floor(Date.now() / 1_000)
      return new SignJWT({
        ...{ iss: 'https://api.botframework.com', aud: APP_ID, nbf: now, exp: now + 3_600 },
        ...{ serviceurl: own.serviceUrl, ...claims },
      })
        .setProtectedHeader({ alg, kid, typ: 'JWT' })
        .sign(KEYS[key].privateKey)
    },
    async close() {
      http.closeAllConnections()
      await new Promise((over) => http.close(over))
    },
  }
  return own
}

const ROUTES: readonly (readonly [RegExp, Kind])[] = [
  [/^GET \/keys$/, 'keys'],
  [/^POST \/([^/]+)\/oauth2\/v2\.0\/token$/, 'login'],
  [/^GET \/amer\/v3\/conversations\/([^/]+)\/members\/([^/]+)$/, 'member'],
  [/^POST \/amer\/v3\/conversations\/([^/]+)\/activities$/, 'post'],
  [/^PUT \/amer\/v3\/conversations\/([^/]+)\/activities\/([^/]+)$/, 'edit'],
]

function kindOf(route: string): { readonly kind: Kind; readonly ids: readonly string[] } {
  for (const [pattern, kind] of ROUTES) {
    const found = pattern.exec(route)
    if (found) return { kind, ids: found.slice(1).map(decodeURIComponent) }
  }
  throw new Error(`the connector has no ${route}`)
}

function failing(fault: Fault | undefined): Answer | undefined {
  if (fault === 'limit') return [429, { error: { code: 'TooManyRequests' } }]
  if (fault === 'error') return [502, { error: { code: 'BadGateway' } }]
  if (fault === 'blocked') return [403, { error: { code: 'ConversationBlockedByUser' } }]
  return undefined
}

function cardIn(body: string): Fields {
  const { attachments = [] } = JSON.parse(body) as { attachments?: { content: Fields }[] }
  return attachments[0]?.content ?? {}
}

interface Element {
  readonly type: string
  readonly title?: string
  readonly verb?: string
  readonly data?: Fields
  readonly url?: string
  readonly inlines?: readonly { readonly type: string; readonly text: string }[]
}

export const actionsOf = (card: Fields) => (card.actions ?? []) as readonly Element[]

/** As people read it. A space that does not break looks like any other. */
export function textOf(card: Fields): string {
  return ((card.body ?? []) as readonly Element[])
    .flatMap(({ inlines = [] }) => inlines.map(({ text }) => text.replaceAll('\u00a0', ' ')))
    .join('\n')
}

/** What Teams would refuse, and what a text of an agent could use to become more than text. */
export function cardProblem(card: Fields): string | undefined {
  if (card.type !== 'AdaptiveCard' || card.version !== '1.5') return 'no card of version 1.5'
  if (Buffer.byteLength(JSON.stringify(card)) > 28_000) return 'the card is too large'
  for (const { type, inlines = [] } of (card.body ?? []) as readonly Element[]) {
    if (type !== 'RichTextBlock' && type !== 'Input.Text') return `${type} reads Markdown`
    for (const one of inlines) {
      if (one.type !== 'TextRun' || one.text === '') return 'a run without text'
      // Two spaces beside each other would be shown as one.
      if (/ {2}|\n/.test(one.text)) return 'text that is not shown as it is'
    }
  }
  for (const { type, url } of actionsOf(card)) {
    if (type !== 'Action.Execute' && type !== 'Action.OpenUrl') return `no action of ours: ${type}`
    if (type === 'Action.OpenUrl' && !/^https?:\/\//.test(url ?? '')) return 'a link that is none'
  }
  return undefined
}
