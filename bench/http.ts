/*
 * What the server adds to HTTP. `npm run bench:http` (add `-- --json FILE`).
 *
 * Calls on the way to `allow`, beside a bare Hono that parses and answers; and live events to 1,000
 * clients, beside a raw node:http server that writes the same bytes. All servers run in one other
 * process and are asked in turns; every ratio is taken inside one round. Calls are compared by
 * answers per second and by the processor time that one answer takes the server: the second is the
 * steadier figure where other programs run on the same machine. This process reads all 1,000
 * streams, so its own cost is in both numbers.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { load } from './http/load.ts'
import type { Served } from './http/servers.ts'
import { median } from './lib/rounds.ts'

const CALL_GOAL = 0.7
const STREAM_GOAL = 1.25
const WARM = 8
const ROUNDS = 40
const ROUND_MS = 250
const CONNECTIONS = 32
const STREAMS = 1_000
const EVENTS = 25
/** Calls that wait, asked before any stream is open: the way of a question is compiled then. */
const WARM_ASKS = 300

const { values } = parseArgs({ options: { json: { type: 'string' } } })
const child = fork(path.join(import.meta.dirname, 'http/servers.ts'), {
  execArgv: process.execArgv,
})
const [served] = (await once(child, 'message')) as [Served]

const BODY = JSON.stringify({
  tool: 'refund',
  args: { amount: 50, currency: 'USD', recipient_type: 'internal', to: 'acme', memo: 'invoice 7' },
})

const HEADERS = { 'content-type': 'application/json', authorization: `Bearer ${served.token}` }

function post(url: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { ...HEADERS, 'content-length': Buffer.byteLength(body) }
    const sent = request(url, { method: 'POST', headers }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function processorTime(): Promise<number> {
  child.send('cpu')
  const [microseconds] = (await once(child, 'message')) as [number]
  return microseconds
}

/** Answers per second of one address, and what each of them takes the server. */
async function rate(url: string): Promise<{ readonly rate: number; readonly cpu: number }> {
  const before = await processorTime()
  const start = performance.now()
  const answered = await load({
    url,
    headers: HEADERS,
    body: BODY,
    connections: CONNECTIONS,
    ms: ROUND_MS,
  })
  const seconds = (performance.now() - start) / 1_000
  return { rate: answered / seconds, cpu: ((await processorTime()) - before) / answered }
}

interface Listening {
  /** Resolves with the times at which each client got its next event. */
  next(): Promise<number[]>
  close(): void
}

async function listen(port: number, address: string): Promise<Listening> {
  let times: number[] = []
  let done: ((times: number[]) => void) | undefined
  const sockets: Socket[] = []
  for (let n = 0; n < STREAMS; n += 1) {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    const headers = [`host: 127.0.0.1:${port}`, `cookie: ${served.cookie}`]
    socket.write(`GET ${address} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
    // The head of the answer and the first bytes of the stream.
    await once(socket, 'data')
    socket.on('data', (chunk) => {
      if (!chunk.includes('event: hint')) return
      times.push(performance.now())
      if (times.length === STREAMS) done?.(times)
    })
  }
  return {
    next() {
      times = []
      return new Promise((resolve) => {
        done = resolve
      })
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** From the request that causes an event until the last client has it, and from the first to the last. */
async function spread(listening: Listening, cause: () => Promise<unknown>) {
  const heard = listening.next()
  const start = performance.now()
  const [times] = await Promise.all([heard, cause()])
  return { last: Math.max(...times) - start, between: Math.max(...times) - Math.min(...times) }
}

type Rate = Awaited<ReturnType<typeof rate>>
const calls: { readonly own: Rate; readonly bare: Rate }[] = []
for (let round = 0; round < ROUNDS + WARM; round += 1) {
  const own = await rate(`${served.own}/v1/calls`)
  const bare = await rate(`${served.bare}/v1/calls`)
  // The first rounds compile.
  if (round >= WARM) calls.push({ own, bare })
}

const askOf = (key: string) => JSON.stringify({ tool: 'pay', run: 'r', key, args: {} })
for (let n = 0; n < WARM_ASKS; n += 1) {
  await post(`${served.own}/v1/calls`, askOf(`warm-${n}`))
  await post(`${served.raw}/publish`, '{}')
}
const [ownStreams, rawStreams] = [
  await listen(Number(new URL(served.own).port), '/v1/events'),
  await listen(Number(new URL(served.raw).port), '/events'),
]
type Spread = Awaited<ReturnType<typeof spread>>
const events: { readonly own: Spread; readonly raw: Spread }[] = []
for (let round = 0; round < EVENTS + 3; round += 1) {
  const own = await spread(ownStreams, () => post(`${served.own}/v1/calls`, askOf(`${round}`)))
  const raw = await spread(rawStreams, () => post(`${served.raw}/publish`, '{}'))
  if (round >= 3) events.push({ own, raw })
}
ownStreams.close()
rawStreams.close()
child.kill()

const result = {
  calls: {
    own: median(calls.map(({ own }) => own.rate)),
    bareHono: median(calls.map(({ bare }) => bare.rate)),
    ratio: median(calls.map(({ own, bare }) => own.rate / bare.rate)),
    ownCpuUs: median(calls.map(({ own }) => own.cpu)),
    bareHonoCpuUs: median(calls.map(({ bare }) => bare.cpu)),
    cpuRatio: median(calls.map(({ own, bare }) => bare.cpu / own.cpu)),
    goal: CALL_GOAL,
  },
  events: {
    clients: STREAMS,
    ownLastMs: median(events.map(({ own }) => own.last)),
    rawLastMs: median(events.map(({ raw }) => raw.last)),
    lastRatio: median(events.map(({ own, raw }) => own.last / raw.last)),
    spreadRatio: median(events.map(({ own, raw }) => own.between / raw.between)),
    goal: STREAM_GOAL,
  },
}
const { calls: c, events: e } = result
console.log(`POST /v1/calls, allowed: ${c.own.toFixed(0)}/s; bare Hono ${c.bareHono.toFixed(0)}/s`)
console.log(
  `  processor time of an answer: ${c.ownCpuUs.toFixed(0)} µs; bare Hono ${c.bareHonoCpuUs.toFixed(0)} µs`,
)
console.log(
  `${STREAMS} streams, request to last client: ${e.ownLastMs.toFixed(1)} ms; raw ${e.rawLastMs.toFixed(1)} ms`,
)
console.log(`  first to last client ${e.spreadRatio.toFixed(2)} × raw`)
const goals: readonly (readonly [boolean, string])[] = [
  [
    c.ratio >= CALL_GOAL,
    `calls at least ${CALL_GOAL} × bare Hono: ${c.ratio.toFixed(2)} by answers per second`,
  ],
  [
    c.cpuRatio >= CALL_GOAL,
    `calls at least ${CALL_GOAL} × bare Hono: ${c.cpuRatio.toFixed(2)} by processor time`,
  ],
  [
    e.lastRatio <= STREAM_GOAL,
    `request to last client at most ${STREAM_GOAL} × raw: ${e.lastRatio.toFixed(2)}`,
  ],
]
for (const [isReached, goal] of goals) console.log(`${isReached ? 'reached' : 'MISSED '}  ${goal}`)
if (values.json) writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`)
