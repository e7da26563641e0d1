import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Validate } from '../../src/gate/context.ts'
import { internals } from '../../src/gate/internals.ts'
import { allowAll, annotated, denyAll } from '../../src/policy/evaluate/mode.ts'
import { autoApprove } from '../../src/testing/strategies.ts'
import { policyOf } from '../support/policy.ts'
import {
  ana,
  approve,
  BOTH,
  bo,
  deny,
  ending,
  kim,
  nextPending,
  person,
  recordingTool,
  setUp,
} from './gates.ts'

/*
 * Approval bugs that other projects really had, each as a test that fails if we have it too. The
 * numbers are those of our collection.
 */

const pay = { tool: 'pay', args: { amount: 5 } }
const MINUTE = 60_000

async function asked(gate: Awaited<ReturnType<typeof setUp>>['gate'], call = pay) {
  const checked = await gate.check(call)
  if (checked.status !== 'pending') throw new Error(`not asked: ${checked.status}`)
  return checked.approval
}

// mastra #20470
test.each(BOTH)(
  'bug 4: a declined call does not run when its policy is gone on resume: %s',
  async (name) => {
    const { gate, store, tool } = await setUp(name)
    const approval = await asked(gate)
    await deny(gate, approval)
    const free = await setUp(name, { store, policy: policyOf('defaults: { undeclared: allow }') })
    for (const mode of [allowAll(), annotated()]) {
      const outcome = await free.gate.with({ mode }).resume(approval.id, { pay: tool })
      expect(outcome).toMatchObject({ status: 'blocked', code: 'denied', ran: false })
    }
    expect(tool.starts).toEqual([])
  },
)

// mastra #19633
test.each(BOTH)('bug 5: a stale click does not approve the newer call: %s', async (name) => {
  const { gate, tool } = await setUp(name)
  const old = await asked(gate)
  await gate.approvals.withdraw(old.id, { agent: 'biller' })
  const newer = await asked(gate, { tool: 'pay', args: { amount: 5_000 } })
  await expect(approve(gate, old)).rejects.toMatchObject({ code: 'withdrawn' })
  await expect(approve(gate, { ...newer, digest: old.digest })).rejects.toMatchObject({
    code: 'call_changed',
  })
  expect(await gate.resume(newer.id, { pay: tool })).toMatchObject({ status: 'pending' })
  expect(tool.starts).toEqual([])
})

// inspect_ai #5132, pydantic-ai #6968
test('bug 20: people see the arguments as the tool gets them, defaults and conversions included', async () => {
  const schema = z.object({
    amount: z.coerce.number(),
    currency: z.string().default('EUR'),
    to: z.string().transform((text) => text.trim().toUpperCase()),
  })
  const validate: Validate = (_, args) => {
    const read = schema.safeParse(args)
    return read.success
      ? { ok: true, args: read.data }
      : { ok: false, problem: z.prettifyError(read.error) }
  }
  const { gate } = await setUp('memory', { validate })
  const tool = recordingTool()
  const definition = {
    inputSchema: JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io: 'input' }))),
  }
  const call = { tool: 'pay', args: { amount: '5', to: ' acme ' } }
  const running = gate.run(call, { name: 'pay', definition, run: tool })
  const approval = await nextPending(gate)
  const shown = await gate.approvals.get(approval.id)
  await approve(gate, approval)
  await running
  expect(shown?.args).toEqual({ amount: 5, currency: 'EUR', to: 'ACME' })
  expect(tool.starts[0]?.args).toEqual(shown?.args)
})

// Atmosphere 40d616b6, 56b1046f
test('bug 22: denyAll is never answered by an auto-approver, and no answer is no yes', async () => {
  const approving = await setUp('memory', { strategy: autoApprove(), mode: denyAll() })
  expect(await approving.gate.run(pay, approving.tool)).toMatchObject({
    status: 'blocked',
    code: 'denied_by_mode',
  })
  expect(approving.tool.starts).toEqual([])
  const silent = await setUp('memory', { strategy: { name: 'silent', answers: () => [] } })
  expect(await silent.gate.run(pay, silent.tool, { waitFor: 20 })).toMatchObject({
    status: 'blocked',
    code: 'withdrawn',
  })
  expect(silent.tool.starts).toEqual([])
  const none = await setUp('memory')
  expect(await none.gate.run(pay, none.tool, { waitFor: 20 })).toMatchObject({
    status: 'blocked',
    code: 'withdrawn',
  })
  expect(none.tool.starts).toEqual([])
})

// Cloudflare Agents, approveMulti example
test.each(BOTH)(
  'bug 24: one person counts once, a no ends it, and a late yes runs nothing: %s',
  async (name) => {
    const { gate, tool } = await setUp(name)
    const wire = { tool: 'wire', args: { amount: 9 } }
    const running = gate.run(wire, tool)
    const first = await nextPending(gate)
    await approve(gate, first, ana)
    await approve(gate, first, ana)
    // Another login of the same human being.
    const twin = person('ana2', { email: 'ANA@example.com', groups: ['finance'] })
    await approve(gate, first, twin)
    expect((await gate.approvals.get(first.id))?.approval.status).toBe('pending')
    expect(tool.starts).toEqual([])
    await deny(gate, first, {}, bo)
    expect(await running).toMatchObject({ status: 'blocked', code: 'denied' })
    const dee = person('dee', { groups: ['finance'] })
    await expect(approve(gate, first, dee)).rejects.toMatchObject({ code: 'denied' })

    const again = gate.run({ tool: 'wire', args: { amount: 10 } }, tool)
    const second = await nextPending(gate)
    await Promise.all([approve(gate, second, ana), approve(gate, second, bo)])
    await again
    await expect(approve(gate, second, dee)).rejects.toMatchObject({ code: 'already_claimed' })
    expect(tool.starts).toHaveLength(1)
  },
)

// datalayer agent-runtimes #104
test.each([
  ['claim.committed', 0],
  ['tool.returned', 1],
] as const)(
  'bug 27: a crash at %s leaves nothing that can be used again',
  async (point, starts) => {
    const { gate, store, tool } = await setUp('memory', {
      probe(reached) {
        if (reached === point) throw new Error('killed')
      },
    })
    const running = gate.run(pay, tool, { key: 'a' })
    const { id } = await approve(gate, await nextPending(gate))
    await expect(running).rejects.toThrow('killed')
    const later = (await setUp('memory', { store })).gate
    expect(await later.run(pay, tool, { key: 'a', waitFor: 5 })).toMatchObject({
      status: 'unknown',
      code: 'already_claimed',
      ran: 'unknown',
    })
    await expect(
      later[internals].claim(id, (await store.get(id))?.askedDigest ?? ''),
    ).rejects.toMatchObject({
      code: 'already_claimed',
    })
    expect(tool.starts).toHaveLength(starts)
  },
)

// mattermost agents #908
test.each(BOTH)(
  'bug 28: a batch that is tried again runs only what has not run: %s',
  async (name) => {
    const { gate, tool } = await setUp(name)
    const items = ['a', 'b', 'c'].map((key, n) => ({
      call: { tool: 'pay', args: { n } },
      tool,
      key,
    }))
    const controller = new AbortController()
    const first = gate.batch(items, { signal: controller.signal })
    const { approvals } = await untilPending(gate, 3)
    const done = approvals.find(({ call }) => call.key === 'b')
    if (!done) throw new Error('not asked')
    await approve(gate, done)
    while (tool.starts.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    controller.abort()
    expect((await first).map(ending)).toEqual(['withdrawn', 'succeeded', 'withdrawn'])
    const fresh = items.map(({ key, ...item }) => ({ ...item, key: key === 'b' ? key : `${key}2` }))
    const second = gate.batch(fresh)
    for (const approval of (await untilPending(gate, 2)).approvals) await approve(gate, approval)
    expect((await second).map((outcome) => 'replayed' in outcome)).toEqual([false, true, false])
    expect(tool.starts.map(({ args }) => args.n).toSorted()).toEqual([0, 1, 2])
  },
)

async function untilPending(gate: Awaited<ReturnType<typeof setUp>>['gate'], count: number) {
  for (;;) {
    const page = await gate.approvals.list({ status: ['pending'] })
    if (page.approvals.length === count) return page
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

// agent-os #1613
test.each(BOTH)('bug 29: looking for an answer too early ends nothing: %s', async (name) => {
  const { gate, store, clock, tool } = await setUp(name)
  const approval = await asked(gate)
  for (let poll = 0; poll < 5; poll++) {
    const early = store.waitFor(approval.id, approval.revision, AbortSignal.timeout(5))
    await expect(early).rejects.toThrow()
    expect(await gate.resume(approval.id, { pay: tool })).toMatchObject({ status: 'pending' })
    clock.advance(MINUTE)
  }
  await approve(gate, approval)
  expect(await gate.resume(approval.id, { pay: tool })).toMatchObject({ status: 'succeeded' })
})

// opencompany #1490
test.each(BOTH)('bug 30: a late click is refused, and recorded as late: %s', async (name) => {
  const { gate, store, clock } = await setUp(name)
  const approval = await asked(gate)
  clock.advance(60 * MINUTE)
  await expect(approve(gate, approval)).rejects.toMatchObject({ code: 'expired' })
  const types = (await store.events(approval.id)).map(({ event }) => event.type)
  expect(types).toEqual(['requested', 'expired', 'late'])
  expect((await store.get(approval.id))?.decisions).toEqual([])
})

// patchwork-os #1537
test.each(BOTH)(
  'bug 31: a question that expired while its caller waited is stored as expired: %s',
  async (name) => {
    const { gate, store, clock, tool } = await setUp(name)
    const running = gate.run(pay, tool)
    const { id } = await nextPending(gate)
    clock.advance(60 * MINUTE)
    expect(await running).toMatchObject({ status: 'blocked', code: 'expired' })
    expect(await store.get(id)).toMatchObject({ status: 'expired', reason: 'undecided' })
    expect((await store.events(id)).map(({ event }) => event.type)).toEqual([
      'requested',
      'expired',
    ])
  },
)

// curie #417, #430
test.each(BOTH)(
  'bug 32: what was approved is not asked about again on resume: %s',
  async (name) => {
    const { gate, store } = await setUp(name)
    const tool = recordingTool()
    const approval = await asked(gate)
    await approve(gate, approval, kim)
    expect(await gate.resume(approval.id, { pay: tool })).toMatchObject({ status: 'succeeded' })
    expect(await gate.resume(approval.id, { pay: tool })).toMatchObject({ replayed: true })
    expect((await store.list({})).approvals).toHaveLength(1)
    expect(tool.starts).toHaveLength(1)
  },
)
