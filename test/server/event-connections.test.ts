import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createEventHub } from '../../src/server/event-hub.ts'
import { type Outgoing, whenSent } from '../../src/server/http/direct-stream.ts'
import { type Fetcher, serve } from '../../src/server/serve.ts'
import { promise } from '../support/promise.ts'
import { HOST, running, type Sender } from './harness.ts'

const allLive = async (ids: readonly string[]) => new Set(ids)

/** A hub on its own, behind a real server. */
async function hubServed(rewrite: (response: Response) => Response = (response) => response) {
  const { server, store } = running()
  const hub = createEventHub(server.gate, store, allLive)
  onTestFinished(() => hub.close())
  const sent: Outgoing[] = []
  const origin = await served({
    async fetch(_, env) {
      sent.push((env as { outgoing: Outgoing }).outgoing)
      const { body, writeTo } = await hub.open(undefined, 'a session')
      const response = new Response(body, { headers: { 'content-type': 'text/event-stream' } })
      whenSent(response, writeTo)
      return rewrite(response)
    },
  })
  return { hub, sent, origin }
}

async function served(app: Fetcher): Promise<string> {
  const { url, close } = await serve(app, { host: '127.0.0.1', port: 0 })
  onTestFinished(close)
  return url
}

function open(origin: string, headers: Sender = {}): Socket {
  const { port, host } = new URL(origin)
  const socket = connect(Number(port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}`)
  socket.write(`GET /v1/events HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  return socket
}

/** Everything that arrived, without the frames that carry it. */
function hearing(socket: Socket): () => string {
  let heard = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    heard += chunk
  })
  return () => heard.slice(heard.indexOf('\r\n\r\n') + 4).replaceAll(/[0-9a-f]+\r\n|\r\n/g, '')
}

const readersOf = (n: number, length = 1) => ({
  id: `a${n}`,
  readers: [{ issuer: 'i', subject: 's'.repeat(length) }],
})

test('an event waits behind what the stream still holds', async () => {
  const { server, store } = running()
  const hub = createEventHub(server.gate, store, allLive)
  onTestFinished(() => hub.close())
  const { body, writeTo } = await hub.open(undefined, 'a session')
  const written: Uint8Array[] = []
  const outgoing = { headersSent: true, destroyed: false, writableEnded: false, writableLength: 0 }
  writeTo({ ...outgoing, write: (chunk) => written.push(chunk) > 0 })
  hub.reading(readersOf(1))
  expect(written).toEqual([])
  const reader = body.getReader()
  const next = async () => Buffer.from((await reader.read()).value ?? []).toString()
  expect([await next(), await next()]).toEqual([
    expect.stringContaining('retry'),
    expect.stringContaining('a1'),
  ])
})

test('an event is on its way to every connection before anything else happens', async () => {
  const { hub, sent, origin } = await hubServed()
  const clients = [open(origin), open(origin), open(origin)].map(hearing)
  for (const heard of clients) await expect.poll(heard).toContain('retry')
  expect(sent.map(({ writableLength }) => writableLength)).toEqual([0, 0, 0])
  hub.reading(readersOf(1))
  expect(sent.every(({ writableLength }) => writableLength > 0)).toBe(true)
  for (const heard of clients) await expect.poll(heard).toContain('"id":"a1"')
})

test('events come in order, each once, from the first on', async () => {
  const { hub, sent, origin } = await hubServed()
  const heard = hearing(open(origin))
  let n = 0
  // Before the connection is there, while its headers are sent, and long after.
  while (n < 300) {
    hub.reading(readersOf(n, 1 + (n % 7) * 100))
    if (hub.size > 0) n += 1
    if (n % 3 !== 0 || hub.size === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  await expect.poll(heard).toContain('"id":"a299"')
  const ids = [...heard().matchAll(/"id":"a(\d+)"/g)].map(([, id]) => Number(id))
  expect(ids).toEqual(Array.from({ length: 300 }, (_, id) => id))
  expect(heard()).toMatch(/^retry: 2000\n\n/)
  expect(sent).toHaveLength(1)
})

test('a client that reads nothing is let go; others hear on', async () => {
  const { hub, origin } = await hubServed()
  const deaf = open(origin)
  const heard = hearing(open(origin))
  await expect.poll(() => hub.size).toBe(2)
  await expect.poll(heard).toContain('retry')
  deaf.pause()
  let n = 0
  while (hub.size === 2 && n < 20_000) {
    hub.reading(readersOf(n++, 10_000))
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(hub.size).toBe(1)
  hub.reading({ id: 'later', readers: [] })
  await expect.poll(heard).toContain('"id":"later"')
})

test('a connection that breaks is let go', async () => {
  const { hub, origin } = await hubServed()
  const socket = open(origin)
  await expect.poll(hearing(socket)).toContain('retry')
  expect(hub.size).toBe(1)
  socket.destroy()
  for (let n = 0; n < 50; n += 1) hub.reading(readersOf(n))
  await expect.poll(() => hub.size).toBe(0)
})

test('a host that rewrites the stream gets every event to rewrite', async () => {
  const { hub, origin } = await hubServed((response) => {
    const loud = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, out) {
        const text = new TextDecoder().decode(chunk)
        out.enqueue(new TextEncoder().encode(text.toUpperCase()))
      },
    })
    return new Response(response.body?.pipeThrough(loud) ?? null, response)
  })
  const heard = hearing(open(origin))
  await expect.poll(heard).toContain('RETRY')
  for (let n = 0; n < 5; n += 1) hub.reading(readersOf(n))
  await expect.poll(heard).toContain('"ID":"A4"')
  expect(heard()).not.toContain('reading')
})

promise(['CS-PEOPLE-1'], 'over a connection, too, signing out ends what is heard', async () => {
  const own = running()
  const origin = await served(own.server.app)
  const [ana, bo] = [await own.person('ana@example.com'), await own.person('bo@example.com')]
  const left = open(origin, { ...ana, host: HOST, connection: 'close' })
  const stayed = open(origin, { ...bo, host: HOST })
  const [first, second] = [hearing(left), hearing(stayed)]
  const ended = new Promise((resolve) => left.once('end', resolve))
  for (const heard of [first, second]) await expect.poll(heard).toContain('retry')
  const ask = async (to: string) => {
    const body = { tool: 'pay', run: 'r1', args: { amount: 500, to } }
    return (await own.send('/v1/calls', { as: bot, body })).at('id')
  }
  const bot = await own.agent('bot')
  const before = await ask('Lena')
  await expect.poll(first).toContain(before)
  await own.send('/v1/session', { as: ana, method: 'DELETE' })
  await ended
  const later = await ask('Mona')
  await expect.poll(second).toContain(later)
  expect(first()).not.toContain(later)
})

promise(
  ['CS-GROWTH-3'],
  'a change of people asks for all open streams at once, however many changes come together',
  async () => {
    const { server, store } = running()
    const ended = new Set<string>()
    const asked: number[] = []
    let answer = Promise.withResolvers<void>()
    answer.resolve()
    const hub = createEventHub(server.gate, store, async (ids) => {
      asked.push(ids.length)
      await answer.promise
      return new Set(ids.filter((id) => !ended.has(id)))
    })
    onTestFinished(() => hub.close())
    for (let nth = 0; nth < 300; nth += 1) await hub.open(undefined, `session ${nth}`)
    await expect.poll(() => asked.length).toBe(300)
    asked.length = 0
    answer = Promise.withResolvers()
    const amend = (n: number) =>
      store.amend({
        commandId: crypto.randomUUID(),
        event: { type: 'lock.set', by: { system: 'operator' }, facts: {} },
        changes: [{ kind: 'note', id: `n${n}`, value: {} }],
      })
    for (let nth = 0; nth < 10; nth += 1) await amend(nth)
    ended.add('session 7')
    answer.resolve()
    await expect.poll(() => hub.size).toBe(299)
    // The first had not been answered: the others share the second.
    await expect.poll(() => asked).toEqual([300, 299])
  },
)
