import { guarded, listening } from './sign-in-world.ts'

type Text = Record<string, string>

/** An authorization server that says what a test wants. */
export interface Liar {
  readonly origin: string
  /** `METHOD /path` of all that arrived, with the body. */
  readonly heard: { readonly what: string; readonly body: string; readonly headers: Text }[]
  /** Changes what it says of itself. */
  metadata: Record<string, unknown>
  /** Answers of endpoints by their path; what they say unless set. */
  readonly answers: Record<string, { status?: number; headers?: Text; body?: string }>
}

export const TOKEN = 'token-of-the-liar-0123456789'

export async function liar(): Promise<Liar> {
  const heard: Liar['heard'] = []
  const answers: Liar['answers'] = {}
  const at: Liar = { origin: '', heard, answers, metadata: {} }
  const origin = await listening((origin) => async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { url = '', method = '' } = request
    const body = Buffer.concat(chunks).toString()
    heard.push({ what: `${method} ${url}`, body, headers: request.headers as Text })
    const usual: Record<string, object> = {
      '/.well-known/oauth-authorization-server': {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
        authorization_response_iss_parameter_supported: true,
        ...at.metadata,
      },
      '/register': { client_id: 'made-here' },
      '/token': { access_token: TOKEN, token_type: 'Bearer', expires_in: 3_600 },
    }
    const said = answers[url] ?? {}
    const found = usual[url]
    const status = said.status ?? (found ? 200 : 404)
    response.writeHead(status, { 'content-type': 'application/json', ...said.headers })
    response.end(said.body ?? JSON.stringify(found ?? {}))
  })
  return Object.assign(at, { origin })
}

/** A server that takes the token of the liar. */
export const guardedBy = ({ origin }: Liar) =>
  guarded(async (token) => (token === TOKEN ? { scope: 'use' } : undefined), [origin])
