import { expect, test } from 'vitest'
import { isCountersignError } from '../../src/base/errors.ts'
import type { JsonObject } from '../../src/base/json/json.ts'
import { createGate } from '../../src/gate/gate.ts'
import { internals } from '../../src/gate/internals.ts'
import { jsonSchema } from '../../src/gate/schema/json-schema.ts'
import type { ToolDefinition } from '../../src/gate/tool.ts'
import { notedTool, notedTools } from '../../src/gate/tools/tool-notes.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { BOTH, kim, openStore } from './gates.ts'

const policy = policyOf('tools: { pay: { approval: { edit: true } }, read: { approval: false } }')
const PAY = { tool: 'pay', args: { amount: 5, to: 'Lena' } }
const small: ToolDefinition = { inputSchema: { properties: { amount: { maximum: 100 } } } }
const hiding: ToolDefinition = { inputSchema: { properties: { to: { 'x-secret': true } } } }
const strict: ToolDefinition = { inputSchema: { required: ['zzz'] } }

promise.each(
  ['CS-DEF-1'],
  'two agents on one store, each in a process of its own: neither reaches the other’s calls',
  BOTH,
  async (name) => {
    const store = await openStore(name)
    const gateOf = (agent: string) => createGate({ policy, store, agent, validate: jsonSchema() })
    const [good, evil, inbox] = [
      gateOf('good'),
      gateOf('evil'),
      createGate({ policy, store, validate: jsonSchema() }),
    ]
    good[internals].tool('pay', small)
    const asked = await good.check(PAY)
    evil[internals].tool('pay', hiding)
    await evil.check(PAY)
    evil[internals].tool('pay', strict)
    await Promise.all([good[internals].idle(), evil[internals].idle()])
    if (asked.status !== 'pending') throw new Error('not asked')
    const { id, digest } = asked.approval
    for (const gate of [good, evil, inbox]) {
      expect((await gate.approvals.get(id))?.args).toEqual(PAY.args)
      const edit = { by: kim, verdict: 'approve', seen: digest } as const
      const tooMuch = gate.approvals.decide(id, { ...edit, args: { ...PAY.args, amount: 101 } })
      await expect(tooMuch).rejects.toMatchObject({ code: 'invalid_value' })
    }
    // Their own definition still stands for their calls.
    expect(await good.check({ ...PAY, args: { amount: 101 } })).toMatchObject({ status: 'blocked' })
    expect(await good.check({ ...PAY, args: { amount: 6 } })).toMatchObject({ status: 'pending' })
    expect((await notedTool(store, { tool: 'pay' }, 'good'))?.definition).toEqual(small)
    expect((await notedTool(store, { tool: 'pay' }, 'evil'))?.definition).toEqual(strict)
    expect(await notedTool(store, { tool: 'pay' }, undefined)).toBeUndefined()
    expect((await notedTools(store)).map(({ agent }) => agent).toSorted()).toEqual(['evil', 'good'])
  },
)

promise.each(
  ['CS-DEF-1'],
  'one agent in two processes with two definitions: each call keeps its own',
  BOTH,
  async (name) => {
    const store = await openStore(name)
    const gateOf = () => createGate({ policy, store, agent: 'bot', validate: jsonSchema() })
    const [older, newer] = [gateOf(), gateOf()]
    older[internals].tool('pay', hiding)
    newer[internals].tool('pay', small)
    const first = await older.check(PAY)
    const second = await newer.check(PAY)
    if (first.status !== 'pending' || second.status !== 'pending') throw new Error('not asked')
    expect(first.approval.call.definition).not.toBe(second.approval.call.definition)
    for (const gate of [older, newer]) {
      const shown = (id: string) => gate.approvals.get(id).then((one) => one?.args)
      expect(await shown(first.approval.id)).toEqual({ amount: 5, to: '[secret]' })
      expect(await shown(second.approval.id)).toEqual(PAY.args)
    }
  },
)

test('agents of one process keep to their own as well', async () => {
  const store = await openStore('memory')
  const gate = createGate({ policy, store, validate: jsonSchema() })
  const [good, evil] = [gate.with({ agent: 'good' }), gate.with({ agent: 'evil' })]
  evil[internals].tool('pay', strict)
  expect(await good.check(PAY)).toMatchObject({ status: 'pending' })
  expect(await gate.check(PAY)).toMatchObject({ status: 'pending' })
  expect(await evil.check(PAY)).toMatchObject({ status: 'blocked' })
  // Nor by a name that only looks the same.
  gate[internals].tool('pay', strict)
  expect(await gate.with({ agent: 'unnamed' }).check(PAY)).toMatchObject({ status: 'pending' })
})

test('a definition too large to be kept is not asked about', async () => {
  const gate = createGate({ policy, store: await openStore('memory') })
  const definition = { description: 'x'.repeat(200_000) }
  expect(await gate.check(PAY, { definition })).toMatchObject({
    status: 'blocked',
    code: 'schema_unusable',
  })
})

promise(
  ['CS-DEF-2'],
  'what a validator makes of a secret is not shown with the completed edit',
  async () => {
    const validate = (_: unknown, args: JsonObject) => ({
      ok: true as const,
      args: { ...args, pin: String(args.pin).toUpperCase(), extra: 1 },
    })
    const store = await openStore('memory')
    const asking = createGate({ policy, store })
    const gate = createGate({ policy, store, validate })
    const definition = { inputSchema: { properties: { pin: { 'x-secret': true } } } }
    const asked = await asking.check(
      { ...PAY, args: { amount: 5, pin: 'canary-pin' } },
      { definition },
    )
    if (asked.status !== 'pending') throw new Error('not asked')
    const args = { amount: 6, pin: '[secret]' }
    const answer = { by: kim, verdict: 'approve', seen: asked.approval.digest, args } as const
    const error = await gate.approvals.decide(asked.approval.id, answer).catch((thrown) => thrown)
    expect(isCountersignError(error, 'edit_completed')).toBe(true)
    expect(JSON.stringify(error.details)).not.toMatch(/canary/i)
    expect(error.details.completed).toMatchObject({
      arguments: { amount: 6, pin: '[secret]', extra: 1 },
      added: [['extra'], ['pin']],
    })
  },
)
