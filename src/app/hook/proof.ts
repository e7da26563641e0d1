import { createHmac, timingSafeEqual } from 'node:crypto'

/** What is proved: each text is bound to what it is for, so none can stand in for another. */
type Purpose = 'hello' | 'ask' | 'answer'

/** Proves that the sender of a text has read server.json. The key itself is never sent. */
export function proofOf(key: string, purpose: Purpose, nonce: string, text: string): string {
  return createHmac('sha256', Buffer.from(key, 'hex'))
    .update(`countersign hook ${purpose}\n${nonce}\n`)
    .update(text)
    .digest('hex')
}

export function isProof(given: unknown, expected: string): boolean {
  if (typeof given !== 'string' || given.length !== expected.length) return false
  return timingSafeEqual(Buffer.from(given), Buffer.from(expected))
}

export const NONCE = /^[0-9a-f]{32}$/
export const KEY = /^[0-9a-f]{64}$/
export const NONCE_HEADER = 'x-countersign-nonce'
export const PROOF_HEADER = 'x-countersign-proof'
export const HELLO_PATH = '/v1/hook'
export const ASK_PATH = '/v1/hook/ask'
