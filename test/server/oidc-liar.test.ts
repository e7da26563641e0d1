import { createHash } from 'node:crypto'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { expect, onTestFinished } from 'vitest'
import { type Issuer, listen } from '../support/issuer.ts'
import { promise } from '../support/promise.ts'
import { running } from './harness.ts'

const CLIENT_ID = 'countersign'

interface Lie {
  readonly claims?: JWTPayload
  readonly signed?: 'by another key' | 'by nobody' | 'with the client secret'
  readonly userinfo?: object
  readonly discovery?: object
}

/** A provider that answers as it likes: a real one cannot be made to lie. */
async function startLiar(lie: Lie): Promise<{ issuer: Issuer; nonce: (sent: string) => void }> {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const stranger = await generateKeyPair('RS256')
  const key = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }
  let nonce = ''
  const issuer = await listen((iss) => async (request, response) => {
    const answer = (body: unknown) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(body))
    }
    const now = Math.floor(Date.now() / 1_000)
    const claims = {
      iss,
      sub: 'ana',
      aud: CLIENT_ID,
      nonce,
      iat: now,
      exp: now + 300,
      groups: ['ops'],
      ...lie.claims,
    }
    switch (new URL(request.url ?? '/', iss).pathname) {
      case '/.well-known/openid-configuration':
        return answer({
          issuer: iss,
          authorization_endpoint: `${iss}/auth`,
          token_endpoint: `${iss}/token`,
          jwks_uri: `${iss}/jwks`,
          ...(lie.userinfo ? { userinfo_endpoint: `${iss}/me` } : {}),
          ...lie.discovery,
        })
      case '/jwks':
        return answer({ keys: [key] })
      case '/me':
        return answer(lie.userinfo)
      default: {
        const header = { alg: 'RS256', kid: 'k' }
        const id_token =
          lie.signed === 'by nobody'
            ? new UnsecuredJWT(claims).encode()
            : lie.signed === 'with the client secret'
              ? await new SignJWT(claims)
                  .setProtectedHeader({ alg: 'HS256' })
                  .sign(createHash('sha256').update('secret').digest())
              : await new SignJWT(claims)
                  .setProtectedHeader(header)
                  .sign(lie.signed === 'by another key' ? stranger.privateKey : privateKey)
        return answer({ access_token: 'a', token_type: 'bearer', id_token })
      }
    }
  })
  onTestFinished(() => issuer.stop())
  return {
    issuer,
    nonce: (sent) => {
      nonce = sent
    },
  }
}

async function signInAt(lie: Lie) {
  return (await signIn(lie)).answer
}

async function signIn(lie: Lie, policy?: string) {
  const { issuer, nonce } = await startLiar(lie)
  const own = running({
    ...(policy === undefined ? {} : { policy }),
    oidc: {
      issuer: issuer.url,
      clientId: CLIENT_ID,
      clientSecret: 'secret',
      roles: { viewer: ['ops'] },
    },
  })
  const begun = await own.send('/v1/sign-in/oidc', { method: 'POST' })
  if (begun.status !== 200) return { own, answer: begun }
  const sent = new URL(begun.at('url')).searchParams
  nonce(sent.get('nonce') ?? '')
  const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? ''
  const answer = `code=c&state=${sent.get('state')}`
  return {
    own,
    answer: await own.send('/v1/sign-in/callback', { body: { answer }, headers: { cookie } }),
  }
}

const KIM = 'kim@example.com'

promise.each(
  ['CS-SIGN-2'],
  'S12: an address counts only as one source verified it',
  [
    [
      'an address of the user info, verified by the ID token',
      { claims: { email_verified: true }, userinfo: { sub: 'ana', email: KIM } },
      false,
    ],
    [
      'an address of the ID token, verified by the user info',
      { claims: { email: KIM }, userinfo: { sub: 'ana', email_verified: true } },
      false,
    ],
    [
      'two addresses, only the other one verified',
      {
        claims: { email: KIM, email_verified: false },
        userinfo: { sub: 'ana', email: 'x@example.com', email_verified: true },
      },
      false,
    ],
    [
      'a Kelvin sign for a k',
      { claims: { email: '\u212Aim@example.com', email_verified: true } },
      false,
    ],
    ['verified as text', { claims: { email: KIM, email_verified: 'true' } }, false],
    [
      'no address in the ID token, which says so, beside one of the user info',
      {
        claims: { email: null, email_verified: true },
        userinfo: { sub: 'ana', email: KIM, email_verified: true },
      },
      false,
    ],
    ['a list of addresses', { claims: { email: [KIM], email_verified: true } }, false],
    [
      'another address in the ID token, unverified, beside a verified one of the user info',
      {
        claims: { email: 'x@example.com' },
        userinfo: { sub: 'ana', email: KIM, email_verified: true },
      },
      false,
    ],
    ['both in the ID token', { claims: { email: 'KIM@Example.com', email_verified: true } }, true],
    ['both in the user info', { userinfo: { sub: 'ana', email: KIM, email_verified: true } }, true],
  ] satisfies [string, Lie, boolean][],
  async (_, lie, isKim) => {
    const policy = 'version: 1\ntools: { pay: { approval: { approvers: [kim@example.com] } } }'
    const { own, answer } = await signIn(lie, policy)
    expect(answer.status).toBe(200)
    const cookie = answer.headers.getSetCookie().find((one) => /countersign-4747=./.test(one))
    const as = { cookie: cookie?.split(';')[0] ?? '', 'x-countersign-csrf': answer.at('csrf') }
    const asked = await own.send('/v1/calls', {
      as: await own.agent('bot'),
      body: { tool: 'pay', args: {} },
    })
    const decided = await own.send(`/v1/approvals/${asked.at('id')}/decisions`, {
      as,
      body: { verdict: 'approve', digest: asked.at('digest') },
    })
    expect(decided.status).toBe(isKim ? 200 : 403)
  },
)

promise(['CS-SIGN-4'], 'the same provider, honest, is believed', async () => {
  expect((await signInAt({})).status).toBe(200)
  expect((await signInAt({ userinfo: { sub: 'ana', groups: ['ops'] } })).status).toBe(200)
})

promise.each(
  ['CS-SIGN-4'],
  'a token that is not for this sign-in is refused',
  [
    ['another nonce', { claims: { nonce: 'f'.repeat(64) } }],
    ['no nonce', { claims: { nonce: undefined } }],
    ['another issuer', { claims: { iss: 'https://evil.example' } }],
    ['another audience', { claims: { aud: 'somebody-else' } }],
    ['from the past', { claims: { iat: 1_000, exp: 2_000 } }],
    ['nobody in it', { claims: { sub: undefined } }],
    ['signed by another key', { signed: 'by another key' }],
    ['not signed', { signed: 'by nobody' }],
    ['signed with the wrong kind of key', { signed: 'with the client secret' }],
    ['user info about somebody else', { userinfo: { sub: 'bo' } }],
  ] satisfies [string, Lie][],
  async (_, lie) => {
    const answer = await signInAt(lie)
    expect(answer.status).toBe(401)
    expect(answer.at('error.code')).toBe('signin_refused')
    expect(answer.headers.getSetCookie().filter((one) => /countersign-4747=./.test(one))).toEqual(
      [],
    )
  },
)

promise(['CS-SIGN-4'], 'a provider that names another issuer is not used at all', async () => {
  const answer = await signInAt({ discovery: { issuer: 'https://evil.example' } })
  expect(answer.at('error.code')).toBe('signin_refused')
})
