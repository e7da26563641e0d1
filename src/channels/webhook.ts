import { createHash } from 'node:crypto'
import { CountersignError } from '../base/errors.ts'
import type { Channel, Notice, Share } from '../gate/notify/channel.ts'
import { post, type Reach } from './post.ts'
import { readSecret, signedHeaders } from './signature.ts'

export interface WebhookOptions extends Reach {
  readonly url: string
  /** `whsec_…`, one or several: each notice is signed with all of them. */
  readonly secrets: string | readonly string[]
  /** What operators see; made of the host unless set. */
  readonly name?: string
  /** `message`: also what a `message_template` says. The name of the tool alone unless set. */
  readonly share?: Share
}

/** Notices as signed HTTP requests, after Standard Webhooks. */
export function webhook(options: WebhookOptions): Channel {
  const { secrets, allowHosts, timeout, resolve } = options
  const url = readUrl(options.url)
  const keys = [secrets].flat().map(readSecret)
  if (keys.length === 0) throw new CountersignError('usage', 'a webhook needs a secret')
  return {
    name: options.name ?? nameOf(url),
    share: options.share ?? 'name',
    async send(notice, signal) {
      const body = JSON.stringify(payloadOf(notice))
      const seconds = Math.floor(Date.now() / 1_000)
      const signed = signedHeaders(keys, { id: notice.id, seconds, body })
      const headers = { ...signed, 'content-type': 'application/json' }
      await post(url, { body, headers, signal }, { allowHosts, timeout, resolve })
    },
  }
}

/** `type` and `data` as Standard Webhooks suggests. Nothing in here can decide anything. */
export function payloadOf({ id, kind, at, ...data }: Notice) {
  return { type: `approval.${kind}`, timestamp: new Date(at).toISOString(), data: { id, ...data } }
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (url && isHttp && url.username === '' && url.password === '') return url
  throw new CountersignError('usage', 'the address of a webhook is not an https:// address', {
    hint: 'Use https://HOST/PATH, without a name or password in it.',
  })
}

/** Paths of webhooks are often secrets, so people see the host and a fingerprint. */
function nameOf(url: URL): string {
  const host = url.host.replace(/[^A-Za-z0-9._:-]/g, '').slice(0, 80)
  return `webhook:${host}:${createHash('sha256').update(url.href).digest('hex').slice(0, 8)}`
}
