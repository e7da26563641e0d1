/**
 * Cloudflare Workflows: `waitForEvent`, then a step, over the small engine of the tests, in memory.
 * Approvals, and the plain table, are behind HTTP on this machine, as a Worker reaches them.
 */
import { createServer as createHttp } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Json } from '../../src/base/json/json.ts'
import { remoteGate } from '../../src/client/remote-gate.ts'
import { type Channel, NotDelivered } from '../../src/gate/notify/channel.ts'
import { addAccount } from '../../src/server/identity/people.ts'
import { serve } from '../../src/server/serve.ts'
import { createServer } from '../../src/server/server.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { requireApproval, wake } from '../../src/workflows/cloudflare/index.ts'
import { policyOf } from '../../test/support/policy.ts'
import { signed } from '../../test/workflows/cloudflare-signed.ts'
import { SECRET } from '../../test/workflows/cloudflare-worker.ts'
import {
  type KeyValues,
  type MiniEvent,
  type MiniStep,
  MiniWorkflow,
} from '../../test/workflows/mini-cloudflare.ts'
import { ANA, type Cycles } from '../cycle/contestant.ts'
import { RESULT, requestOf, wakes } from './asking-gate.ts'
import { plainTable } from './plain-table.ts'

const LOOK_MS = 10
const POLICY = `people: { groups: { finance: [ana@example.com] } }
limits: { pending_per_agent: 5000, asks_per_minute: 1000000 }
`
const { woken, take } = wakes()

type Body = (event: MiniEvent, step: MiniStep) => Promise<unknown>

/** A workflow that is worked on as soon as an instance is made, and forgotten once it has ended. */
function engineOf(run: Body) {
  const storage = memory()
  const workflow = new MiniWorkflow(storage, 'transfer')
  return {
    workflow,
    async start(id: string): Promise<void> {
      await workflow.create({ id })
      workflow.work(run)
    },
    async reached(id: string, wanted: 'waiting' | 'complete'): Promise<void> {
      const instance = await workflow.get(id)
      for (;;) {
        const { status, error } = await instance.status()
        if (status === 'errored') throw new Error(JSON.stringify(error))
        if (status === wanted) break
        await sleep(LOOK_MS)
      }
      if (wanted === 'complete') storage.forget(id)
    },
  }
}

/** By instance, because looking for the keys of one must not cost more the more there were. */
function memory(): KeyValues & { forget(id: string): void } {
  const parts = new Map<string, Map<string, Json>>()
  const instances = 'instance'
  const partOf = (key: string) => {
    const name = key.slice(0, key.indexOf(':'))
    const part = parts.get(name) ?? new Map<string, Json>()
    parts.set(name, part)
    return part
  }
  return {
    get: (key) => partOf(key).get(key),
    put: (key, value) => void partOf(key).set(key, structuredClone(value)),
    delete: (key) => void partOf(key).delete(key),
    keys: (prefix) => [...partOf(prefix).keys()].filter((key) => key.startsWith(prefix)).sort(),
    forget(id) {
      parts.delete(id)
      parts.get(instances)?.delete(`${instances}:${id}`)
    },
  }
}

function pay(step: MiniStep, id: string): Promise<unknown> {
  return step.do('transfer', async () => {
    woken(id)
    return RESULT
  })
}

export async function own(): Promise<Cycles> {
  const { workflow, start, reached } = engineOf(async ({ instanceId: id }, step) => {
    await step.waitForEvent('wait', { type: 'decided', timeout: 600_000 })
    return pay(step, id)
  })
  return {
    async cycle() {
      const id = crypto.randomUUID()
      await start(id)
      await reached(id, 'waiting')
      const sent = performance.now()
      await (await workflow.get(id)).sendEvent({ type: 'decided', payload: true })
      await reached(id, 'complete')
      return take(id, sent)
    },
    async close() {},
  }
}

export async function plain(folder: string): Promise<Cycles> {
  const table = await plainTable(folder)
  const http = createHttp(async (request, response) => {
    const [, verb, id = ''] = (request.url ?? '').split('/')
    await (verb === 'ask' ? table.ask(id) : table.take(id))
    response.end()
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  const told = async (verb: string, id: string) => {
    await (await fetch(`http://127.0.0.1:${port}/${verb}/${id}`, { method: 'POST' })).text()
  }
  const { workflow, start, reached } = engineOf(async ({ instanceId: id }, step) => {
    await step.do('ask', () => told('ask', id))
    await step.waitForEvent('wait', { type: 'decided', timeout: 600_000 })
    await step.do('answer', () => told('take', id))
    return pay(step, id)
  })
  return {
    async cycle() {
      const id = crypto.randomUUID()
      await start(id)
      await reached(id, 'waiting')
      const sent = performance.now()
      await table.decide(id)
      await (await workflow.get(id)).sendEvent({ type: 'decided', payload: true })
      await reached(id, 'complete')
      return take(id, sent)
    },
    async close() {
      http.close()
      await table.close()
    },
  }
}

/** A server with the agent's token, and its signed webhook to the Worker. */
async function serving(folder: string, wakeUps: Channel) {
  const store = await openSqlite(`${folder}/countersign.db`)
  const { issuer, subject, email, roles } = ANA
  await addAccount(store.records, { issuer, subject, roles, email, emailVerified: true })
  const server = createServer({
    store,
    running: {
      version: '0',
      loadedAt: new Date(0),
      policy: policyOf(POLICY),
      documents: [],
      warnings: [],
      files: () => [],
    },
    sources: [{ role: 'owner', file: 'countersign.yaml', text: `version: 1\n${POLICY}` }],
    channels: [wakeUps],
    callsPerSecond: 1_000_000,
  })
  const { token } = await server.credentials.tokens.create({ agent: 'billing-bot' })
  const { url, close } = await serve(server.app, { host: '127.0.0.1', port: 0 })
  return {
    gate: remoteGate({ url, token, announce: false }),
    approvals: server.gate.approvals,
    async close() {
      await close()
      await server.close()
      await store.close()
    },
  }
}

export async function countersign(folder: string): Promise<Cycles> {
  const asked = new Map<string, (question: { id: string; digest: string }) => void>()
  const { workflow, start, reached } = engineOf(async (event, step) => {
    const { instanceId: id } = event
    const onAsked = async (approval: string) => {
      const { approval: found } = (await approvals.get(approval)) ?? {}
      if (found) asked.get(id)?.(found)
    }
    const own = { event, step, onAsked: (approval: string) => void onAsked(approval) }
    await requireApproval(own, gate, requestOf(id))
    return pay(step, id)
  })
  const { gate, approvals, close } = await serving(folder, {
    name: 'cloudflare',
    kinds: ['approved'],
    async send(notice) {
      const { status } = await wake(signed(notice, SECRET), {
        secret: SECRET,
        workflows: [workflow],
      })
      if (status !== 204) throw new NotDelivered(`it answered ${status}`)
    },
  })
  return {
    async cycle() {
      const id = crypto.randomUUID()
      const question = new Promise<{ id: string; digest: string }>((resolve) =>
        asked.set(id, resolve),
      )
      await start(id)
      const { id: approval, digest } = await question
      asked.delete(id)
      await reached(id, 'waiting')
      const sent = performance.now()
      await approvals.decide(approval, { by: ANA, verdict: 'approve', seen: digest })
      await reached(id, 'complete')
      return take(id, sent)
    },
    close,
  }
}
