import assert from 'node:assert/strict'
import { remoteGate } from '../../src/client/remote-gate.ts'

/** A program that mounts Countersign at `/approvals` and answers two paths of its own. */
export interface Host {
  /** Its root, such as `http://127.0.0.1:4000`. */
  readonly origin: string
  /** What it answers at a path that nothing is mounted at. */
  readonly notFound?: RegExp
}

type Sender = Readonly<Record<'cookie' | 'x-countersign-csrf', string>>

/**
 * What must hold wherever Countersign is mounted: sign in by link, give an agent a token, ask over
 * HTTP, hear of it on the event stream, decide, and run the call with what was approved.
 */
export async function tellStory({ origin, notFound = /^of the host$/ }: Host): Promise<void> {
  const base = `${origin}/approvals`
  await hostKeepsItsPaths(origin, notFound)
  const admin = await signIn(origin, base)
  const as = (body?: object, method = body ? 'POST' : 'GET') => ({
    method,
    headers: { ...admin, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  assert.partialDeepStrictEqual(await json(`${base}/v1/me`, as()), {
    person: { email: 'ana@example.com' },
  })
  // The cookie alone opens nothing, and the path without its prefix is none of ours.
  assert.equal((await fetch(`${base}/v1/me`, { headers: { cookie: admin.cookie } })).status, 403)

  const { token } = await json<{ token: string }>(`${base}/v1/tokens`, as({ agent: 'bot' }))
  const stream = await fetch(`${base}/v1/events`, { headers: admin })
  assert.match(stream.headers.get('content-type') ?? '', /text\/event-stream/)
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
  assert.deepEqual(ran, [])
  const card = await json<{ digest: string }>(`${base}/v1/approvals/${id}`, as())
  const decided = await fetch(
    `${base}/v1/approvals/${id}/decisions`,
    as({ verdict: 'approve', digest: card.digest }),
  )
  assert.equal(decided.status, 200)
  assert.partialDeepStrictEqual(await outcome, {
    status: 'succeeded',
    ran: true,
    result: { paid: true },
  })
  assert.deepEqual(ran, [{ amount: 5 }])
  await hints.next('approved')
  await hints.leave()

  // An agent's token decides nothing, here as elsewhere.
  const forged = await fetch(`${base}/v1/approvals/${id}/decisions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ verdict: 'approve', digest: card.digest }),
  })
  assert.equal(forged.status, 403)
  assert.partialDeepStrictEqual(await json(`${base}/openapi.json`), {
    servers: [{ url: '/approvals' }],
  })
  const signedOut = await fetch(`${base}/v1/session`, as(undefined, 'DELETE'))
  assert.equal(signedOut.status, 204)
  assert.equal((await fetch(`${base}/v1/me`, { headers: { ...admin } })).status, 401)
}

async function hostKeepsItsPaths(origin: string, notFound: RegExp): Promise<void> {
  assert.equal(await (await fetch(`${origin}/hello`)).text(), 'hello')
  for (const path of ['/v1/me', '/healthz', '/approvalsx/healthz', '/approvals-2/v1/me']) {
    const answer = await fetch(`${origin}${path}`)
    assert.equal(answer.status, 404, path)
    assert.match(await answer.text(), notFound, path)
  }
  assert.deepEqual(await json(`${origin}/approvals/healthz`), { status: 'ok' })
  assert.deepEqual(await json(`${origin}/approvals/readyz`), { status: 'ok' })
  const missing = await fetch(`${origin}/approvals/v1/nothing`)
  assert.equal(missing.status, 404)
  assert.partialDeepStrictEqual(await missing.json(), { error: { code: 'not_found' } })
}

async function signIn(origin: string, base: string): Promise<Sender> {
  const link = new URL(await (await fetch(`${origin}/link`)).text())
  assert.equal(link.pathname, '/approvals/')
  const answer = await fetch(`${base}/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: link.hash.replace('#signin=', '') }),
  })
  assert.equal(answer.status, 200)
  const set = answer.headers.get('set-cookie') ?? ''
  assert.match(set, /^countersign-\d+\.approvals=[^;]+;.*Path=\/(?:;|$)/)
  assert.match(set, /HttpOnly/)
  assert.match(set, /SameSite=Strict/)
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
