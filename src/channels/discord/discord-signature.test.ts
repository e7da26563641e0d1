import { verifyKey } from 'discord-interactions'
import { expect } from 'vitest'
import { keyOf, publicHexOf, signedByDiscord } from '../../../test/channels/fake-discord.ts'
import { promise } from '../../../test/support/promise.ts'
import { isSignedByDiscord, publicKeyOf } from './discord-signature.ts'

const KEY = keyOf(7)
const HEX = publicHexOf(KEY)
const NOW = 1_800_000_000_000
const AT = String(NOW / 1_000)

function changes(): readonly (readonly [string, string, string])[] {
  const body = JSON.stringify({ type: 3, data: { custom_id: 'a:x', text: 'ümlaut 🙂' } })
  const right = signedByDiscord(body, { key: KEY, at: AT })['x-signature-ed25519'] ?? ''
  const wrong = signedByDiscord(body, { key: keyOf(8), at: AT })['x-signature-ed25519'] ?? ''
  const flipped = Array.from({ length: 64 }, (_, byte) => {
    const bytes = Buffer.from(right, 'hex')
    bytes[byte] = (bytes[byte] ?? 0) ^ 1
    return [body, bytes.toString('hex'), AT] as const
  })
  const bodies = Array.from({ length: 40 }, (_, at) => {
    const other = `${body.slice(0, at)}${body.slice(at + 1)}`
    return [other, right, AT] as const
  })
  return [
    [body, right, AT],
    [body, right.toUpperCase(), AT],
    [body, wrong, AT],
    [body, right, String(Number(AT) + 1)],
    [`${AT.slice(-1)}${body}`, right, AT.slice(0, -1)],
    [body, right.slice(2), AT],
    [body, `${right}00`, AT],
    [body, '', AT],
    ['', right, AT],
    ...flipped,
    ...bodies,
  ]
}

promise(
  ['CS-DISC-2'],
  'a signature of Discord is checked as the library of Discord checks it',
  async () => {
    const found: boolean[] = []
    for (const [body, signature, at] of changes()) {
      const headers = new Headers({
        'x-signature-ed25519': signature,
        'x-signature-timestamp': at,
      })
      const request = { headers, body: Buffer.from(body), now: Number(at) * 1_000 }
      const ours = isSignedByDiscord([publicKeyOf(HEX)], request)
      const theirs = await verifyKey(body, signature, at, HEX).catch(() => false)
      expect(ours, `${signature} ${at} ${body}`).toBe(theirs)
      found.push(ours)
    }
    // The third is that of the digit that moved into the body: its age refuses it.
    expect(found.filter(Boolean)).toHaveLength(3)
  },
)

promise(
  ['CS-DISC-2'],
  'a signature of Discord holds for five minutes, with any of the keys',
  () => {
    const body = '{}'
    const headers = new Headers(signedByDiscord(body, { key: KEY, at: AT }))
    const keys = [publicKeyOf(publicHexOf(keyOf(8))), publicKeyOf(HEX)]
    const at = (now: number) =>
      isSignedByDiscord(keys, { headers, body: Buffer.from(body), now: NOW + now })
    expect([-301_000, -300_000, 0, 300_000, 301_000].map(at)).toEqual([
      ...[false, true, true, true, false],
    ])
    // The same signed bytes, with the last digit of the time in the body.
    const moved = new Headers({
      ...Object.fromEntries(headers),
      'x-signature-timestamp': AT.slice(0, -1),
    })
    const shifted = Buffer.from(`${AT.slice(-1)}${body}`)
    expect(isSignedByDiscord(keys, { headers: moved, body: shifted, now: NOW })).toBe(false)
    expect(() => publicKeyOf('00')).toThrow(/64 hex digits/)
  },
)
