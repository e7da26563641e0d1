import { expect, test, vi } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { promise } from '../support/promise.ts'
import { approve, BOTH, nextPending, recordingTool, runApproved, setUp } from './gates.ts'

promise.each(
  ['CS-GATE-2'],
  'whatever becomes of the caller’s object, the approved bytes run',
  [
    [
      'changed while waiting',
      () => {
        const args = { amount: 5, to: { name: 'acme' } }
        const change = () => {
          args.amount = 500
          args.to.name = 'mallory'
        }
        return { args, change }
      },
    ],
    [
      'a getter that answers differently each time',
      () => {
        let reads = 0
        const args = {
          get amount() {
            return ++reads
          },
          to: { name: 'acme' },
        }
        return { args, change: () => {} }
      },
    ],
    [
      'a proxy that turns',
      () => {
        let turned = false
        const target = { amount: 5, to: { name: 'acme' } }
        const args = new Proxy(target, {
          get: (from, key) => (turned && key === 'amount' ? 500 : Reflect.get(from, key)),
        })
        const change = () => {
          turned = true
        }
        return { args, change }
      },
    ],
  ] as [string, () => { args: JsonObject; change: () => void }][],
  async (_, make) => {
    const { gate, tool } = await setUp('memory')
    const { args, change } = make()
    const running = gate.run({ tool: 'pay', args }, tool)
    change()
    const approval = await nextPending(gate)
    change()
    const shown = await gate.approvals.get(approval.id)
    await approve(gate, approval)
    change()
    await running
    expect(tool.starts).toHaveLength(1)
    expect(tool.starts[0]?.args).toEqual(shown?.args)
    expect(tool.starts[0]?.args.amount).toBeLessThan(500)
  },
)

promise(['CS-GATE-2'], 'what a tool does to its arguments reaches no other caller', async () => {
  const { gate } = await setUp('memory')
  const args = { to: { name: 'acme' } }
  const tool = recordingTool((given) => {
    ;(given.to as { name: string }).name = 'mallory'
    return 'done'
  })
  const outcome = await runApproved(gate, gate.run({ tool: 'pay', args }, tool, { key: 'a' }))
  expect(args).toEqual({ to: { name: 'acme' } })
  expect((await gate.approvals.get(outcome.approval?.id ?? ''))?.args).toEqual(args)
})

promise(['CS-GATE-2'], 'what a listener does to the arguments reaches no tool', async () => {
  const { gate, tool } = await setUp('memory')
  const heard: unknown[] = []
  gate.on('evaluated', ({ call }) => {
    heard.push(call.args.amount)
    ;(call.args as { amount: number }).amount = 500
  })
  const given = { amount: 5 }
  await gate.run({ tool: 'refund', args: given }, tool)
  const run = vi.fn(async (args: { amount: number }) => args.amount)
  expect(await gate.guard(run, { name: 'refund' })(given)).toBe(5)
  const checked = await gate.check({ tool: 'refund', args: given }, { isParsed: true })
  expect(checked).toMatchObject({ status: 'allowed', args: { amount: 5 } })
  expect(tool.starts[0]?.args).toEqual({ amount: 5 })
  expect([given.amount, ...heard]).toEqual([5, 5, 5, 5])
})

promise(['CS-GATE-2'], 'an allowed call that had to wait runs with what was judged', async () => {
  const { gate, tool } = await setUp('memory', {
    authorize: () => new Promise((resolve) => setTimeout(() => resolve(undefined), 5)),
  })
  const args = { amount: 5 }
  const running = gate.run({ tool: 'refund', args }, tool)
  args.amount = 500
  await running
  expect(tool.starts[0]?.args).toEqual({ amount: 5 })
  // Its own copy, to do with as it likes.
  const changing = recordingTool((given) => Object.assign(given, { amount: 7 }))
  expect(await gate.run({ tool: 'refund', args: { amount: 6 } }, changing)).toMatchObject({
    result: { amount: 7 },
  })
})

promise(['CS-GATE-2'], 'bytes that do not give the approved digest run nothing', async () => {
  const { gate, store, tool } = await setUp('memory')
  const tampered = {
    ...store,
    content: async (id: string) =>
      (await store.content(id)).map((one) =>
        one.kind === 'arguments' ? { ...one, value: '{"amount":500}' } : one,
      ),
  }
  const other = (await setUp('memory', { store: tampered })).gate
  const running = other.run({ tool: 'pay', args: { amount: 5 } }, tool)
  expect(await runApproved(gate, running)).toMatchObject({
    status: 'blocked',
    ran: false,
    code: 'call_changed',
  })
  expect(tool.starts).toEqual([])
})

test.each(BOTH)('what JSON cannot hold is refused when asked about: %s', async (name) => {
  const { gate, store, tool } = await setUp(name)
  const cyclic: { self?: unknown } = {}
  cyclic.self = cyclic
  const deep = JSON.parse(`${'{"a":'.repeat(70)}1${'}'.repeat(70)}`)
  const hostile = {
    get amount(): number {
      throw new Error('boo')
    },
  }
  const strange: readonly (readonly [string, unknown])[] = [
    ['unsafe_number', { amount: 2 ** 53 }],
    ['unsafe_number', { amount: Number.NaN }],
    ['invalid_unicode', { to: '\ud800' }],
    ['invalid_value', { when: new Date() }],
    ['invalid_value', { many: [undefined] }],
    ['invalid_value', { count: 1n }],
    ['too_deep', cyclic],
    ['too_deep', deep],
    ['too_large', { text: 'x'.repeat(1_048_577) }],
    ['invalid_call', hostile],
    ['invalid_call', []],
    ['invalid_call', 'amount=5'],
  ]
  for (const [code, args] of strange) {
    const outcome = await gate.run({ tool: 'pay', args: args as JsonObject }, tool)
    expect([outcome.status, 'code' in outcome && outcome.code]).toEqual(['blocked', code])
  }
  expect((await store.list({})).approvals).toEqual([])
  expect(tool.starts).toEqual([])
})

test('numbers that not every reader keeps are refused for allowed calls too', async () => {
  const { gate, tool } = await setUp('memory')
  const guarded = gate.guard(tool, { name: 'read' })
  for (const amount of [2 ** 53, Number.NaN, Number.NEGATIVE_INFINITY]) {
    const places: JsonObject[] = [{ amount }, { deep: { list: [1, { amount }] } }]
    for (const args of places) {
      expect(await gate.run({ tool: 'read', args }, tool)).toMatchObject({ code: 'unsafe_number' })
      await expect(guarded(args)).rejects.toMatchObject({
        code: 'unsafe_number',
        modelMessage: expect.stringMatching(/^The call to read was not understood and did not run/),
      })
    }
  }
  expect(tool.starts).toEqual([])
})

test('arguments left out by setting them to undefined are left out', async () => {
  const { gate, tool } = await setUp('memory')
  const args = { amount: 5, memo: undefined, to: { name: 'acme', iban: undefined } }
  const running = gate.run({ tool: 'pay', args: args as unknown as JsonObject }, tool)
  expect(await runApproved(gate, running)).toMatchObject({ status: 'succeeded' })
  expect(tool.starts[0]?.args).toEqual({ amount: 5, to: { name: 'acme' } })
})

test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf'])(
  'a tool called %s is a tool like any other',
  async (name) => {
    const { gate, tool } = await setUp('memory')
    const declared = name === 'constructor' || name === 'toString'
    const call = { tool: name, args: JSON.parse('{"__proto__":{"admin":true},"constructor":1}') }
    const running = gate.run(call, tool, { key: 'k' })
    const outcome = declared ? await runApproved(gate, running) : await running
    expect(outcome).toMatchObject({ status: 'succeeded' })
    expect(Object.keys(tool.starts[0]?.args ?? {}).sort()).toEqual(['__proto__', 'constructor'])
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
    if (!declared) return
    const checked = await gate.check({ tool: name, args: {} })
    if (checked.status !== 'pending') throw new Error('not asked')
    await approve(gate, checked.approval)
    // Nothing inherited is taken for a tool.
    const inherited = gate.resume(checked.approval.id, {})
    await expect(inherited).rejects.toMatchObject({ code: 'tool_unknown' })
  },
)

test('a tool runs under its own name only', async () => {
  const { gate, tool } = await setUp('memory')
  const wrong = gate.run({ tool: 'read', args: {} }, { name: 'pay', run: tool })
  await expect(wrong).rejects.toMatchObject({ code: 'usage' })
  expect(tool.starts).toEqual([])
})
