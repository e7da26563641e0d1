import { afterEach, expect, test, vi } from 'vitest'
import { type RemoteGate, remoteGate } from '../../src/client/remote-gate.ts'
import { isCallBlocked } from '../../src/gate/call-blocked.ts'
import {
  allowAll,
  type CustomInput,
  custom,
  denyAll,
  type Mode,
  observe,
} from '../../src/policy/evaluate/mode.ts'
import { HOST, type Running, running } from '../server/harness.ts'
import { promise } from '../support/promise.ts'

afterEach(() => vi.unstubAllEnvs())

const PAY = { tool: 'pay', run: 'r1', key: 'k1', args: { amount: 500, to: 'Lena' } }
const SMALL = { tool: 'pay', run: 'r1', key: 'k2', args: { amount: 5, to: 'Lena' } }
const WIPE = { tool: 'wipe_all', run: 'r1', key: 'k3', args: {} }
const CANCELLED = '{"status":"cancelled","message":"Tool execution denied by policy"}'

interface Remote extends Running {
  readonly gate: RemoteGate
  readonly sent: string[]
}

async function remote(mode?: Mode, options: Parameters<typeof running>[0] = {}): Promise<Remote> {
  const own = running(options)
  const { authorization = '' } = await own.agent('bot')
  const sent: string[] = []
  const gate = remoteGate({
    url: `http://${HOST}`,
    token: authorization.replace('Bearer ', ''),
    ...(mode ? { mode } : {}),
    async fetch(input, init) {
      const url = new URL(String(input))
      sent.push(`${init?.method ?? 'GET'} ${url.pathname}`)
      const headers = { ...(init?.headers as Record<string, string>), host: HOST }
      return own.server.app.request(`${url.pathname}${url.search}`, { ...init, headers })
    },
  })
  return { ...own, gate, sent }
}

async function approvalsOf({ store }: Remote) {
  return (await store.list({})).approvals
}

promise(
  ['AT-10', 'AT-11', 'AT-12', 'AT-13', 'AT-14'],
  'over HTTP denyAll runs nothing, asks nothing and says so in the same words',
  async () => {
    const all = await remote(denyAll())
    const tool = vi.fn()
    for (const call of [PAY, SMALL, WIPE]) {
      expect(await all.gate.run(call, tool)).toEqual({
        status: 'blocked',
        ran: false,
        code: 'denied_by_mode',
        modelMessage: CANCELLED,
      })
      expect(await all.gate.check(call)).toMatchObject({ code: 'denied_by_mode' })
    }
    const guarded = all.gate.guard(tool, { name: 'read' })
    const refused = await guarded({}).catch((error: unknown) => error)
    expect(isCallBlocked(refused, 'denied_by_mode')).toBe(true)
    expect(tool).not.toHaveBeenCalled()
    expect(all.sent).toEqual([])
    expect(await approvalsOf(all)).toEqual([])
  },
)

promise(
  ['AT-1', 'AT-19'],
  'over HTTP modes stand side by side, and observe does not lift denyAll',
  async () => {
    const all = await remote()
    const denying = all.gate.with({ mode: denyAll() })
    const tool = vi.fn(() => 'done')
    expect(await all.gate.run(SMALL, tool)).toMatchObject({ status: 'succeeded' })
    expect(await denying.run(SMALL, tool)).toMatchObject({ code: 'denied_by_mode' })
    expect(await denying.with({ mode: observe() }).run(PAY, tool)).toMatchObject({
      code: 'denied_by_mode',
    })
    expect(
      await denying.with({ run: 'other' }).run({ tool: 'read', args: {} }, tool),
    ).toMatchObject({
      code: 'denied_by_mode',
    })
    expect(tool).toHaveBeenCalledTimes(1)
  },
)

promise(
  ['AT-15'],
  'over HTTP a custom mode makes the server ask about what its policy allows',
  async () => {
    for (const [answer, level] of [
      [true, 'confirm'],
      ['confirm', 'confirm'],
      ['review', 'review'],
    ] as const) {
      const all = await remote(custom(() => answer))
      const tool = vi.fn()
      const read = { tool: 'read', run: 'r', key: 'k', args: {} }
      expect(await all.gate.run(read, tool, { wait: false })).toMatchObject({ status: 'pending' })
      expect(await approvalsOf(all)).toMatchObject([{ level, call: { tool: 'read' } }])
      expect(tool).not.toHaveBeenCalled()
    }
  },
)

promise(['AT-15'], 'over HTTP review asks those whom the policy names by default', async () => {
  const policy =
    'version: 1\ndefaults: { approvers: [ana@example.com, { group: ops }] }\npeople: { groups: { ops: [olga@example.com] } }\n'
  const all = await remote(
    custom(() => 'review'),
    { policy },
  )
  const outcome = await all.gate.run(SMALL, vi.fn(), { wait: false })
  expect(outcome).toMatchObject({ status: 'pending' })
  const [approval] = await approvalsOf(all)
  expect(approval?.requirements).toMatchObject([
    { approvers: [{ email: 'ana@example.com' }, { group: 'ops' }] },
  ])
})

promise(['AT-15'], 'over HTTP a custom mode loosens nothing', async () => {
  for (const answer of [false, 'allow'] as const) {
    const all = await remote(custom(() => answer))
    const tool = vi.fn(() => 'done')
    expect(await all.gate.run(PAY, tool, { wait: false })).toMatchObject({ status: 'pending' })
    expect(await all.gate.run(WIPE, tool)).toMatchObject({ code: 'denied_by_policy' })
    expect(tool).not.toHaveBeenCalled()
    expect(await all.gate.run(SMALL, tool)).toMatchObject({ status: 'succeeded' })
  }
})

promise(['AT-15'], 'over HTTP a custom mode that says deny asks no approver', async () => {
  const all = await remote(custom(() => 'deny'))
  const tool = vi.fn()
  expect(await all.gate.run(SMALL, tool)).toMatchObject({
    status: 'blocked',
    ran: false,
    code: 'denied_by_policy',
  })
  expect(await all.gate.check(PAY)).toMatchObject({ code: 'denied_by_policy' })
  expect(await approvalsOf(all)).toEqual([])
  expect(tool).not.toHaveBeenCalled()
})

promise(
  ['AT-15'],
  'over HTTP a function that changed its mind does not run what waits',
  async () => {
    let asks = true
    const all = await remote(custom(() => asks))
    const tool = vi.fn(() => 'done')
    const read = { tool: 'read', run: 'r', key: 'k', args: {} }
    expect(await all.gate.run(read, tool, { wait: false })).toMatchObject({ status: 'pending' })
    asks = false
    expect(await all.gate.run(read, tool, { wait: false })).toMatchObject({ status: 'pending' })
    expect(tool).not.toHaveBeenCalled()
    expect(await approvalsOf(all)).toHaveLength(1)
  },
)

promise(['AT-18'], 'over HTTP the function sees the call and what is declared', async () => {
  const seen: CustomInput[] = []
  const all = await remote(
    custom((input) => {
      seen.push(input)
      return true
    }),
  )
  await all.gate.run(PAY, vi.fn(), { wait: false })
  expect(seen).toEqual([
    { tool: 'pay', args: PAY.args, agent: undefined, principal: undefined, declared: 'review' },
  ])
})

promise(
  ['AT-2', 'CS-OBSERVE-1'],
  'over HTTP an observed call runs, and is on the record of the server before it does',
  async () => {
    const all = await remote(observe())
    let before = 0
    const outcome = await all.gate.run(PAY, async () => {
      before = (await all.store.observations.list()).observed.length
      return 'paid'
    })
    expect(outcome).toMatchObject({ status: 'succeeded', ran: true, result: 'paid' })
    expect(before).toBe(1)
    const { observed } = await all.store.observations.list()
    expect(observed).toMatchObject([{ verdict: 'review', call: { tool: 'pay' } }])
    expect(await approvalsOf(all)).toEqual([])
    // What the rules allow has nothing to record, and reaches no server.
    expect(await all.gate.run(SMALL, () => 'paid')).toMatchObject({ status: 'succeeded' })
    expect(all.sent.filter((line) => line === 'POST /v1/calls')).toHaveLength(1)
  },
)

test('over HTTP what only code declares is on the record too', async () => {
  const all = await remote(observe())
  const ping = all.gate.guard(() => 'pong', { name: 'ping', approval: true })
  expect(await ping({})).toBe('pong')
  const { observed } = await all.store.observations.list()
  expect(observed).toMatchObject([{ verdict: 'confirm', call: { tool: 'ping' } }])
})

promise(
  ['CS-MODE-1'],
  'over HTTP governance and locks are enforced on observed calls',
  async () => {
    const policy =
      'version: 1\ngovernance:\n  - { id: no-wipes, match: { tool: "wipe*" }, deny: Nothing is wiped here. }\n  - { id: two, match: { tool: "wire" }, approval: { approvers: ["*"] } }\n'
    const all = await remote(observe(), { policy })
    const tool = vi.fn()
    expect(await all.gate.run(WIPE, tool)).toMatchObject({ code: 'denied_by_policy' })
    const wire = { tool: 'wire', run: 'r', key: 'w', args: {} }
    expect(await all.gate.run(wire, tool, { wait: false })).toMatchObject({ status: 'pending' })
    expect(await approvalsOf(all)).toMatchObject([{ level: 'review' }])
    expect(tool).not.toHaveBeenCalled()
  },
)

test('observe is a flag, and nothing else', async () => {
  const own = running()
  const bot = await own.agent('bot')
  const answer = await own.send('/v1/calls', { as: bot, body: { ...PAY, observe: 'yes' } })
  expect([answer.status, answer.at('error.code')]).toEqual([400, 'invalid_value'])
})

promise(
  ['AT-8', 'AT-9'],
  'over HTTP allowAll runs what the owner would ask about, not what governance denies',
  async () => {
    const all = await remote(allowAll())
    const tool = vi.fn(() => 'done')
    expect(await all.gate.run(PAY, tool)).toMatchObject({ status: 'succeeded' })
    expect(await all.gate.check(PAY)).toMatchObject({ status: 'allowed' })
    expect(await all.gate.run(WIPE, tool)).toMatchObject({ code: 'denied_by_policy' })
    expect(tool).toHaveBeenCalledTimes(1)
    const made = allowAll()
    vi.stubEnv('NODE_ENV', 'production')
    expect(() => all.gate.with({ mode: made })).toThrow(
      expect.objectContaining({ code: 'mode_refused' }),
    )
  },
)
