import { createECDH, randomBytes } from 'node:crypto'
import { decrypt } from 'http_ece'
import { importJWK, jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import webpush from 'web-push'
import { promise } from '../../../test/support/promise.ts'
import { areKeys, encrypt } from './encrypt.ts'
import { createVapid } from './vapid.ts'

const ENDPOINT = 'https://push.example.net/device/1'

/** A browser: it keeps its private key and gives the rest away. */
function browser() {
  const pair = createECDH('prime256v1')
  const p256dh = pair.generateKeys('base64url')
  const auth = randomBytes(16).toString('base64url')
  const read = (body: Buffer) =>
    decrypt(body, { version: 'aes128gcm', privateKey: pair, authSecret: auth })
  return { keys: { p256dh, auth }, read }
}

/** The text without the filling behind its mark, which http_ece takes off by itself. */
const textOf = (bytes: Buffer) => bytes.toString('utf8')

promise(['CS-PUSH-1'], 'an independent reader opens what is encrypted, as it opens its own', () => {
  const { keys, read } = browser()
  for (const text of ['{"a":1}', 'ü'.repeat(900), 'x'.repeat(1_023), 'x'.repeat(3_993)]) {
    expect(textOf(read(encrypt(text, keys)))).toBe(text)
  }
  const theirs = webpush.generateRequestDetails({ endpoint: ENDPOINT, keys }, '{"a":1}', {
    vapidDetails: { subject: 'mailto:ops@example.com', ...webpush.generateVAPIDKeys() },
    contentEncoding: 'aes128gcm',
  })
  expect(textOf(read(theirs.body as unknown as Buffer))).toBe('{"a":1}')
})

promise(['CS-PUSH-1'], 'no other browser opens it, and no changed byte goes unnoticed', () => {
  const { keys, read } = browser()
  const body = encrypt('{"tool":"pay"}', keys)
  expect(() => browser().read(body)).toThrow()
  const changed = Buffer.from(body)
  changed[changed.length - 20] = (changed[changed.length - 20] ?? 0) ^ 1
  expect(() => read(changed)).toThrow()
  expect(body.toString('latin1')).not.toContain('pay')
})

test('messages of one kind have one length', () => {
  const { keys } = browser()
  const lengths = ['a', 'b'.repeat(500), 'c'.repeat(1_000)].map(
    (text) => encrypt(text, keys).length,
  )
  expect(new Set(lengths).size).toBe(1)
  expect(encrypt('x'.repeat(3_993), keys).length).toBeLessThanOrEqual(4_096)
  expect(() => encrypt('x'.repeat(3_994), keys)).toThrow(RangeError)
})

test('keys that are none are refused before they are kept', () => {
  const { keys } = browser()
  expect(areKeys(keys)).toBe(true)
  const offCurve = Buffer.alloc(65, 7)
  offCurve[0] = 4
  expect(areKeys({ ...keys, p256dh: offCurve.toString('base64url') })).toBe(false)
  expect(areKeys({ ...keys, p256dh: keys.p256dh.slice(0, 40) })).toBe(false)
  expect(areKeys({ ...keys, auth: 'c2hvcnQ' })).toBe(false)
})

promise(
  ['CS-PUSH-1'],
  'a push service verifies the token with the key that stands beside it',
  async () => {
    const key = webpush.generateVAPIDKeys()
    const vapid = createVapid(key, 'mailto:ops@example.com')
    const header = vapid(new URL(ENDPOINT))
    const [, token = '', stated = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(header) ?? []
    expect(stated).toBe(key.publicKey)
    const point = Buffer.from(stated, 'base64url')
    const jwk = {
      ...{ kty: 'EC', crv: 'P-256', alg: 'ES256' },
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    }
    const { payload } = await jwtVerify(token, await importJWK(jwk), {
      audience: 'https://push.example.net',
      algorithms: ['ES256'],
    })
    expect(payload.sub).toBe('mailto:ops@example.com')
    // RFC 8292: at most a day.
    expect((payload.exp ?? 0) - Date.now() / 1_000).toBeLessThanOrEqual(86_400)
    // The same service gets the same token for hours; another one gets its own.
    expect(vapid(new URL(ENDPOINT))).toBe(header)
    expect(vapid(new URL('https://other.example.net/1'))).not.toBe(header)
    const theirs = webpush.getVapidHeaders(
      'https://push.example.net',
      'mailto:ops@example.com',
      key.publicKey,
      key.privateKey,
      'aes128gcm',
    )
    expect(Object.values(theirs)[0]?.replace(/[\w-]{43,}/g, '…')).toBe(
      header.replace(/[\w-]{43,}/g, '…'),
    )
  },
)
