import { createPublicKey, type KeyObject, verify } from 'node:crypto'

/** Older requests are refused, so that a recorded one cannot be sent again later. */
export const MOST_SECONDS = 300

export interface SignedRequest {
  readonly headers: Headers
  readonly body: Uint8Array
  readonly now: number
}

/** Throws for what is not 32 bytes in hex. */
export function publicKeyOf(hex: string): KeyObject {
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new TypeError('a public key of Discord has 64 hex digits')
  const x = Buffer.from(hex, 'hex').toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}

/** Whether Discord signed exactly these bytes with one of these keys, a short while ago. */
export function isSignedByDiscord(
  keys: readonly KeyObject[],
  { headers, body, now }: SignedRequest,
): boolean {
  const at = headers.get('x-signature-timestamp') ?? ''
  const given = headers.get('x-signature-ed25519') ?? ''
  if (!/^\d{1,12}$/.test(at) || Math.abs(now / 1_000 - Number(at)) > MOST_SECONDS) return false
  if (!/^[0-9a-f]{128}$/i.test(given)) return false
  const signed = Buffer.concat([Buffer.from(at), body])
  const signature = Buffer.from(given, 'hex')
  return keys.some((key) => verify(null, signed, key, signature))
}
