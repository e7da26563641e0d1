import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished } from 'vitest'
import type { Json } from '../../../src/base/json/json.ts'
import { webhook } from '../../../src/channels/webhook.ts'
import type { Notice } from '../../../src/gate/notify/channel.ts'
import { type WakeableWorkflow, wake } from '../../../src/workflows/cloudflare/wake.ts'
import { promise } from '../../support/promise.ts'
import { startWorker } from '../../support/workerd.ts'
import { signed } from '../cloudflare-signed.ts'
import { type KeyValues, MiniWorkflow } from '../mini-cloudflare.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const ID = '0mwi0000000000000000000000000000000'

function noticeOf(more: Partial<Notice> = {}, approval: Partial<Notice['approval']> = {}): Notice {
  return {
    id: `${ID}-2-approved`,
    kind: 'approved',
    question: false,
    at: 0,
    to: [],
    approval: {
      id: ID,
      revision: 2,
      status: 'approved',
      level: 'review',
      kind: 'tool',
      tool: 'review',
      agent: 'biller',
      run: 'cloudflare:i1/3c6d/review',
      message: 'Pay?',
      askedAt: 0,
      decideBy: 1,
      ...approval,
    },
    ...more,
  }
}

function memory(): KeyValues {
  const kept = new Map<string, Json>()
  return {
    get: (key) => kept.get(key),
    put: (key, value) => void kept.set(key, value),
    delete: (key) => void kept.delete(key),
    keys: (prefix) => [...kept.keys()].filter((key) => key.startsWith(prefix)).sort(),
  }
}

/** A Worker with one instance, `i1`, and what it received. */
async function worker() {
  const store = memory()
  const workflow = new MiniWorkflow(store, 'expense')
  const instance = await workflow.create({ id: 'i1' })
  const own = { secret: SECRET, workflows: [workflow], agent: 'biller' }
  return {
    instance,
    events: () => store.keys('i1:event:').map((key) => [key.split(':')[2], store.get(key)]),
    wake: async (request: Request, more = {}) => (await wake(request, { ...own, ...more })).status,
  }
}

const woken = [`countersign-${ID}`, null]

promise(
  ['CS-FLOW-2', 'CS-FLOW-7'],
  'a signed notice wakes the instance whose question is over, and carries no answer',
  async () => {
    const own = await worker()
    expect(await own.wake(signed(noticeOf(), SECRET))).toBe(204)
    expect(own.events()).toEqual([woken])
    for (const kind of ['denied', 'expired', 'withdrawn', 'invalidated'] as const) {
      expect(await own.wake(signed(noticeOf({ kind }), SECRET))).toBe(204)
    }
    expect(own.events()).toHaveLength(5)
    expect(new Set(own.events().map(String))).toEqual(new Set([String(woken)]))
    // While a secret is changed, either one counts.
    expect(await own.wake(signed(noticeOf(), OTHER), { secret: [SECRET, OTHER] })).toBe(204)
    expect(own.events()).toHaveLength(6)
  },
)

/** Requests that the server did not make, or not now. */
const FORGED: readonly [string, () => Request][] = [
  ['unsigned', () => unsigned(signed(noticeOf(), SECRET))],
  ['signed with another secret', () => signed(noticeOf(), OTHER)],
  ['signed ten minutes ago', () => signed(noticeOf(), SECRET, Date.now() / 1_000 - 600)],
  ['signed in ten minutes', () => signed(noticeOf(), SECRET, Date.now() / 1_000 + 600)],
  ['with another time than was signed', () => changed({ 'webhook-timestamp': nowPlus(60) })],
  ['with another id than was signed', () => changed({ 'webhook-id': 'another' })],
  ['without an id', () => changed({ 'webhook-id': '' })],
  ['with a signature of another version', () => versioned('v2')],
  ['with a signature that is no base64', () => changed({ 'webhook-signature': 'v1,%%%' })],
  ['about another instance than was signed', () => changed({}, altered())],
  ['longer than any notice', () => signed(noticeOf({}, { message: 'x'.repeat(300_000) }), SECRET)],
  ['signed, and none of ours', () => libraryRequest('{"type":"payment.failed"}')],
  ['signed, and no JSON', () => libraryRequest('approval.approved')],
]

function unsigned(request: Request): Request {
  request.headers.delete('webhook-signature')
  return request
}

function nowPlus(seconds: number): string {
  return String(Math.floor(Date.now() / 1_000) + seconds)
}

function altered(): string {
  return JSON.stringify({ type: 'approval.approved', data: noticeOf() })
}

function changed(headers: Record<string, string>, body?: string): Request {
  const request = signed(noticeOf(), SECRET)
  for (const [name, value] of Object.entries(headers)) request.headers.set(name, value)
  return body === undefined ? request : new Request(request, { body })
}

function versioned(version: string): Request {
  const request = signed(noticeOf(), SECRET)
  const signature = request.headers.get('webhook-signature') ?? ''
  return changed({ 'webhook-signature': signature.replace('v1', version) })
}

/** As the library of Standard Webhooks signs. */
function libraryRequest(body: string): Request {
  const now = new Date()
  const headers = {
    'webhook-id': 'm1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': new Webhook(SECRET).sign('m1', now, body),
  }
  return new Request('https://worker.example.com/', { method: 'POST', headers, body })
}

promise.each(['CS-FLOW-7'], 'a request wakes nothing', FORGED, async (_, request) => {
  const own = await worker()
  expect(await own.wake(request())).toBe(401)
  expect(own.events()).toEqual([])
})

promise(['CS-FLOW-7'], 'what the library of Standard Webhooks signs is accepted', async () => {
  const own = await worker()
  expect(await own.wake(libraryRequest(altered()))).toBe(204)
  expect(own.events()).toEqual([woken])
})

const FOREIGN: readonly [string, Notice][] = [
  ['a question', noticeOf({ kind: 'asked', question: true })],
  ['what ran', noticeOf({ kind: 'succeeded' })],
  ['a call of no workflow', noticeOf({}, { run: 'chat-1' })],
  ['a workflow of another engine', noticeOf({}, { run: 'dbos:i1/review' })],
  ['an instance that is gone', noticeOf({}, { run: 'cloudflare:i2/3c6d/review' })],
  ['another agent', noticeOf({}, { agent: 'mallory' })],
  ['a run that cannot be read', noticeOf({}, { run: 'cloudflare:%E0%A4%A/review' })],
]

promise.each(['CS-FLOW-7'], 'a notice wakes nothing', FOREIGN, async (_, notice) => {
  const own = await worker()
  expect(await own.wake(signed(notice, SECRET))).toBe(204)
  expect(own.events()).toEqual([])
})

promise(
  ['CS-FLOW-2', 'CS-FLOW-7'],
  'a notice that comes again reaches no instance that is over',
  async () => {
    const own = await worker()
    await own.instance.terminate()
    const request = signed(noticeOf(), SECRET)
    expect(await own.wake(request.clone())).toBe(204)
    expect(await own.wake(request)).toBe(204)
    expect(own.events()).toEqual([])
  },
)

promise(['CS-FLOW-7'], 'a binding that is away has the server send the notice again', async () => {
  const own = await worker()
  const away: WakeableWorkflow = { get: () => Promise.reject(new Error('internal error')) }
  expect(await own.wake(signed(noticeOf(), SECRET), { workflows: [away] })).toBe(503)
  expect(await own.wake(new Request('https://worker.example.com/'))).toBe(405)
  await expect(own.wake(signed(noticeOf(), SECRET), { secret: 'short' })).rejects.toThrow(
    /24 to 64 bytes/,
  )
  await expect(own.wake(signed(noticeOf(), SECRET), { secret: [] })).rejects.toThrow(/secret/)
})

promise(['CS-FLOW-7'], 'the webhook of a server is what wakes', async () => {
  const own = await worker()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const headers = new Headers(request.headers as Record<string, string>)
    const body = Buffer.concat(chunks)
    const status = await own.wake(
      new Request('https://worker.example.com/', { method: 'POST', headers, body }),
    )
    response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const channel = webhook({ url: `http://${host}/`, secrets: SECRET, allowHosts: [host] })
  await channel.send(noticeOf(), AbortSignal.timeout(5_000))
  expect(own.events()).toEqual([woken])
})

promise(['CS-FLOW-7'], 'in workerd, without modules of Node, it is the same', async () => {
  const entry = path.join(import.meta.dirname, 'wake-worker.ts')
  const { url, stop } = await startWorker(entry, { env: { SECRET } })
  onTestFinished(stop)
  const send = async (request: Request) => {
    const body = await request.text()
    return (await fetch(url, { method: 'POST', headers: request.headers, body })).json()
  }
  expect(await send(signed(noticeOf(), SECRET))).toEqual({
    status: 204,
    sent: [{ type: `countersign-${ID}`, payload: null }],
    isLoaded: true,
  })
  for (const [, forged] of FORGED) {
    expect(await send(forged())).toEqual({ status: 401, sent: [], isLoaded: true })
  }
})
