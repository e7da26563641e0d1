import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { runReports } from '../../../src/gate/admin/run-reports.ts'
import { createGate } from '../../../src/gate/gate.ts'
import type { Channel } from '../../../src/gate/notify/channel.ts'
import { openSqlite } from '../../../src/store/sqlite/open-store.ts'
import { policyOf } from '../../support/policy.ts'
import { CASE_RULES } from '../worker-config.ts'
import { eventually, serveApprovals } from '../world.ts'
import type { Cloud, Told } from './expense-cases.ts'

/** How a Worker with the agent is started, on the same folder each time. */
export interface CloudWorker {
  readonly url: string
  kill(): Promise<void>
}

export interface CloudOptions {
  /** Whether the engine says of an instance that it waits; otherwise a moment has to be enough. */
  readonly tellsWaiting: boolean
  readonly looks?: readonly string[]
  readonly wakeUps?: Channel
  start(folder: string, env: Readonly<Record<string, string>>): Promise<CloudWorker>
}

export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
/** The application's own sessions, and who is signed in there. */
const SESSIONS = { 's-uma': 'uma@example.com', 's-mallory': 'mallory@example.com' }

export async function openCloud({
  tellsWaiting,
  looks,
  wakeUps,
  start,
}: CloudOptions): Promise<Cloud & { close(): Promise<void> }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-cloud-'))
  const store = await openSqlite(path.join(folder, 'gate.db'))
  const gate = createGate({ policy: policyOf(CASE_RULES), store, agent: 'biller' })
  const server = await serveApprovals(store, wakeUps, { vouches: true })
  const lines: string[] = []
  const sink = createServer(async (request, response) => {
    let line = ''
    for await (const chunk of request) line += chunk
    lines.push(line)
    response.end()
  })
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve))
  const env = {
    COUNTERSIGN_URL: server.access.url,
    COUNTERSIGN_TOKEN: server.access.token,
    COUNTERSIGN_WEBHOOK_SECRET: WEBHOOK_SECRET,
    SINK: `http://127.0.0.1:${(sink.address() as AddressInfo).port}/`,
    SESSIONS: JSON.stringify(SESSIONS),
    DIE: '[]',
  }
  let worker = await start(folder, env)

  async function open(session: string | undefined): Promise<WebSocket> {
    const at = `${worker.url.replace('http', 'ws')}/agents/expense-agent/main`
    const socket = new WebSocket(session === undefined ? at : `${at}?session=s-${session}`)
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true })
      socket.addEventListener('error', reject, { once: true })
    })
    return socket
  }

  const cloud: Cloud = {
    gate,
    looks,
    lines: () => lines,
    reports: (approval) => runReports(store.records, approval),
    async waiting(id) {
      if (!tellsWaiting) return new Promise((resolve) => setTimeout(resolve, 2_000))
      await eventually(`${id} waits`, async () => {
        const { result } = await cloud.call('uma', 'look', id)
        return (result as { status: string }).status === 'waiting' || undefined
      })
    },
    async call(session, method, ...args) {
      const socket = await open(session)
      try {
        return await new Promise<Told>((resolve) => {
          const id = crypto.randomUUID()
          socket.addEventListener('message', ({ data }) => {
            const said = JSON.parse(String(data)) as Record<string, unknown>
            if (said.type !== 'rpc' || said.id !== id) return
            resolve(
              said.success === true
                ? { result: said.result ?? null }
                : { error: String(said.error) },
            )
          })
          socket.send(JSON.stringify({ type: 'rpc', id, method, args }))
        })
      } finally {
        socket.close()
      }
    },
    async send(session, frame) {
      const socket = await open(session)
      socket.send(JSON.stringify(frame))
      // Whatever it does is done before what comes after it.
      await new Promise((resolve) => setTimeout(resolve, 200))
      socket.close()
    },
    async unasked(id) {
      return String(await (await fetch(`${worker.url}/unasked?id=${id}`)).json())
    },
    async restart() {
      await worker.kill()
      worker = await start(folder, env)
    },
  }
  return {
    ...cloud,
    async close() {
      await worker.kill()
      sink.close()
      await server.close()
      await gate.close()
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
