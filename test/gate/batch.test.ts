import { expect, test } from 'vitest'
import { promise } from '../support/promise.ts'
import { approve, BOTH, deny, ending, type RecordingTool, recordingTool, setUp } from './gates.ts'

async function pendings(gate: Awaited<ReturnType<typeof setUp>>['gate'], count: number) {
  for (;;) {
    const { approvals } = await gate.approvals.list({ status: ['pending'] }, { limit: 100 })
    if (approvals.length === count) return approvals
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

promise.each(
  ['SP-37', 'SP-39'],
  'each call of a batch has its own answer, and outcomes keep the order of the calls',
  BOTH,
  async (name) => {
    const { gate } = await setUp(name)
    const tool = recordingTool((args) => args.n)
    const names = ['pay', 'read', 'pay', 'nuke', 'pay', 'pay']
    const running = gate.batch(
      names.map((each, n) => ({ call: { tool: each, args: { n } }, tool })),
    )
    const asked = await pendings(gate, 4)
    expect(tool.starts.map(({ args }) => args.n)).toEqual([1])
    const byNumber = new Map<unknown, (typeof asked)[number]>()
    for (const approval of asked) {
      byNumber.set((await gate.approvals.get(approval.id))?.args?.n, approval)
    }
    expect(new Set(asked.map(({ call }) => call.batch)).size).toBe(1)
    expect(asked[0]?.call.batch).toBeDefined()
    // Answered in another order than asked.
    for (const [n, answer] of [
      [5, approve],
      [2, deny],
      [4, approve],
      [0, approve],
    ] as const) {
      const approval = byNumber.get(n)
      if (!approval) throw new Error(`call ${n} was not asked about`)
      await answer(gate, approval)
    }
    const outcomes = await running
    expect(outcomes.map(ending)).toEqual([
      'succeeded',
      'succeeded',
      'denied',
      'denied_by_policy',
      'succeeded',
      'succeeded',
    ])
    expect(outcomes.map((outcome) => ('result' in outcome ? outcome.result : '-'))).toEqual([
      0,
      1,
      '-',
      '-',
      4,
      5,
    ])
    expect(tool.starts).toHaveLength(4)
  },
)

promise.each(
  ['CS-GATE-8', 'SP-37'],
  'two equal calls of a batch are two calls: one yes runs one of them',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name)
    const same = { call: { tool: 'pay', args: { amount: 5 } }, tool: tool as RecordingTool }
    const running = gate.batch([same, same])
    const [first, second] = await pendings(gate, 2)
    if (!first || !second) throw new Error('not asked')
    expect(first.askedDigest).toBe(second.askedDigest)
    await approve(gate, first)
    await deny(gate, second)
    expect((await running).map(ending).toSorted()).toEqual(['denied', 'succeeded'])
    expect(tool.starts).toHaveLength(1)
  },
)

test('a batch of nothing is nothing, and one call is no batch', async () => {
  const { gate, tool } = await setUp('memory')
  expect(await gate.batch([])).toEqual([])
  const running = gate.batch([{ call: { tool: 'pay', args: {} }, tool }])
  const [approval] = await pendings(gate, 1)
  if (!approval) throw new Error('not asked')
  expect(approval.call.batch).toBeUndefined()
  await approve(gate, approval)
  expect(await running).toMatchObject([{ status: 'succeeded' }])
})

test('a batch that is given up withdraws what still waits', async () => {
  const { gate, store, tool } = await setUp('memory')
  const controller = new AbortController()
  const items = [1, 2].map((amount) => ({ call: { tool: 'pay', args: { amount } }, tool }))
  const running = gate.batch(items, { signal: controller.signal })
  await pendings(gate, 2)
  controller.abort()
  expect(await running).toMatchObject([
    { status: 'blocked', code: 'withdrawn' },
    { status: 'blocked', code: 'withdrawn' },
  ])
  expect((await store.list({ status: ['withdrawn'] })).approvals).toHaveLength(2)
  expect(tool.starts).toEqual([])
})
