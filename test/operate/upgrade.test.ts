import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, vi } from 'vitest'
import { remoteGate } from '../../src/client/remote-gate.ts'
import { countersign, folder } from '../cli/countersign.ts'
import { type Started, signIn, start } from '../cli/started.ts'
import { nextRelease } from '../support/next-release.ts'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'

const SLOW = 480_000
const POLICY = 'version: 1\ntools: { pay: { approval: true } }\n'

interface Serving extends Started {
  readonly headers: Record<string, string>
}

/** A load balancer: each request to the next server that is there. */
async function balanced(servers: Set<Serving>): Promise<string> {
  let turn = 0
  const forward = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const all = [...servers]
    turn += 1
    const target = all[turn % Math.max(1, all.length)]
    if (!target) return void outgoing.writeHead(502).end()
    const { hostname, port, host } = new URL(target.url)
    const { method, url: path } = incoming
    const headers = { ...incoming.headers, host }
    const sent = request({ hostname, port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
      answer.on('error', () => outgoing.destroy())
    })
    sent.on('error', () =>
      outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end(),
    )
    incoming.pipe(sent)
  }
  const proxy = createServer(forward).listen(0, '127.0.0.1')
  onTestFinished(() => void proxy.close())
  await new Promise((resolve) => proxy.once('listening', resolve))
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

/** Approves whatever is asked, at any server that answers. */
async function approveAll(servers: Set<Serving>, until: () => boolean): Promise<void> {
  for (let turn = 0; !until(); turn += 1) {
    const [at] = [...servers].slice(turn % Math.max(1, servers.size))
    if (at) await approveAt(at).catch(() => {})
    await sleep(20)
  }
}

async function approveAt({ url, headers }: Serving): Promise<void> {
  const json = { ...headers, 'content-type': 'application/json' }
  const listed = await fetch(new URL('/v1/approvals?status=pending', url), { headers })
  const { approvals = [] } = (await listed.json()) as {
    approvals?: { id: string; digest: string }[]
  }
  for (const { id, digest } of approvals) {
    await fetch(new URL(`/v1/approvals/${id}/decisions`, url), {
      ...{ method: 'POST', headers: json, body: JSON.stringify({ verdict: 'approve', digest }) },
    })
  }
}

promise.each(
  ['CS-UP-2'],
  'servers are replaced by the next release while agents call, by a step that',
  [['only adds something'], ['stops older servers']],
  async (kind) => {
    const besideOlder = kind === 'only adds something'
    const db = await freshDatabase()
    const servers = new Set<Serving>()
    const up = async (bin?: string): Promise<Serving> => {
      const cwd = folder({ 'countersign.yaml': POLICY })
      const started = await start(cwd, ['--db', db], {}, bin)
      const serving = { ...started, headers: await signIn(started.url) }
      servers.add(serving)
      void started.ended.then(() => servers.delete(serving))
      return serving
    }
    const old = [await up(), await up()]
    const cwd = folder()
    const token = await countersign(['token', 'create', '--agent', 'bot', '--db', db], {
      ...{ cwd, env: { HOME: cwd } },
    })
    const url = await balanced(servers)
    const starts = new Map<string, number>()
    const outcomes: string[] = []
    let isOver = false
    const agent = async (name: string) => {
      const gate = remoteGate({ url, token: token.stdout.trim(), announce: false, retryFor: '2m' })
      for (let n = 0; !isOver; n += 1) {
        const id = `${name}-${n}`
        const call = { tool: 'pay', run: id, args: { id } }
        const outcome = await gate.run(call, async () => {
          starts.set(id, (starts.get(id) ?? 0) + 1)
          return { paid: id }
        })
        outcomes.push(outcome.status === 'succeeded' ? outcome.status : JSON.stringify(outcome))
      }
    }
    let isAnswered = false
    const working = Promise.all(['a', 'b', 'c'].map(agent))
    const approving = approveAll(servers, () => isAnswered)
    const more = (count: number) => {
      const until = outcomes.length + count
      return vi.waitFor(() => expect(outcomes.length).toBeGreaterThanOrEqual(until), {
        ...{ timeout: 150_000, interval: 50 },
      })
    }
    await more(3)
    const bin = nextRelease({
      sql: 'alter table countersign.approvals add column later text',
      besideOlder,
    })
    await up(bin)
    if (besideOlder) {
      await more(3)
      for (const server of old) {
        server.child.kill('SIGTERM')
        expect(await server.ended).toBe(0)
        await more(2)
      }
    } else for (const server of old) expect(await server.ended).toBe(7)
    await more(3)
    isOver = true
    await working
    // Not before: the last call of each agent needs its answer too.
    isAnswered = true
    await approving
    expect(outcomes.filter((one) => one !== 'succeeded')).toEqual([])
    expect([...starts.values()].filter((count) => count !== 1)).toEqual([])
    expect(starts.size).toBe(outcomes.length)
    expect(servers.size).toBe(1)
  },
  SLOW,
)
