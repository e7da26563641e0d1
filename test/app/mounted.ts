import { expect } from 'vitest'
import { remoteGate } from '../../src/client/remote-gate.ts'

/** A program that mounts Countersign at `/approvals` and answers two paths of its own. */
export interface Host {
  /** Its root, such as `http://127.0.0.1:4000`. */
  readonly origin: string
}

type Sender = Readonly<Record<'cookie' | 'x-countersign-csrf', string>>

/**
 * What must hold wherever Countersign is mounted: sign in by link, give an agent a token, ask over
 * HTTP, hear of it on the event stream, decide, and run the call with what was approved.
 */
export async function tellStory({ origin }: Host): Promise<void> {
  const base = `${origin}/approvals`
  await hostKeepsItsPaths(origin)
  const admin = await signIn(origin, base)
  const as = (body?: object, method = body ? 'POST' : 'GET') => ({
    method,
    headers: { ...admin, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  expect(await json(`${base}/v1/me`, as())).toMatchObject({ person: { email: 'ana@example.com' } })
  // The cookie alone opens nothing, and the path without its prefix is none of ours.
  expect((await fetch(`${base}/v1/me`, { headers: { cookie: admin.cookie } })).status).toBe(403)

  const { token } = await json<{ token: string }>(`${base}/v1/tokens`, as({ agent: 'bot' }))
  const stream = await fetch(`${base}/v1/events`, { headers: admin })
  expect(stream.headers.get('content-type')).toContain('text/event-stream')
  const hints = heard(stream)

  const gate = remoteGate({ url: base, token, announce: false })
  const ran: unknown[] = []
  const pay = {
    name: 'pay',
    run: (args: unknown) => {
      ran.push(args)
      return { paid: true }
    },
  }
  const call = { tool: 'pay', args: { amount: 5 }, run: 'run-1', key: 'k1' }
  const outcome = gate.run(call, pay, { waitFor: '30s' })
  const id = await hints.next('pending')
  expect(ran).toEqual([])
  const card = await json<{ digest: string }>(`${base}/v1/approvals/${id}`, as())
  const decided = await fetch(
    `${base}/v1/approvals/${id}/decisions`,
    as({ verdict: 'approve', digest: card.digest }),
  )
  expect(decided.status).toBe(200)
  expect(await outcome).toMatchObject({ status: 'succeeded', ran: true, result: { paid: true } })
  expect(ran).toEqual([{ amount: 5 }])
  await hints.next('approved')
  await hints.leave()

  // An agent's token decides nothing, here as elsewhere.
  const forged = await fetch(`${base}/v1/approvals/${id}/decisions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ verdict: 'approve', digest: card.digest }),
  })
  expect(forged.status).toBe(403)
  expect(await json(`${base}/openapi.json`)).toMatchObject({ servers: [{ url: '/approvals' }] })
  const signedOut = await fetch(`${base}/v1/session`, as(undefined, 'DELETE'))
  expect(signedOut.status).toBe(204)
  expect((await fetch(`${base}/v1/me`, { headers: { ...admin } })).status).toBe(401)
}

async function hostKeepsItsPaths(origin: string): Promise<void> {
  expect(await (await fetch(`${origin}/hello`)).text()).toBe('hello')
  for (const path of ['/v1/me', '/healthz', '/approvalsx/healthz', '/approvals-2/v1/me']) {
    const answer = await fetch(`${origin}${path}`)
    expect(answer.status, path).toBe(404)
    expect(await answer.text(), path).toBe('of the host')
  }
  expect(await json(`${origin}/approvals/healthz`)).toEqual({ status: 'ok' })
  expect(await json(`${origin}/approvals/readyz`)).toEqual({ status: 'ok' })
  const missing = await fetch(`${origin}/approvals/v1/nothing`)
  expect(missing.status).toBe(404)
  expect(await missing.json()).toMatchObject({ error: { code: 'not_found' } })
}

async function signIn(origin: string, base: string): Promise<Sender> {
  const link = new URL(await (await fetch(`${origin}/link`)).text())
  expect(link.pathname).toBe('/approvals/')
  const answer = await fetch(`${base}/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: link.hash.replace('#signin=', '') }),
  })
  expect(answer.status).toBe(200)
  const set = answer.headers.get('set-cookie') ?? ''
  expect(set).toMatch(/^countersign-\d+\.approvals=[^;]+;.*Path=\/(?:;|$)/)
  expect(set).toContain('HttpOnly')
  expect(set).toContain('SameSite=Strict')
  const { csrf } = (await answer.json()) as { csrf: string }
  return { cookie: set.split(';')[0] ?? '', 'x-countersign-csrf': csrf }
}

async function json<T>(url: string, init?: RequestInit): Promise<T> {
  const answer = await fetch(url, init)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text}`)
  return JSON.parse(text) as T
}

/** The hints of an event stream, in their order. */
function heard(stream: Response) {
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    /** The id in the next hint with this status. */
    async next(status: string): Promise<string> {
      for (;;) {
        for (const [whole, data = '{}'] of text.matchAll(/event: hint\ndata: (.*)\n\n/g)) {
          const hint = JSON.parse(data) as { id: string; status: string }
          if (hint.status !== status) continue
          text = text.slice(text.indexOf(whole) + whole.length)
          return hint.id
        }
        const chunk = await reader?.read()
        if (chunk?.value === undefined) throw new Error(`the stream ended before ${status}`)
        text += chunk.value
      }
    },
    leave: async () => reader?.cancel(),
  }
}
