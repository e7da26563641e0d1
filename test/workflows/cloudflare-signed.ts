import { readSecret, signedHeaders } from '../../src/channels/signature.ts'
import { payloadOf } from '../../src/channels/webhook.ts'
import type { Notice } from '../../src/gate/notify/channel.ts'

/** The request that a server's webhook makes of a notice. */
export function signed(notice: Notice, secret: string, seconds = Date.now() / 1_000): Request {
  const body = JSON.stringify(payloadOf(notice))
  const headers = signedHeaders([readSecret(secret)], {
    id: notice.id,
    seconds: Math.floor(seconds),
    body,
  })
  return new Request('https://worker.example.com/countersign', { method: 'POST', headers, body })
}
