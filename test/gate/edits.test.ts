import { expect, test } from 'vitest'
import type { Validate } from '../../src/gate/context.ts'
import type { Gate } from '../../src/gate/gate.ts'
import { internals } from '../../src/gate/internals.ts'
import type { Succeeded } from '../../src/gate/outcome.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { ana, approve, BOTH, bo, kim, nextPending, person, setUp } from './gates.ts'

const POLICY = `
  people:
    groups: { finance: [ana@example.com, bo@example.com], chiefs: [cy@example.com] }
  tools:
    pay:
      secrets: [card.pin]
      approval: { edit: [amount, memo, card] }
    wire: { approval: { quorum: [{ group: finance, n: 2 }] } }
    read: { approval: false }
  governance:
    - id: big
      match: { tool: pay }
      condition: { args_match: { amount: { gt: 1000 } } }
      approval: { approvers: [{ group: chiefs }] }
    - id: huge
      match: { tool: pay }
      condition: { args_match: { amount: { gt: 100000 } } }
      deny: Too much
`
const args = { amount: 50, to: 'acme', card: { number: '4111', pin: '9999' } }

async function edit(gate: Gate, edited: unknown, by = kim) {
  const { id, digest } = await nextPending(gate)
  return gate.approvals.decide(id, { by, verdict: 'approve', seen: digest, args: edited })
}

promise.each(
  ['CS-GATE-16'],
  'the call runs as edited, and the model is told what was changed',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name, { policy: policyOf(POLICY) })
    const running = gate.run({ tool: 'pay', args }, tool, { key: 'a' })
    // As the approver saw it: the secret comes back as its mask and stays what it was.
    await edit(gate, { ...args, amount: 40, card: { number: '4222', pin: '[secret]' } })
    const outcome = await running
    expect(outcome).toMatchObject({
      status: 'succeeded',
      edited: {
        paths: ['amount', 'card.number'],
        args: { amount: 40, card: { number: '4222', pin: '[secret]' } },
      },
      modelMessage:
        'A person changed the call to pay before approving it: amount is now 40, card.number is now "4222".',
    })
    expect(tool.starts).toMatchObject([
      {
        args: { amount: 40, to: 'acme', card: { number: '4222', pin: '9999' } },
        context: { edited: true },
      },
    ])
    const { approval } = outcome
    expect(approval?.digest).not.toBe(approval?.askedDigest)
    // The same key with the call as it was asked still names it, and says again what changed.
    const { edited, modelMessage } = outcome as Succeeded
    expect(await gate.run({ tool: 'pay', args }, tool, { key: 'a' })).toMatchObject({
      replayed: true,
      edited,
      modelMessage,
    })
  },
)

promise.each(
  ['CS-GATE-16'],
  'an edit is refused where the policy or its own rules say no',
  [
    ['a place that may not be changed', { ...args, to: 'mallory' }, 'edit_not_allowed'],
    ['a call the policy denies', { ...args, amount: 200_000 }, 'edit_denied'],
    ['what is no JSON', { ...args, amount: Number.NaN }, 'unsafe_number'],
    ['no object at all', 'amount=1', 'invalid_call'],
    ['everything taken out', {}, 'edit_denied'],
    ['a value taken out', { amount: 50, card: args.card }, 'edit_not_allowed'],
  ] as [string, unknown, string][],
  async (_, edited, code) => {
    const { gate, tool } = await setUp('memory', { policy: policyOf(POLICY) })
    const checked = await gate.check({ tool: 'pay', args })
    if (checked.status !== 'pending') throw new Error('not asked')
    await expect(edit(gate, edited)).rejects.toMatchObject({ code })
    const after = await gate.approvals.get(checked.approval.id)
    expect(after?.approval).toMatchObject({ status: 'pending', revision: 1 })
    expect(await gate.resume(checked.approval.id, { pay: tool })).toMatchObject({
      status: 'pending',
    })
  },
)

promise(
  ['CS-GATE-16'],
  'an edit that crosses a rule needs the people of that rule as well',
  async () => {
    const { gate, tool } = await setUp('memory', { policy: policyOf(POLICY) })
    const running = gate.run({ tool: 'pay', args }, tool)
    const after = await edit(gate, { ...args, amount: 2_000 })
    expect(after).toMatchObject({ status: 'pending', level: 'review' })
    const cy = person('cy', { groups: ['chiefs'], roles: [] })
    await approve(gate, after, cy)
    expect(await running).toMatchObject({ status: 'succeeded', edited: { paths: ['amount'] } })
    expect(tool.starts[0]?.args.amount).toBe(2_000)
  },
)

promise(['CS-GATE-16'], 'earlier yeses do not count for the changed call', async () => {
  const { gate, tool } = await setUp('memory', { policy: policyOf(POLICY) })
  const running = gate.run({ tool: 'wire', args: { amount: 5 } }, tool)
  const approval = await nextPending(gate)
  await approve(gate, approval, ana)
  const edited = await edit(gate, { amount: 6 }, bo)
  expect(edited).toMatchObject({
    status: 'pending',
    decisions: [{ void: true }, { verdict: 'approve' }],
  })
  await expect(approve(gate, approval, ana)).rejects.toMatchObject({ code: 'call_changed' })
  await approve(gate, edited, ana)
  expect(await running).toMatchObject({ status: 'succeeded' })
  expect(tool.starts[0]?.args).toEqual({ amount: 6 })
})

promise(
  ['CS-GATE-16'],
  'an edit passes the schema, and what the schema fills in is shown before it is approved',
  async () => {
    const validate: Validate = (_, given) =>
      typeof given.amount === 'number'
        ? { ok: true, args: { currency: 'EUR', ...given } }
        : { ok: false, problem: 'amount must be a number' }
    const { gate, tool } = await setUp('memory', {
      policy: policyOf('tools: { pay: { approval: true } }'),
      validate,
    })
    const definition = { inputSchema: { type: 'object' } }
    gate[internals].tool('pay', definition)
    const running = gate.run(
      { tool: 'pay', args: { amount: 5 } },
      { name: 'pay', definition, run: tool },
    )
    const { id } = await nextPending(gate)
    expect((await gate.approvals.get(id))?.args).toEqual({ amount: 5, currency: 'EUR' })
    await expect(edit(gate, { amount: '6' })).rejects.toMatchObject({ code: 'invalid_value' })
    await expect(edit(gate, { amount: 6 })).rejects.toMatchObject({
      code: 'edit_completed',
      details: { completed: { arguments: { amount: 6, currency: 'EUR' }, added: [['currency']] } },
    })
    await edit(gate, { amount: 6, currency: 'EUR' })
    expect(await running).toMatchObject({ status: 'succeeded', edited: { paths: ['amount'] } })
    expect(tool.starts[0]?.args).toEqual({ amount: 6, currency: 'EUR' })
  },
)

test('arguments that say the same are no edit', async () => {
  const { gate, tool } = await setUp('memory', { policy: policyOf(POLICY) })
  const running = gate.run({ tool: 'pay', args }, tool)
  await edit(gate, { card: { pin: '[secret]', number: '4111' }, to: 'acme', amount: 50 })
  const outcome = await running
  expect(outcome).toMatchObject({ status: 'succeeded' })
  expect('edited' in outcome).toBe(false)
})

promise(
  ['CS-GATE-16'],
  'the server checks an edit against the schema that the agent registered',
  async () => {
    const validate: Validate = (schema, given) =>
      JSON.stringify(schema) === '{"const":5}' && given.amount !== 5
        ? { ok: false, problem: 'amount must be 5' }
        : { ok: true }
    const { gate, store } = await setUp('sqlite', { policy: policyOf(POLICY) })
    gate[internals].tool('pay', { inputSchema: { const: 5 } })
    await gate.check({ tool: 'pay', args })
    await gate[internals].idle()
    const server = (await setUp('sqlite', { store, validate, policy: policyOf(POLICY) })).gate
    await expect(edit(server, { ...args, amount: 6 })).rejects.toMatchObject({
      code: 'invalid_value',
    })
    expect(await edit(server, { ...args, amount: 5 })).toMatchObject({ status: 'approved' })
    const { records } = await store.records.list('tool')
    expect(records.map(({ value }) => value)).toMatchObject([
      {
        tool: 'pay',
        kind: 'tool',
        door: 'in-process',
        declared: 'deny',
        definition: { inputSchema: { const: 5 } },
      },
    ])
  },
)
