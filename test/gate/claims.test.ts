import { expect, vi } from 'vitest'
import { internals } from '../../src/gate/internals.ts'
import { custom, denyAll } from '../../src/policy/evaluate/mode.ts'
import type { Store } from '../../src/store/store.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import {
  ana,
  approve,
  approved,
  BOTH,
  bo,
  deny,
  nextPending,
  openStore,
  POLICY,
  pay,
  person,
  runApproved,
  setUp,
} from './gates.ts'

promise.each(
  ['CS-GATE-1', 'AR-4'],
  'many resume one approval at once, and one of them runs it',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name)
    const { id } = await approved(gate)
    const outcomes = await Promise.all(
      Array.from({ length: 16 }, () => gate.resume(id, { pay: tool })),
    )
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'succeeded', result: { did: pay.args } })
    }
    expect(outcomes.filter((one) => !('replayed' in one))).toHaveLength(1)
    expect(tool.starts).toHaveLength(1)
  },
)

promise.each(
  ['CS-GATE-1'],
  'two processes that wait for one approval run it once',
  BOTH,
  async (name) => {
    const { gate, store, tool } = await setUp(name)
    const other = (await setUp(name, { store })).gate
    const running = [gate.run(pay, tool, { key: 'a' }), other.run(pay, tool, { key: 'a' })]
    await approve(gate, await nextPending(gate))
    const outcomes = await Promise.all(running)
    expect(outcomes.map(({ status }) => status)).toEqual(['succeeded', 'succeeded'])
    expect(tool.starts).toHaveLength(1)
  },
)

promise.each(
  ['CS-GATE-14'],
  'what a yes rested on is looked at again',
  [
    [
      'the tool has changed',
      'invalidated',
      'tool',
      async ({ gate, tool, id }) =>
        gate.resume(id, [{ name: 'pay', definition: { description: 'Pays twice' }, run: tool }]),
    ],
    [
      'the policy denies now',
      'invalidated',
      'policy',
      async ({ tighten, gate, tool, id }) => {
        tighten('governance: [{ id: stop, match: { tool: pay }, deny: Not any more }]')
        return gate.resume(id, { pay: tool })
      },
    ],
    [
      'the policy asks other people now',
      'invalidated',
      'policy',
      async ({ tighten, gate, tool, id }) => {
        tighten('tools: { pay: { approval: { approvers: [cy@example.com] } } }')
        return gate.resume(id, { pay: tool })
      },
    ],
    [
      'the yes has become too old',
      'expired',
      'unused',
      async ({ clock, gate, tool, id }) => {
        clock.advance(600_000)
        return gate.resume(id, { pay: tool })
      },
    ],
    [
      'the yes was taken back',
      'invalidated',
      'revoked',
      async ({ gate, tool, id }) => {
        const shown = await gate.approvals.get(id)
        if (shown) await deny(gate, shown.approval)
        return gate.resume(id, { pay: tool })
      },
    ],
    [
      'the one who said yes was locked',
      'invalidated',
      'voter',
      async ({ lock, gate, tool, id }) => {
        lock()
        return gate.resume(id, { pay: tool })
      },
    ],
  ] as [string, string, string, (it: Awaited<ReturnType<typeof scene>>) => Promise<unknown>][],
  async (_, code, reason, resume) => {
    const it = await scene()
    const refused = { status: 'blocked', ran: false, code }
    expect(await resume(it)).toMatchObject({ ...refused, approval: { status: code, reason } })
    expect(it.tool.starts).toEqual([])
    // For good: nothing brings it back.
    expect(await it.gate.resume(it.id, { pay: it.tool })).toMatchObject(refused)
    expect(it.tool.starts).toEqual([])
  },
)

async function scene() {
  let policy = policyOf(POLICY)
  let locked = false
  const { gate, clock, tool } = await setUp('memory', {
    policy: () => policy,
    people: {
      directory: () => ({ groups: {}, approvers: 'open' }),
      lookup: (one) => (locked ? undefined : one),
    },
  })
  const { id } = await approved(gate)
  const tighten = (text: string) => {
    policy = policyOf(text)
  }
  const lock = () => {
    locked = true
  }
  return { gate, clock, tool, id, tighten, lock }
}

promise(['CS-GATE-14'], 'a policy that asks for less changes nothing', async () => {
  let policy = policyOf(POLICY)
  const { gate, tool } = await setUp('memory', { policy: () => policy })
  const { id } = await approved(gate)
  policy = policyOf('tools: { pay: { approval: false } }')
  expect(await gate.resume(id, { pay: tool })).toMatchObject({ status: 'succeeded' })
})

promise(
  ['CS-GATE-14'],
  'someone who left the group no longer counts, before or after the last yes',
  async () => {
    let policy = policyOf(POLICY)
    const { gate, tool } = await setUp('memory', { policy: () => policy })
    const wire = { tool: 'wire', args: { amount: 9 } }
    const { id } = await approved(gate, wire, [ana, bo])
    const checked = await gate.check({ tool: 'wire', args: { amount: 10 } })
    if (checked.status !== 'pending') throw new Error('not asked')
    await approve(gate, checked.approval, ana)
    policy = policyOf(POLICY.replace('ana@example.com, ', ''))
    expect(await gate.resume(id, { wire: tool })).toMatchObject({
      status: 'blocked',
      code: 'invalidated',
      approval: { reason: 'voter' },
    })
    // Ana's yes was the first of two; now it takes another one.
    expect(await approve(gate, checked.approval, bo)).toMatchObject({ status: 'pending' })
    const dee = person('dee', { groups: ['finance'] })
    expect(await approve(gate, checked.approval, dee)).toMatchObject({ status: 'approved' })
    expect(tool.starts).toEqual([])
  },
)

promise(
  ['CS-GATE-14'],
  'a predicate is asked once, and what it says later changes nothing',
  async () => {
    let asked = 0
    const { gate, tool } = await setUp('memory', {
      mode: custom(() => (asked++ === 0 ? true : 'deny')),
    })
    const running = gate.run({ tool: 'read', args: {} }, tool)
    expect(await runApproved(gate, running)).toMatchObject({ status: 'succeeded' })
    expect(asked).toBe(1)
  },
)

promise(
  ['CS-GATE-14', 'AT-21'],
  'a preview neither runs nor spoils what was approved',
  async () => {
    const { gate, tool } = await setUp('memory')
    const { id, askedDigest } = await approved(gate)
    const preview = gate.with({ mode: denyAll() })
    expect(await preview.resume(id, { pay: tool })).toMatchObject({
      status: 'blocked',
      code: 'denied_by_mode',
      modelMessage: '{"status":"cancelled","message":"Tool execution denied by policy"}',
    })
    await expect(preview[internals].claim(id, askedDigest)).rejects.toMatchObject({
      code: 'denied_by_policy',
    })
    expect(tool.starts).toEqual([])
    expect(await gate.resume(id, { pay: tool })).toMatchObject({ status: 'succeeded' })
  },
)

promise(['CS-GATE-15'], 'a claimer that comes to itself too late does not start', async () => {
  const store = await openStore('memory')
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  try {
    const slow: Store = {
      ...store,
      async apply(id, command) {
        const applied = await store.apply(id, command)
        if (command.type === 'claim') now += 10_000
        return applied
      },
    }
    const { gate, tool } = await setUp('memory', { store: slow })
    const { id } = await approved(gate)
    expect(await gate.resume(id, { pay: tool })).toMatchObject({
      status: 'blocked',
      code: 'not_started',
      ran: false,
      approval: { execution: { state: 'failed' } },
    })
    // Spent all the same, and told the same to whoever asks later.
    expect(await gate.resume(id, { pay: tool })).toMatchObject({
      status: 'blocked',
      code: 'not_started',
      ran: false,
    })
    expect(tool.starts).toEqual([])
  } finally {
    vi.restoreAllMocks()
  }
})

promise.each(['AR-25'], 'another agent can neither run nor withdraw it', BOTH, async (name) => {
  const { gate, tool } = await setUp(name)
  const { id, askedDigest } = await approved(gate)
  const other = gate.with({ agent: 'other' })
  expect(await other.resume(id, { pay: tool })).toMatchObject({
    status: 'blocked',
    ran: false,
    code: 'not_the_asker',
  })
  await expect(other[internals].claim(id, askedDigest)).rejects.toMatchObject({
    code: 'not_the_asker',
  })
  await expect(other.approvals.withdraw(id, { agent: 'other' })).rejects.toMatchObject({
    code: 'not_the_asker',
  })
  expect(tool.starts).toEqual([])
  expect(await gate.resume(id, { pay: tool })).toMatchObject({ status: 'succeeded' })
})

promise(
  ['CS-GATE-14'],
  'a lock holds back what was approved before it, and a lifted one lets it go',
  async () => {
    let code: 'locked' | 'quarantined' | undefined
    const { gate, tool } = await setUp('memory', {
      authorize: () => code && { code, reason: 'stock-taking' },
    })
    const { id, askedDigest } = await approved(gate)
    for (const each of ['locked', 'quarantined'] as const) {
      code = each
      expect(await gate.resume(id, { pay: tool })).toMatchObject({
        status: 'blocked',
        ran: false,
        code,
      })
      await expect(gate[internals].claim(id, askedDigest)).rejects.toMatchObject({ code })
    }
    expect(tool.starts).toEqual([])
    code = undefined
    expect(await gate.resume(id, { pay: tool })).toMatchObject({ status: 'succeeded' })
  },
)
