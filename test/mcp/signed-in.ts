import { signInSecret } from '../../src/server/identity/invite.ts'
import type { Gateway } from './http-gateway.ts'

export interface Signed {
  get<T>(path: string): Promise<T>
  send(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }>
  /** Headers of every request of theirs. */
  readonly headers: Readonly<Record<string, string>>
}

/** Somebody at the inbox of a gateway. */
export async function signedIn(
  { url, store }: Gateway,
  email: string,
  roles: readonly ('viewer' | 'approver' | 'author' | 'admin')[],
): Promise<Signed> {
  return signInWith(url, await signInSecret(store, { email, roles: [...roles] }))
}

/** Whoever holds the secret of a link. */
export async function signInWith(url: URL, token: string): Promise<Signed> {
  const json = { 'content-type': 'application/json' }
  const answer = await fetch(new URL('/v1/session', url), {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ token }),
  })
  const { csrf } = (await answer.json()) as { csrf: string }
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const headers = { cookie, 'x-countersign-csrf': csrf }
  async function send(method: string, path: string, body?: object) {
    const response = await fetch(new URL(path, url), {
      method,
      headers: { ...headers, ...(body ? json : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  return {
    headers,
    send,
    get: async <T>(path: string) => (await send('GET', path)).body as T,
  }
}
