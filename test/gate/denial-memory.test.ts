import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { createGate } from '../../src/gate/gate.ts'
import type { ToolDefinition } from '../../src/gate/tool.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { BOTH, deny, kim, openStore, setUp } from './gates.ts'

const pay = { tool: 'pay', args: { amount: 5 } }
const HOUR = 3_600_000

function policy(approval: string, defaults = '{}') {
  return policyOf(`version: 1\ndefaults: ${defaults}\ntools: { pay: { approval: ${approval} } }\n`)
}

async function denied(name: 'memory' | 'sqlite', rules: ReturnType<typeof policy>) {
  const all = await setUp(name, { policy: rules })
  const asked = await all.gate.check({ ...pay, key: 'first' })
  if (asked.status !== 'pending') throw new Error(`it is ${asked.status}`)
  await deny(all.gate, asked.approval)
  return { ...all, first: asked.approval }
}

promise.each(
  ['CS-GATE-11'],
  'remember_no: call asks about an equal call again',
  BOTH,
  async (name) => {
    const { gate } = await denied(name, policy('{ remember_no: call }'))
    expect(await gate.check({ ...pay, key: 'second' })).toMatchObject({ status: 'pending' })
    // The call that was denied stays denied under its own key.
    expect(await gate.check({ ...pay, key: 'first' })).toMatchObject({ status: 'blocked' })
  },
)

promise.each(['CS-GATE-11'], 'remember_no: 1h ends after an hour', BOTH, async (name) => {
  const { gate, clock } = await denied(name, policy('true', '{ remember_no: 1h }'))
  clock.advance(HOUR - 1)
  expect(await gate.check({ ...pay, key: 'k2' })).toMatchObject({
    status: 'blocked',
    code: 'denied',
  })
  clock.advance(1)
  expect(await gate.check({ ...pay, key: 'k3' })).toMatchObject({ status: 'pending' })
})

promise(['CS-GATE-11'], 'of several sources the longest memory counts', async () => {
  const rules = policyOf(`version: 1
tools: { pay: { approval: { remember_no: call } } }
governance: [{ id: money, match: { tool: pay }, approval: { remember_no: 1h } }]
`)
  const { gate, clock } = await denied('memory', rules)
  expect(await gate.check({ ...pay, key: 'k2' })).toMatchObject({ status: 'blocked' })
  clock.advance(HOUR)
  expect(await gate.check({ ...pay, key: 'k3' })).toMatchObject({ status: 'pending' })
})

promise.each(['CS-NO-1'], 'a lifted denial asks again, and runs nothing', BOTH, async (name) => {
  const { gate, tool, first, store } = await denied(name, policy('true'))
  expect(await gate.check({ ...pay, key: 'k2' })).toMatchObject({ status: 'blocked' })
  const stranger = {
    ...kim,
    subject: 'mallory',
    email: 'm@example.com',
    roles: ['viewer'] as const,
  }
  await expect(gate.approvals.lift(first.id, stranger)).rejects.toMatchObject({
    code: 'not_permitted',
  })
  const lifted = await gate.approvals.lift(first.id, kim)
  expect(lifted).toMatchObject({
    status: 'denied',
    lifted: { by: { subject: kim.subject } },
  })
  expect(await gate.approvals.lift(first.id, kim)).toMatchObject({ revision: lifted.revision })
  expect(await gate.run({ ...pay, key: 'first' }, tool)).toMatchObject({
    status: 'blocked',
    code: 'denied',
  })
  const again = await gate.check({ ...pay, key: 'k3' })
  expect(again).toMatchObject({ status: 'pending' })
  expect(tool.starts).toEqual([])
  const types = (await store.events(first.id)).map(({ event }) => event.type)
  expect(types.at(-1)).toBe('lifted')
  // A second no is remembered again.
  if (again.status === 'pending') await deny(gate, again.approval)
  expect(await gate.check({ ...pay, key: 'k4' })).toMatchObject({
    status: 'blocked',
    code: 'denied',
  })
})

promise(['CS-NO-1'], 'only a denial can be lifted', async () => {
  const { gate } = await setUp('memory', { policy: policy('true') })
  const asked = await gate.check({ ...pay, key: 'k' })
  if (asked.status !== 'pending') throw new Error(`it is ${asked.status}`)
  await expect(gate.approvals.lift(asked.approval.id, kim)).rejects.toMatchObject({
    code: 'not_denied',
  })
})

test('B12-02: a denial holds for the same call under another definition of its tool', async () => {
  const rules = policyOf('tools: { send: { approval: true } }')
  const gate = createGate({ policy: rules, store: await openStore('memory'), agent: 'bot' })
  const ask = (definition: ToolDefinition | undefined, args: JsonObject = { to: 'Lena' }) =>
    gate.check({ tool: 'send', run: 'r', args }, { definition, key: crypto.randomUUID() })
  const first = await ask(undefined)
  if (first.status !== 'pending') throw new Error('not asked')
  const { id, digest } = first.approval
  await gate.approvals.decide(id, { by: kim, verdict: 'deny', seen: digest })
  for (const description of ['Sends', 'Really sends']) {
    expect(await ask({ description })).toMatchObject({ status: 'blocked', code: 'denied' })
  }
  expect(await ask({ description: 'Sends' }, { to: 'Lea' })).toMatchObject({ status: 'pending' })
})
