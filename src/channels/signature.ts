import { createHmac } from 'node:crypto'
import { CountersignError } from '../base/errors.ts'

const SHORTEST = 24
const LONGEST = 64

/** A secret as Standard Webhooks writes it: `whsec_` and base64 of 24 to 64 bytes. */
export function readSecret(text: string): Buffer {
  const bytes = Buffer.from(text.replace(/^whsec_/, ''), 'base64')
  const isBase64 = /^(whsec_)?[A-Za-z0-9+/]+={0,2}$/.test(text)
  if (isBase64 && bytes.length >= SHORTEST && bytes.length <= LONGEST) return bytes
  // The secret itself is never repeated: messages end up in logs.
  throw new CountersignError('usage', 'the secret of a webhook is not 24 to 64 bytes in base64', {
    hint: 'Make one with: echo "whsec_$(openssl rand -base64 32)"',
  })
}

/** The headers of one attempt, signed with every secret, so that a receiver can change over. */
export function signedHeaders(
  secrets: readonly Buffer[],
  { id, seconds, body }: { id: string; seconds: number; body: string },
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const signed = `${id}.${seconds}.${body}`
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': secrets
      .map((secret) => `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`)
      .join(' '),
  }
}
