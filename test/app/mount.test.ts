import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import { Hono } from 'hono'
import { expect, onTestFinished, test } from 'vitest'
import { type Countersign, createCountersign } from '../../src/app/create-countersign.ts'
import { definePolicy } from '../../src/policy/load/define-policy.ts'
import { serve } from '../../src/server/serve.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { promise } from '../support/promise.ts'
import { startWorker } from '../support/workerd.ts'
import { tellStory } from './mounted.ts'
import { RULES } from './worker/rules.ts'

/** On a free port, before it is known what will answer there. */
async function listening(): Promise<{ origin: string; answer(listener: RequestListener): void }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    answer: (listener) => void server.on('request', listener),
  }
}

function mounted(origin: string): Countersign {
  const store = memoryStore()
  const countersign = createCountersign({
    store,
    policy: definePolicy(RULES),
    publicUrl: `${origin}/approvals`,
  })
  onTestFinished(async () => {
    await countersign.close()
    await store.close()
  })
  return countersign
}

const ANA = { email: 'ana@example.com', roles: ['viewer', 'approver', 'admin'] } as const

promise(['CS-MOUNT-1'], 'mounted in Hono, by a route', async () => {
  const { origin, answer } = await listening()
  const countersign = mounted(origin)
  const app = new Hono()
  app.get('/hello', (c) => c.text('hello'))
  app.get('/link', async (c) => c.text(await countersign.signInLink(ANA)))
  app.all('/approvals/*', (c) => countersign.fetch(c.req.raw, c.env))
  app.notFound((c) => c.text('of the host', 404))
  answer(getRequestListener(app.fetch))
  await tellStory({ origin })
})

promise(['CS-MOUNT-1'], 'mounted in Hono, by mount', async () => {
  const { origin, answer } = await listening()
  const countersign = mounted(origin)
  const app = new Hono()
  app.get('/hello', (c) => c.text('hello'))
  app.get('/link', async (c) => c.text(await countersign.signInLink(ANA)))
  app.mount('/approvals', countersign.fetch, { replaceRequest: false })
  app.notFound((c) => c.text('of the host', 404))
  answer(getRequestListener(app.fetch))
  await tellStory({ origin })
})

promise(['CS-MOUNT-1'], 'mounted in Express', async () => {
  const { origin, answer } = await listening()
  const countersign = mounted(origin)
  const app = express()
  app.get('/hello', (_request, response) => void response.send('hello'))
  app.get('/link', (_request, response) => {
    void countersign.signInLink(ANA).then((link) => response.send(link))
  })
  const listener = getRequestListener(countersign.fetch, { overrideGlobalObjects: false })
  app.all('/approvals{/*path}', listener)
  app.use((_request, response) => void response.status(404).send('of the host'))
  answer(app)
  await tellStory({ origin })
})

/** As Next calls the functions that `app/approvals/[[...path]]/route.ts` exports. */
promise(['CS-MOUNT-1'], 'mounted in Next, as a route handler', async () => {
  const { origin, answer } = await listening()
  const countersign = mounted(origin)
  const { GET, POST, PUT, DELETE } = {
    GET: countersign.fetch,
    POST: countersign.fetch,
    PUT: countersign.fetch,
    DELETE: countersign.fetch,
  }
  const methods: Readonly<Record<string, typeof GET>> = { GET, POST, PUT, DELETE }
  async function route(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname === '/hello') return new Response('hello')
    if (pathname === '/link') return new Response(await countersign.signInLink(ANA))
    const [, first, ...path] = pathname.split('/')
    const handler = methods[request.method]
    if (first !== 'approvals' || !handler) return new Response('of the host', { status: 404 })
    return handler(request, { params: Promise.resolve({ path }) })
  }
  // Without the socket: Next hands on none.
  answer(getRequestListener((request) => route(request), { overrideGlobalObjects: false }))
  await tellStory({ origin })
})

promise(
  ['CS-MOUNT-1'],
  'mounted in a Worker, in a Durable Object',
  async () => {
    const entry = new URL('./worker/worker.ts', import.meta.url).pathname
    const disk = mkdtempSync(path.join(tmpdir(), 'countersign-objects-'))
    onTestFinished(() => rmSync(disk, { recursive: true, force: true }))
    const worker = await startWorker(entry, {
      node: true,
      objects: { classes: ['Approvals'], disk },
    })
    onTestFinished(worker.stop)
    await tellStory({ origin: worker.url.replace(/\/$/, '') })
  },
  60_000,
)

test('served alone by serve(), below a path', async () => {
  const store = memoryStore()
  let origin = ''
  const countersign = createCountersign({
    store,
    policy: definePolicy(RULES),
    basePath: '/approvals',
  })
  const serving = await serve(countersign, { host: '127.0.0.1', port: 0 })
  origin = serving.url.replace(/\/$/, '')
  onTestFinished(async () => {
    await serving.close()
    await countersign.close()
    await store.close()
  })
  expect((await fetch(`${origin}/approvals/healthz`)).status).toBe(200)
  const outside = await fetch(`${origin}/healthz`)
  expect(outside.status).toBe(404)
  expect(await outside.json()).toMatchObject({
    error: { code: 'not_found', message: 'Countersign is mounted at /approvals' },
  })
})
