/** What only Restate does: attempts it gives up, its own errors, cancelling and killing. */
import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2'
import {
  type Context,
  createEndpointHandler,
  InvocationIdParser,
  type Serde,
  service,
} from '@restatedev/restate-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Approval } from '../../src/approval/approval.ts'
import { createGate, type Gate } from '../../src/gate/gate.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { ana } from '../../src/testing/adapter-play.ts'
import {
  guardStep,
  NotApproved,
  relay,
  requireApproval,
  waitForApproval,
  wakeUps,
  withdrawEnded,
} from '../../src/workflows/restate/index.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { type RunningRestate, startRestate } from '../support/restate.ts'
import { CASE_RULES } from './worker-config.ts'
import { eventually } from './world.ts'

let restate: RunningRestate
let gate: Gate
let endpoint: Http2Server
const sessions = new Set<ServerHttp2Session>()
const attempts = new Map<string, number>()
let transfers = 0
let causes: unknown[] = []

function counted(ctx: Context): void {
  const { id } = ctx.request()
  attempts.set(id, (attempts.get(id) ?? 0) + 1)
}

beforeAll(async () => {
  restate = await startRestate()
  gate = createGate({
    policy: policyOf(CASE_RULES),
    store: memoryStore(),
    agent: 'biller',
    channels: [wakeUps({ url: `${restate.ingress}/` })],
  })
  endpoint = await serve()
  await post(`${restate.admin}/deployments`, { uri: `http://127.0.0.1:${restate.worker}` })
})

afterAll(async () => {
  await closeEndpoint()
  await gate.close()
  await restate.stop()
})

function services() {
  const transfer = guardStep(gate, {
    name: 'transfer',
    approval: true,
    async run() {
      transfers += 1
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      return transfers
    },
  })
  const impatient = service({
    name: 'impatient',
    handlers: {
      transfer: (ctx: Context) => {
        counted(ctx)
        return transfer(ctx, { amount: 5 })
      },
    },
    // Far less than the transfer takes: the attempt is given up, and another one starts.
    options: { inactivityTimeout: 100, abortTimeout: 200 },
  })
  const asking = service({
    name: 'asking',
    handlers: {
      required: async (ctx: Context) => {
        counted(ctx)
        try {
          await requireApproval(ctx, gate, { name: 'required' })
        } catch (error) {
          causes.push((error as Error).cause)
          throw error
        }
      },
      mistaken: async (ctx: Context) => {
        counted(ctx)
        await waitForApproval(ctx, gate, { name: 'mistaken', looks: ['soon'] })
      },
      waits: async (ctx: Context) => {
        counted(ctx)
        const { status } = await waitForApproval(ctx, gate, { name: 'waits' })
        return status
      },
      /** What any service of the same cluster can send. */
      garbage: async (ctx: Context, to: { invocation: string; approval: string }) => {
        const target = ctx.invocation(InvocationIdParser.fromString(to.invocation))
        target.signal(`countersign:${to.approval}`, GARBAGE).resolve()
      },
      // Whoever wraps the context anew for each call must not make the first gate of each.
      wrapped: async (ctx: Context) => {
        const statuses: string[] = []
        for (let round = 0; round < 2; round += 1) {
          const wrapped = new Proxy(ctx, {
            get: (target, key) => {
              const value: unknown = Reflect.get(target, key)
              return typeof value === 'function' ? value.bind(target) : value
            },
          })
          const { status } = await waitForApproval(wrapped, gate, { name: 'wrapped' })
          statuses.push(status)
        }
        return statuses
      },
    },
  })
  return [impatient, asking, relay]
}

const GARBAGE: Serde<void> = {
  serialize: () => new Uint8Array([0x7b, 0xff, 0x00]),
  deserialize: () => undefined,
}

async function serve(): Promise<Http2Server> {
  const server = createServer(createEndpointHandler({ services: services(), logger: () => {} }))
  server.on('session', (session) => sessions.add(session))
  await new Promise<void>((resolve) => server.listen(restate.worker, '127.0.0.1', resolve))
  return server
}

function closeEndpoint(): Promise<void> {
  return new Promise((resolve) => {
    endpoint.close(() => resolve())
    for (const session of sessions) session.destroy()
    sessions.clear()
  })
}

async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      ...headers,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  })
  return { status: answer.status, text: await answer.text() }
}

async function start(target: string): Promise<string> {
  const key = { 'idempotency-key': `${target}-${Math.random()}` }
  const { text } = await post(`${restate.ingress}/${target}/send`, undefined, key)
  return (JSON.parse(text) as { invocationId: string }).invocationId
}

async function output(id: string) {
  const answer = await fetch(`${restate.ingress}/restate/invocation/${id}/attach`)
  return { status: answer.status, body: JSON.parse(await answer.text()) as unknown }
}

function change(id: string, how: 'cancel' | 'kill') {
  return fetch(`${restate.admin}/invocations/${id}/${how}`, { method: 'PATCH' })
}

function asked(id: string, not: readonly string[] = []): Promise<Approval> {
  return eventually('it is asked', async () => {
    const { approvals } = await gate.approvals.list({ status: ['pending'] }, {})
    return approvals.find((one) => one.call.run?.includes(id) && !not.includes(one.id))
  })
}

async function answer({ id, digest }: Approval, verdict: 'approve' | 'deny') {
  await gate.approvals.decide(id, { by: ana, verdict, seen: digest })
}

async function statusOf({ id }: Approval) {
  return (await gate.approvals.get(id))?.approval.status
}

describe.concurrent('Restate alone', () => {
  promise(
    ['CS-FLOW-4'],
    'an attempt that Restate gives up while the tool runs, and the next one, run it once',
    async () => {
      const id = await start('impatient/transfer')
      await answer(await asked(id), 'approve')
      expect(await output(id)).toEqual({ status: 200, body: 1 })
      expect(attempts.get(id)).toBeGreaterThan(1)
      expect(transfers).toBe(1)
    },
    60_000,
  )

  test('a refusal ends the invocation: a TerminalError with its code, not retried', async () => {
    const id = await start('asking/required')
    await answer(await asked(id), 'deny')
    const { status, body } = await output(id)
    expect(status).toBe(403)
    expect(body).toMatchObject({ metadata: { name: 'NotApproved', code: 'denied' } })
    expect(causes).toEqual([expect.any(NotApproved)])
    expect(attempts.get(id)).toBe(1)
    causes = []
  })

  test('a mistake of the program ends it too', async () => {
    const id = await start('asking/mistaken')
    expect(await output(id)).toMatchObject({
      status: 500,
      body: { metadata: { code: 'invalid_value' } },
    })
    expect(attempts.get(id)).toBe(1)
  })

  promise(
    ['CS-FLOW-3'],
    'two gates are two questions, however the context is wrapped',
    async () => {
      const id = await start('asking/wrapped')
      const first = await asked(id)
      await answer(first, 'approve')
      await answer(await asked(id, [first.id]), 'deny')
      expect(await output(id)).toEqual({ status: 200, body: ['approved', 'denied'] })
    },
  )

  promise(
    ['CS-FLOW-5'],
    'a killed invocation tells no code, and `withdrawEnded` withdraws its question',
    async () => {
      const [killed, running] = [await start('asking/waits'), await start('asking/waits')]
      const [question, other] = [await asked(killed), await asked(running)]
      await change(killed, 'kill')
      await eventually('it is withdrawn', async () => {
        await withdrawEnded({ url: `${restate.admin}/` }, gate)
        return (await statusOf(question)) === 'withdrawn' ? true : undefined
      })
      expect(await statusOf(other)).toBe('pending')
      await expect(
        withdrawEnded({ url: `${restate.ingress}/nowhere` }, gate),
      ).rejects.toMatchObject({
        code: 'server_unreachable',
      })
      expect(await statusOf(other)).toBe('pending')
    },
  )

  promise(['CS-FLOW-2'], 'a signal that is no JSON makes it look, and nothing else', async () => {
    const id = await start('asking/waits')
    const question = await asked(id)
    const to = { invocation: id, approval: question.id }
    expect(await post(`${restate.ingress}/asking/garbage`, to)).toMatchObject({ status: 200 })
    await answer(question, 'approve')
    expect(await output(id)).toEqual({ status: 200, body: 'approved' })
    expect(attempts.get(id)).toBe(1)
  })

  promise(
    ['CS-FLOW-2'],
    'the relay sends wake-ups only: what is none is refused and not retried',
    async () => {
      const bad = [
        null,
        'inv_1',
        {},
        { invocation: '../x', approval: 'a' },
        { invocation: 'inv_1', approval: 7 },
      ]
      for (const one of bad) {
        const { status, text } = await post(`${restate.ingress}/countersign/wake`, one)
        expect([status, text]).toEqual([400, expect.stringContaining('not a wake-up')])
      }
    },
  )
})

promise(
  ['CS-FLOW-5'],
  'cancelled while no worker is up, it withdraws its question when one is back',
  async () => {
    const id = await start('asking/waits')
    const question = await asked(id)
    await closeEndpoint()
    await change(id, 'cancel')
    expect(await statusOf(question)).toBe('pending')
    endpoint = await serve()
    await eventually('it is withdrawn', async () =>
      (await statusOf(question)) === 'withdrawn' ? true : undefined,
    )
  },
  60_000,
)
