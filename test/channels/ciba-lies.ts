import type { JWTPayload } from 'jose'
import { failure, type Lie, type LyingIssuer, type Polled, tokens } from './lying-issuer.ts'

const NOW = () => Math.floor(Date.now() / 1_000)
const REQUEST = 'urn:openid:params:jwt:claim:auth_req_id'

const claiming =
  (more: JWTPayload | ((polled: Polled) => JWTPayload)): Lie =>
  async (polled) => {
    const said = typeof more === 'function' ? more(polled) : more
    return tokens(await polled.sign({ ...polled.claims, ...said }))
  }

const without =
  (...names: readonly string[]): Lie =>
  async ({ claims, sign }) => {
    const left = Object.entries(claims).filter(([name]) => !names.includes(name))
    return tokens(await sign(Object.fromEntries(left)))
  }

const answering =
  (more: object, idToken?: unknown): Lie =>
  async ({ claims, sign }) =>
    tokens(idToken === undefined ? await sign(claims) : idToken, more)

const changed =
  (change: (parts: readonly string[]) => string): Lie =>
  async ({ claims, sign }) =>
    tokens(change((await sign(claims)).split('.')))

/** Its user info is that of `more`, whatever the token says. */
const knownAs =
  ({ userinfo }: Pick<LyingIssuer, 'userinfo'>, token: string, body: unknown, status = 200): Lie =>
  async ({ claims, sign }) => {
    userinfo.set(token, { body, status })
    return tokens(await sign(claims), { access_token: token })
  }

const json = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Answers of a provider, or of what stands in its place, that are no yes of this person to this question. */
export function liesOf(issuer: LyingIssuer): Readonly<Record<string, Lie>> {
  return {
    'another person': claiming({ sub: 'finn' }),
    'a person without an account': claiming({ sub: 'eve' }),
    'the name in capitals': claiming({ sub: 'FAY' }),
    'the name and a space': claiming({ sub: 'fay ' }),
    'the address as the subject': claiming({ sub: 'fay@example.com' }),
    'an empty subject': claiming({ sub: '' }),
    'a subject that is a list': claiming({ sub: ['fay'] as unknown as string }),
    'no subject': without('sub'),
    'another issuer': claiming({ iss: 'https://evil.example' }),
    'the issuer with a slash': claiming(({ claims }) => ({ iss: `${claims.iss}/` })),
    'no issuer': without('iss'),
    'another client': claiming({ aud: 'another-client' }),
    'other clients': claiming({ aud: ['another-client', 'a-third'] }),
    'several clients and no authorized party': claiming({ aud: ['countersign', 'another'] }),
    'another authorized party': claiming({ aud: ['countersign', 'another'], azp: 'another' }),
    'no audience': without('aud'),
    expired: claiming({ exp: NOW() - 600 }),
    'an end that is a text': claiming({ exp: 'later' as unknown as number }),
    'no end': without('exp'),
    'older than the question': claiming({ iat: NOW() - 600 }),
    'from 1970': claiming({ iat: 0 }),
    'made at a text': claiming({ iat: 'now' as unknown as number }),
    'made at no time': without('iat'),
    'not valid yet': claiming({ nbf: NOW() + 600 }),
    'signed in before time began': claiming({ auth_time: -1 }),
    'an answer to another request': claiming({ [REQUEST]: 'another' }),
    'an answer to several requests': claiming(({ id }) => ({ [REQUEST]: [id] })),
    'an answer to no request': claiming({ [REQUEST]: '' }),
    'an answer to request null': claiming({ [REQUEST]: null }),
    'signed by another key': async ({ claims, sign }) => tokens(await sign(claims, 'another key')),
    'signed by an unknown key': async ({ claims, sign }) =>
      tokens(await sign(claims, 'an unknown key')),
    'signed by no key': async ({ claims, sign }) => tokens(await sign(claims, 'no key')),
    'signed with the client secret': async ({ claims, sign }) =>
      tokens(await sign(claims, 'the client secret')),
    'no signature': changed(([head, body]) => `${head}.${body}.`),
    'half a token': changed(([head, body]) => `${head}.${body}`),
    'claims changed after signing': changed(
      ([head, , end]) => `${head}.${json({ sub: 'fay', aud: 'countersign' })}.${end}`,
    ),
    'an algorithm changed after signing': changed(
      ([, body, end]) => `${json({ alg: 'none' })}.${body}.${end}`,
    ),
    'a header that asks for more': changed(
      ([, body, end]) => `${json({ alg: 'RS256', kid: 'k', crit: ['x'], x: 1 })}.${body}.${end}`,
    ),
    'five parts': changed((parts) => [...parts, 'x', 'y'].join('.')),
    'a token that is no text': answering({}, { sub: 'fay' }),
    'a token that is null': answering({}, null),
    'a token that is empty': answering({}, ''),
    'words in place of a token': answering({}, 'yes'),
    'no ID token': () => ({ body: { access_token: 'a', token_type: 'bearer' } }),
    'no access token': answering({ access_token: undefined }),
    'no token type': answering({ token_type: undefined }),
    'another token type': answering({ token_type: 'mac' }),
    'a list': () => ({ body: [] }),
    'a text': () => ({ body: '"approved"' }),
    nothing: () => ({ body: '' }),
    'a page': () => ({ body: '<html>approved</html>', headers: { 'content-type': 'text/html' } }),
    'another status': async (polled) => ({
      ...tokens(await polled.sign(polled.claims)),
      status: 201,
    }),
    'a redirect': () => ({ status: 302, body: '', headers: { location: `${issuer.url}yes` } }),
    'an error that is a yes': () => failure('approved'),
    'an error beside a status of 200': () => failure('access_denied', 200),
    'a name of the prototype': () => failure('constructor'),
    'a bad request': () => failure('invalid_request'),
    'a client that may not': () => failure('unauthorized_client'),
    'a client that is refused': () => failure('invalid_client', 401),
    'a failed transaction': () => failure('transaction_failed'),
    'a request that ran out': () => failure('expired_token'),
    'a request that is unknown': () => failure('invalid_grant'),
    'an error of the server': () => failure('server_error', 500),
    'a server that is away': () => ({ status: 503, body: '' }),
    'too many requests': () => ({ status: 429, body: '' }),
    'slow down': () => failure('slow_down'),
    'user info of another person': knownAs(issuer, 'other', { sub: 'finn' }),
    'user info without a subject': knownAs(issuer, 'none', { email: 'fay@example.com' }),
    'user info that is refused': knownAs(issuer, 'refused', { error: 'invalid_token' }, 401),
    'user info that is a page': knownAs(issuer, 'page', '<html></html>'),
  }
}
