import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

export const CLIENT = { id: 'countersign', secret: 'a-secret-of-the-client' }

export interface Issuer {
  readonly url: URL
  stop(): Promise<void>
}

/** What the provider knows of somebody. Signing in takes the name and any password. */
export type Directory = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** A real OpenID Connect provider on this machine, with its own pages for signing in. */
export function startIssuer(people: Directory, redirectUris: readonly string[]): Promise<Issuer> {
  return listen((issuer) => {
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: redirectUris,
          grant_types: ['authorization_code'],
          response_types: ['code'],
        },
      ],
      cookies: { keys: ['of the tests'] },
      pkce: { required: () => true },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
      findAccount: (_: unknown, id: string) => ({
        accountId: id,
        claims: () => ({ sub: id, ...people[id] }),
      }),
      features: { devInteractions: { enabled: true } },
    })
    return provider.callback()
  })
}

export async function listen(listener: (issuer: string) => RequestListener): Promise<Issuer> {
  let answer: RequestListener = () => {}
  const server = createServer((request, response) => answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = new URL(`http://127.0.0.1:${port}`)
  answer = listener(url.origin)
  return {
    url,
    stop: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** Signs in on the provider's pages as `name`; the query that the browser is sent back with. */
export async function visit(address: string, name: string): Promise<string> {
  const jar = new Map<string, string>()
  let next: { url: string; form?: string } = { url: address }
  for (let pages = 0; pages < 12; pages += 1) {
    const response = await fetch(next.url, {
      redirect: 'manual',
      headers: {
        cookie: [...jar].map(([key, value]) => `${key}=${value}`).join('; '),
        ...(next.form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(next.form === undefined ? {} : { method: 'POST', body: next.form }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      jar.set(key, value)
    }
    const to = response.headers.get('location')
    if (to !== null) {
      const url = new URL(to, next.url)
      if (url.origin !== new URL(address).origin) return url.search.slice(1)
      next = { url: url.href }
      continue
    }
    const page = await response.text()
    const [, prompt] = /name="prompt" value="(\w+)"/.exec(page) ?? []
    const [, action] = /action="([^"]+)"/.exec(page) ?? []
    if (action === undefined) throw new Error(`no form on: ${page.slice(0, 400)}`)
    const form = prompt === 'login' ? `prompt=login&login=${name}&password=x` : 'prompt=consent'
    next = { url: new URL(action, next.url).href, form }
  }
  throw new Error('the provider never sent the browser back')
}
