import { expect, vi } from 'vitest'
import { sha256 } from '../../src/base/json/digest.ts'
import { type RemoteGate, remoteGate } from '../../src/client/remote-gate.ts'
import { HOST, POLICY, running } from '../server/harness.ts'
import { promise } from '../support/promise.ts'

const PAY = { tool: 'pay', run: 'r1', key: 'k1', args: { amount: 500, to: 'Lena' } }
const LOOSER = 'version: 1\ntools: { pay: { approval: false }, read: { approval: false } }\n'

/** A gate over a server whose policy asks about `pay`, until it is loosened. */
async function loosenable() {
  let text = POLICY
  const own = running({ onDisk: () => text })
  const admin = await own.person('root@example.com', ['viewer', 'approver', 'admin'])
  const { authorization = '' } = await own.agent('bot')
  const calls: string[] = []
  /** `locks`: what becomes of the answer of `GET /v1/locks` on its way. */
  const open = (locks?: (body: object) => object): RemoteGate =>
    remoteGate({
      url: `http://${HOST}`,
      token: authorization.replace('Bearer ', ''),
      announce: false,
      async fetch(input, init) {
        const { pathname, search } = new URL(String(input))
        if (pathname === '/v1/calls') calls.push(String(init?.body))
        const headers = { ...(init?.headers as Record<string, string>), host: HOST }
        const answer = await own.server.app.request(`${pathname}${search}`, { ...init, headers })
        if (!locks || pathname !== '/v1/locks') return answer
        return Response.json(locks((await answer.json()) as object))
      },
    })
  async function loosen(): Promise<void> {
    text = LOOSER
    const { at } = await own.send('/v1/policy/draft', { as: admin })
    const applied = await own.send('/v1/policy/apply', { as: admin, body: { name: at('name') } })
    expect(applied.status).toBe(200)
  }
  async function decide(verdict: 'approve' | 'deny'): Promise<void> {
    const [asked] = (await own.store.list({ status: ['pending'] })).approvals
    if (!asked) throw new Error('nothing waits')
    const body = { verdict, digest: asked.digest, reason: 'looked at it' }
    const by = await own.person('ana@example.com')
    const sent = await own.send(`/v1/approvals/${asked.id}/decisions`, { as: by, body })
    expect(sent.status).toBe(200)
  }
  return { ...own, open, calls, loosen, decide }
}

promise(
  ['CS-GATE-25'],
  'over HTTP what people denied stays denied under its key when the rules allow it later',
  async () => {
    const { open, loosen, decide } = await loosenable()
    const tool = vi.fn(() => 'paid')
    expect(await open().run(PAY, tool, { wait: false })).toMatchObject({ status: 'pending' })
    await decide('deny')
    await loosen()
    expect(await open().run(PAY, tool)).toMatchObject({ status: 'blocked', code: 'denied' })
    const guarded = open().guard(tool, { name: 'pay' })
    await expect(guarded(PAY.args, { run: 'r1', key: 'k1' })).rejects.toThrow('denied')
    expect(tool).not.toHaveBeenCalled()
    expect(await open().run({ ...PAY, key: 'k2' }, tool)).toMatchObject({ status: 'succeeded' })
  },
)

promise(
  ['CS-GATE-25'],
  'over HTTP what still waits is joined, and runs once when it is approved',
  async () => {
    const { open, loosen, decide } = await loosenable()
    const tool = vi.fn(() => 'paid')
    const first = open().run(PAY, tool)
    const gate = open()
    const onPending = vi.fn()
    await vi.waitFor(async () => {
      expect(await gate.run(PAY, tool, { wait: false })).toMatchObject({ status: 'pending' })
    })
    await loosen()
    const second = open().run(PAY, tool, { onPending })
    await vi.waitFor(() => expect(onPending).toHaveBeenCalled())
    expect(tool).not.toHaveBeenCalled()
    await decide('approve')
    expect((await Promise.all([first, second])).map(({ status }) => status)).toEqual([
      'succeeded',
      'succeeded',
    ])
    expect(tool).toHaveBeenCalledTimes(1)
  },
)

promise(
  ['CS-GATE-25'],
  'over HTTP a denial stands although code no longer declares that the tool asks',
  async () => {
    const { open, decide } = await loosenable()
    const tool = vi.fn(() => 'read')
    const call = { tool: 'read', run: 'r1', key: 'k1', args: {} }
    const strict = open()
    strict.declare('read', { approval: true })
    expect(await strict.run(call, tool, { wait: false })).toMatchObject({ status: 'pending' })
    await decide('deny')
    expect(await open().run(call, tool)).toMatchObject({ status: 'blocked', code: 'denied' })
    expect(tool).not.toHaveBeenCalled()
  },
)

promise(
  ['CS-GATE-25'],
  'over HTTP calls without a key, and of tools never asked about, are not looked up',
  async () => {
    const { open, loosen, decide, calls } = await loosenable()
    const tool = vi.fn(() => 'done')
    await open().run(PAY, tool, { wait: false })
    await decide('deny')
    await loosen()
    calls.length = 0
    const gate = open()
    const { key: _, ...keyless } = PAY
    expect(await gate.run(keyless, tool)).toMatchObject({ status: 'succeeded' })
    const read = { tool: 'read', run: 'r1', key: 'k1', args: {} }
    expect(await gate.run(read, tool)).toMatchObject({ status: 'succeeded' })
    expect(calls).toEqual([])
  },
)

promise(
  ['CS-GATE-25'],
  'over HTTP an agent can tell that its own tool was asked about, and learns no name of another',
  async () => {
    const { open, loosen, agent, send } = await loosenable()
    await open().run(PAY, () => 'paid', { wait: false })
    await loosen()
    const other = await send('/v1/locks', { as: await agent('stranger') })
    const { asked } = other.body as { asked: { salt: string; tools: readonly string[] } }
    expect(asked.tools).toEqual([await sha256(`${asked.salt}\npay`)])
    expect(JSON.stringify(other.body)).not.toContain('pay')
  },
)

promise(
  ['CS-GATE-25'],
  'over HTTP a server that does not say which tools were asked about is asked about all',
  async () => {
    const { open, loosen, decide, calls } = await loosenable()
    const tool = vi.fn(() => 'paid')
    await open().run(PAY, tool, { wait: false })
    await decide('deny')
    await loosen()
    calls.length = 0
    for (const asked of [undefined, ['read'], { salt: 1, tools: [] }, { salt: 'x' }]) {
      const gate = open((body) => ({ ...body, asked }))
      expect(await gate.run(PAY, tool)).toMatchObject({ status: 'blocked', code: 'denied' })
    }
    expect(calls).toHaveLength(4)
    expect(tool).not.toHaveBeenCalled()
  },
)
