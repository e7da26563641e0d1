import { createPrivateKey, type KeyObject, sign } from 'node:crypto'

/** A P-256 key pair, as browsers and push services write its parts: base64url. */
export interface VapidKey {
  /** 65 bytes, uncompressed. Browsers subscribe to it. */
  readonly publicKey: string
  readonly privateKey: string
}

const LIVES_S = 12 * 3_600
/** A token that would end sooner than this is made anew. */
const SPARE_S = 3_600

/** RFC 8292: the `authorization` header that says whose messages these are, for one push service. */
export type Vapid = (endpoint: URL) => string

export function createVapid(key: VapidKey, contact: string): Vapid {
  const signer = signingKey(key)
  // By origin: a push service sees many devices, and signing takes longer than encrypting.
  const tokens = new Map<string, { readonly token: string; readonly exp: number }>()
  return ({ origin }) => {
    const now = Math.floor(Date.now() / 1_000)
    let known = tokens.get(origin)
    if (!known || known.exp - now < SPARE_S) {
      const exp = now + LIVES_S
      known = { exp, token: tokenOf(signer, { aud: origin, exp, sub: contact }) }
      if (tokens.size >= MOST) tokens.clear()
      tokens.set(origin, known)
    }
    return `vapid t=${known.token}, k=${key.publicKey}`
  }
}

/** There are a handful of push services; more origins than that are made up. */
const MOST = 100

function signingKey({ publicKey, privateKey }: VapidKey): KeyObject {
  const point = Buffer.from(publicKey, 'base64url')
  const x = point.subarray(1, 33).toString('base64url')
  const y = point.subarray(33).toString('base64url')
  return createPrivateKey({
    format: 'jwk',
    key: { kty: 'EC', crv: 'P-256', x, y, d: privateKey },
  })
}

function tokenOf(key: KeyObject, claims: object): string {
  const signed = [{ typ: 'JWT', alg: 'ES256' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}
