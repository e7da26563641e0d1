import { CountersignError } from '../base/errors.ts'
import type { Notice } from '../gate/notify/channel.ts'

/** A notice of a server, as far as a wake-up needs it. */
export type SignedNotice = Pick<Notice, 'id' | 'kind'> & {
  readonly approval: Pick<Notice['approval'], 'id' | 'agent' | 'run'>
}

/** As long as Standard Webhooks lets a request be under way, in either direction. */
const TOLERANCE_S = 300
/** Notices hold a question and names; a longer body is none. */
const LONGEST = 262_144
/** More signatures than a server has secrets. */
const MOST_SIGNATURES = 16

/**
 * The notice in a request that one of these secrets signed within the last minutes; undefined for
 * every other request. Web-standard cryptography only, so that it runs in Workers.
 */
export async function readSignedNotice(
  request: Request,
  secrets: string | readonly string[],
): Promise<SignedNotice | undefined> {
  const keys = await Promise.all([secrets].flat().map(keyOf))
  if (keys.length === 0) throw new CountersignError('usage', 'waking needs the webhook’s secret')
  const id = request.headers.get('webhook-id') ?? ''
  const seconds = request.headers.get('webhook-timestamp') ?? ''
  const signatures = (request.headers.get('webhook-signature') ?? '').split(' ')
  if (id === '' || !isRecent(seconds) || signatures.length > MOST_SIGNATURES) return undefined
  const body = await bodyOf(request)
  if (body === undefined) return undefined
  const head = new TextEncoder().encode(`${id}.${seconds}.`)
  const signed = new Uint8Array(head.length + body.length)
  signed.set(head)
  signed.set(body, head.length)
  for (const signature of signatures) {
    const bytes = signature.startsWith('v1,') ? bytesOf(signature.slice(3)) : undefined
    if (bytes === undefined) continue
    for (const key of keys) {
      // Compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, bytes, signed)) return noticeOf(body, id)
    }
  }
  return undefined
}

/** Secrets that were made into keys: importing one takes as long as verifying with it. */
const KEYS = new Map<string, Promise<CryptoKey>>()
/** More than a program has while it changes them; each is of its configuration. */
const MOST_KEYS = 64

function keyOf(secret: string): Promise<CryptoKey> {
  const known = KEYS.get(secret)
  if (known !== undefined) return known
  const key = importKey(secret)
  if (KEYS.size < MOST_KEYS) KEYS.set(secret, key)
  return key
}

function importKey(secret: string): Promise<CryptoKey> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''))
  if (bytes === undefined || bytes.length < 24 || bytes.length > 64) {
    throw new CountersignError('usage', 'the secret of a webhook is not 24 to 64 bytes in base64', {
      hint: 'Give COUNTERSIGN_WEBHOOK_SECRET of the server, which starts with whsec_.',
    })
  }
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function isRecent(seconds: string): boolean {
  if (!/^\d{1,12}$/.test(seconds)) return false
  return Math.abs(Date.now() / 1_000 - Number(seconds)) <= TOLERANCE_S
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** Undefined for a body that is too long, however long it claims to be. */
async function bodyOf(request: Request): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const parts: Uint8Array[] = []
  let length = 0
  const reader = request.body?.getReader()
  for (;;) {
    const part = await reader?.read()
    if (!part || part.done) break
    const bytes = part.value as Uint8Array
    length += bytes.length
    if (length > LONGEST) {
      await reader?.cancel()
      return undefined
    }
    parts.push(bytes)
  }
  const body = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    body.set(part, at)
    at += part.length
  }
  return body
}

/** Signed by the server, so what it says is the server's; what is none of ours is left alone. */
function noticeOf(body: Uint8Array, id: string): SignedNotice | undefined {
  const { type, data } = (jsonIn(body) ?? {}) as { type?: unknown; data?: unknown }
  const { approval } = (data ?? {}) as { approval?: Partial<SignedNotice['approval']> | null }
  if (typeof type !== 'string' || !type.startsWith('approval.')) return undefined
  if (typeof approval?.id !== 'string' || typeof approval.agent !== 'string') return undefined
  const { run } = approval
  return {
    id,
    kind: type.slice('approval.'.length) as SignedNotice['kind'],
    approval: {
      id: approval.id,
      agent: approval.agent,
      ...(typeof run === 'string' ? { run } : {}),
    },
  }
}

function jsonIn(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}
