import { isIP } from 'node:net'
import type { Context } from 'hono'
import { CountersignError } from '../../base/errors.ts'

/** What a passkey is bound to: browsers use it on pages of this name and on no others. */
export interface Site {
  readonly origin: string
  readonly name: string
}

/** Throws where browsers would: passkeys belong to names, and 127.0.0.1 is none. */
export function siteOf(c: Context, publicUrl: URL | undefined): Site {
  const host = (c.req.header('host') ?? '').toLowerCase()
  const url = host === publicUrl?.host.toLowerCase() ? publicUrl : new URL(`http://${host}`)
  if (isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0) {
    return { origin: url.origin, name: url.hostname }
  }
  const elsewhere = new URL(url)
  elsewhere.hostname = 'localhost'
  throw new CountersignError('passkey_needs_name', 'browsers keep no passkeys for an IP address', {
    hint: publicUrl
      ? 'Give the server a public URL with a host name.'
      : `Open ${elsewhere.origin}/ instead, and paste a link there that \`countersign open\` prints.`,
  })
}
