import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { CLIENT, type Issuer, listen } from '../support/issuer.ts'

/** What the token endpoint answers to one poll. */
export interface Answer {
  readonly status?: number
  /** JSON, or a text as it is. */
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** The question that is polled, and what a true yes to it would say. */
export interface Polled {
  readonly id: string
  readonly hint: string
  readonly claims: JWTPayload
  readonly nth: number
  /** Of a token that the provider signs. */
  sign(claims: JWTPayload, by?: Signer): Promise<string>
}

export type Signer = 'ours' | 'another key' | 'an unknown key' | 'no key' | 'the client secret'

export type Lie = (polled: Polled) => Answer | Promise<Answer>

export interface LyingIssuer extends Issuer {
  /** What is answered to polls about a question with this text in it; pending unless set. */
  readonly lies: Map<string, Lie>
  /** What the user info says, by access token; the person's own claims unless set. */
  readonly userinfo: Map<string, Answer>
  /** Bodies that reached the provider. */
  readonly bodies: string[]
  /** Times of the polls, by text of the question. */
  readonly polls: Map<string, number[]>
  /** What is answered to the next question in place of taking it. */
  refusal: Answer | undefined
}

export const yes = async ({ claims, sign }: Polled): Promise<Answer> => tokens(await sign(claims))

export const tokens = (idToken: unknown, more: object = {}): Answer => ({
  body: { access_token: 'a', token_type: 'bearer', id_token: idToken, ...more },
})

export const failure = (error: string, status = 400): Answer => ({ status, body: { error } })

/** A provider that answers as it likes: a real one cannot be made to lie. */
export async function lyingIssuer(): Promise<LyingIssuer> {
  const [own, stranger] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')]
  const key = { ...(await exportJWK(own.publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }
  const asked = new Map<string, { readonly message: string; readonly hint: string }>()
  const made: Omit<LyingIssuer, keyof Issuer> = {
    ...{ lies: new Map(), userinfo: new Map(), bodies: [], polls: new Map() },
    refusal: undefined,
  }

  function sign(claims: JWTPayload, by: Signer = 'ours'): Promise<string> {
    if (by === 'no key') return Promise.resolve(new UnsecuredJWT(claims).encode())
    if (by === 'the client secret') {
      const secret = createHash('sha256').update(CLIENT.secret).digest()
      return new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(secret)
    }
    const kid = by === 'an unknown key' ? 'other' : 'k'
    const { privateKey } = by === 'ours' ? own : stranger
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey)
  }

  const issuer = await listen((iss) => async (request, response) => {
    const give = ({ status = 200, body, headers = {} }: Answer) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    }
    const text = await bodyOf(request)
    made.bodies.push(text)
    const fields = new URLSearchParams(text)
    switch (new URL(request.url ?? '/', iss).pathname) {
      case '/.well-known/openid-configuration':
        return give({ body: discovery(iss) })
      case '/jwks':
        return give({ body: { keys: [key] } })
      case '/me': {
        const token = (request.headers.authorization ?? '').replace(/^Bearer /i, '')
        return give(made.userinfo.get(token) ?? { body: { sub: 'fay', ...FAY } })
      }
      case '/backchannel': {
        if (made.refusal) return give(made.refusal)
        const id = crypto.randomUUID()
        const message = fields.get('binding_message') ?? ''
        asked.set(id, { message, hint: fields.get('login_hint') ?? '' })
        return give({ body: { auth_req_id: id, expires_in: 120, interval: 1 } })
      }
      default: {
        const id = fields.get('auth_req_id') ?? ''
        const { message, hint } = asked.get(id) ?? { message: '', hint: '' }
        const times = [...(made.polls.get(message) ?? []), Date.now()]
        made.polls.set(message, times)
        const lie = [...made.lies].find(([part]) => message.includes(part))?.[1]
        const now = Math.floor(Date.now() / 1_000)
        const claims = { iss, sub: 'fay', aud: CLIENT.id, iat: now, exp: now + 300, ...FAY }
        const polled = { id, hint, claims, nth: times.length, sign }
        return give((await lie?.(polled)) ?? failure('authorization_pending'))
      }
    }
  })
  return Object.assign(made, issuer)
}

const FAY = { email: 'fay@example.com', email_verified: true }

function discovery(iss: string) {
  return {
    issuer: iss,
    authorization_endpoint: `${iss}/auth`,
    token_endpoint: `${iss}/token`,
    jwks_uri: `${iss}/jwks`,
    userinfo_endpoint: `${iss}/me`,
    backchannel_authentication_endpoint: `${iss}/backchannel`,
    backchannel_token_delivery_modes_supported: ['poll'],
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
