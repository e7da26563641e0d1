import { expect, test } from 'vitest'
import type { Approval } from '../../src/approval/approval.ts'
import type { JsonObject } from '../../src/base/json/json.ts'
import type { Gate } from '../../src/gate/gate.ts'
import { openSigner } from '../../src/gate/proof/keys.ts'
import { memoryKeys } from '../../src/store/audit/key-folder.ts'
import { autoApprove } from '../../src/testing/strategies.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { ana, BOTH, bo, deny, ending, kim, nextPending, openStore, setUp } from './gates.ts'

const FORM = {
  type: 'object',
  required: ['amount', 'account'],
  additionalProperties: false,
  properties: {
    amount: { type: 'integer', title: 'Amount to release', minimum: 1, maximum: 500 },
    account: { type: 'string', enum: ['A', 'B'] },
    note: { type: 'string', maxLength: 20 },
    ship: {
      type: 'object',
      required: ['city'],
      properties: { city: { type: 'string' }, floor: { type: 'integer' } },
    },
  },
} satisfies JsonObject

const pay = { tool: 'pay', args: { invoice: 'i-7' } }
const GOOD = { amount: 300, account: 'B' }

function answer(gate: Gate, { id, digest }: Approval, payload: unknown, by = kim) {
  const given = payload === undefined ? {} : { payload: payload as JsonObject }
  return gate.approvals.decide(id, { by, verdict: 'approve', seen: digest, ...given })
}

promise.each(
  ['CS-FORM-1'],
  'the tool and the asker get exactly what the approver filled in',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name)
    const running = gate.run(pay, tool, { key: 'a', form: FORM })
    const asked = await nextPending(gate)
    expect((await gate.approvals.get(asked.id))?.question?.form).toEqual(FORM)
    await expect(answer(gate, asked, undefined)).rejects.toMatchObject({ code: 'payload_required' })
    await expect(answer(gate, asked, { amount: 300 })).rejects.toMatchObject({
      code: 'payload_invalid',
    })
    expect((await gate.approvals.get(asked.id))?.approval).toMatchObject({
      status: 'pending',
      decisions: [],
    })
    await answer(gate, asked, GOOD)
    expect(await running).toMatchObject({ status: 'succeeded', payload: GOOD })
    expect(tool.starts).toMatchObject([{ args: pay.args, context: { decision: GOOD } }])
    const again = await gate.check({ ...pay, key: 'a' }, { form: FORM })
    expect(again).toMatchObject({ status: 'approved', payload: GOOD })
  },
)

test('a guarded function reads the answers; its form may depend on the call', async () => {
  const { gate } = await setUp('memory')
  const release = gate.guard(async (_: { most: number }, { decision }) => decision, {
    name: 'pay',
    form: ({ most }) => ({
      type: 'object',
      required: ['amount'],
      properties: { amount: { type: 'number', maximum: most as number } },
    }),
  })
  const running = release({ most: 40 }, { key: 'a' })
  const asked = await nextPending(gate)
  await expect(answer(gate, asked, { amount: 41 })).rejects.toMatchObject({
    message: 'amount must be <= 40',
  })
  await answer(gate, asked, { amount: 40 })
  expect(await running).toEqual({ amount: 40 })
  const broken = gate.guard(async () => 1, {
    name: 'pay',
    form: () => {
      throw new Error('no form today')
    },
  })
  await expect(broken({})).rejects.toMatchObject({ code: 'form_unusable' })
})

promise.each(
  ['CS-FORM-4'],
  'every mistake is told with its path, and a denial needs no answers',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name)
    const running = gate.run(pay, tool, { key: 'a', form: FORM })
    const asked = await nextPending(gate)
    const wrong = { amount: 501, note: 'x'.repeat(21), ship: { floor: 1.5 }, more: 1 }
    await expect(answer(gate, asked, wrong)).rejects.toMatchObject({
      code: 'payload_invalid',
      details: {
        mistakes: [
          { at: ['account'], problem: 'is required' },
          { at: ['amount'], problem: 'must be <= 500' },
          { at: ['note'], problem: 'must NOT have more than 20 characters' },
          { at: ['ship', 'city'], problem: 'is required' },
          { at: ['ship', 'floor'], problem: 'must be integer' },
        ],
      },
    })
    await expect(answer(gate, asked, { ...GOOD, more: 1 })).rejects.toMatchObject({
      details: { mistakes: [{ at: ['more'], problem: expect.stringContaining('additional') }] },
    })
    for (const payload of ['text', 5, null, [GOOD]]) {
      await expect(answer(gate, asked, payload)).rejects.toMatchObject({ code: 'payload_invalid' })
    }
    expect(await deny(gate, asked)).toMatchObject({ status: 'denied' })
    expect(ending(await running)).toBe('denied')
    expect(tool.starts).toEqual([])
  },
)

promise.each(
  ['CS-FORM-2'],
  'an approver answers the form that was shown, and no other',
  BOTH,
  async (name) => {
    const { gate, store } = await setUp(name)
    const plain = await gate.check({ ...pay, key: 'plain' })
    const formed = await gate.check({ ...pay, key: 'formed' }, { form: FORM })
    const other = { ...FORM, title: 'Another' }
    const changed = await gate.check({ ...pay, key: 'changed' }, { form: other })
    const digests = [plain, formed, changed].map((one) => 'approval' in one && one.approval?.digest)
    expect(new Set(digests).size).toBe(3)
    expect(await gate.check({ ...pay, key: 'formed' }, { form: other })).toMatchObject({
      code: 'key_reused',
    })
    expect(await gate.check({ ...pay, key: 'formed' })).toMatchObject({ code: 'key_reused' })
    if (formed.status !== 'pending') throw new Error(formed.status)
    // As a person would do it who can write to the database.
    const content = store.content.bind(store)
    store.content = async (id, kinds) =>
      (await content(id, kinds)).map((one) =>
        one.kind === 'question'
          ? { ...one, value: { ...(one.value as JsonObject), form: JSON.stringify(other) } }
          : one,
      )
    await expect(answer(gate, formed.approval, GOOD)).rejects.toMatchObject({
      code: 'content_gone',
    })
  },
)

promise.each(
  ['CS-FORM-3'],
  'no grant answers a call with a form, and none is made from one',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name)
    const first = gate.run({ ...pay, key: 'a' }, tool)
    const { id, digest } = await nextPending(gate)
    await gate.approvals.decide(id, { by: kim, verdict: 'approve', seen: digest, grant: {} })
    await first
    expect(ending(await gate.run({ ...pay, key: 'b' }, tool))).toBe('succeeded')
    const formed = await gate.check({ ...pay, key: 'c' }, { form: FORM })
    if (formed.status !== 'pending') throw new Error(formed.status)
    const { approval } = formed
    await expect(
      gate.approvals.decide(approval.id, {
        by: kim,
        verdict: 'approve',
        seen: approval.digest,
        payload: GOOD,
        grant: {},
      }),
    ).rejects.toMatchObject({ code: 'not_grantable' })
  },
)

promise.each(
  ['CS-FORM-3'],
  'a denied call stays denied under any other form',
  BOTH,
  async (name) => {
    const { gate } = await setUp(name)
    const asked = await gate.check({ ...pay, key: 'a' }, { form: FORM })
    if (asked.status !== 'pending') throw new Error(asked.status)
    await deny(gate, asked.approval)
    const blocked = { status: 'blocked', code: 'denied' }
    expect(await gate.check({ ...pay, key: 'b' }, { form: FORM })).toMatchObject(blocked)
    expect(await gate.check({ ...pay, key: 'c' })).toMatchObject(blocked)
    const other = { ...FORM, title: 'Please' }
    expect(await gate.check({ ...pay, key: 'd' }, { form: other })).toMatchObject(blocked)
  },
)

promise(['CS-FORM-3'], 'proof of another gate’s yes answers no form', async () => {
  const store = await openStore('memory')
  const signer = await openSigner({ store, keys: memoryKeys() })
  const { gate, tool } = await setUp('memory', { store, countersign: { signer } })
  const proofs: (string | undefined)[] = []
  for (const key of ['one', 'two']) {
    const outer = gate.run({ ...pay, key }, async (_, { countersign }) => {
      proofs.push(await countersign?.({}))
    })
    await answer(gate, await nextPending(gate), undefined)
    expect(ending(await outer)).toBe('succeeded')
  }
  const inner = gate.with({ run: 'chat-2' })
  const run = (key: string, countersignature: string | undefined, form?: JsonObject) =>
    inner.run(pay, tool, { key, countersignature, form, wait: false })
  expect((await run('formed', proofs[0], FORM)).status).toBe('pending')
  // A proof is good where nothing has to be filled in.
  expect(ending(await run('plain', proofs[1]))).toBe('succeeded')
})

promise.each(['CS-FORM-5'], 'several approvers approve one set of answers', BOTH, async (name) => {
  const { gate, tool } = await setUp(name)
  const running = gate.run({ tool: 'wire', args: { to: 'acme' } }, tool, { key: 'a', form: FORM })
  const asked = await nextPending(gate)
  await answer(gate, asked, GOOD, ana)
  const more = { ...GOOD, amount: 500 }
  const changed = await answer(gate, asked, more, bo)
  expect(changed.status).toBe('pending')
  expect(changed.decisions.map(({ by, void: isVoid }) => [by.subject, isVoid])).toEqual([
    ['ana', true],
    ['bo', undefined],
  ])
  // Ana agrees with what Bo wrote; the order of the members is no difference.
  const agreed = await answer(gate, asked, { account: 'B', amount: 500 }, ana)
  expect(agreed.status).toBe('approved')
  expect(await running).toMatchObject({ status: 'succeeded', payload: more })
  expect(tool.starts).toHaveLength(1)
})

test('a person can change their own answers, and says the same twice without effect', async () => {
  const { gate } = await setUp('memory')
  await gate.check({ tool: 'wire', args: {}, key: 'a' }, { form: FORM })
  const asked = await nextPending(gate)
  const one = await answer(gate, asked, GOOD, ana)
  expect((await answer(gate, asked, GOOD, ana)).revision).toBe(one.revision)
  const two = await answer(gate, asked, { ...GOOD, amount: 9 }, ana)
  expect(two.decisions).toHaveLength(1)
  expect((await answer(gate, asked, { ...GOOD, amount: 9 }, bo)).status).toBe('approved')
})

test('an edit keeps the form, and its own answers count', async () => {
  const policy = policyOf('version: 1\ntools: { pay: { approval: { edit: true } } }')
  const { gate, tool } = await setUp('memory', { policy })
  const running = gate.run(pay, tool, { key: 'a', form: FORM })
  const { id, digest } = await nextPending(gate)
  const edit = { by: kim, verdict: 'approve', seen: digest, args: { invoice: 'i-8' } } as const
  await expect(gate.approvals.decide(id, edit)).rejects.toMatchObject({ code: 'payload_required' })
  await gate.approvals.decide(id, { ...edit, payload: GOOD })
  expect(await running).toMatchObject({ status: 'succeeded', payload: GOOD })
  expect(tool.starts).toMatchObject([{ args: { invoice: 'i-8' }, context: { decision: GOOD } }])
})

const doubling = Object.fromEntries(
  Array.from({ length: 40 }, (_, n) => [
    `d${n}`,
    { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
  ]),
)
const nested = (levels: number): JsonObject =>
  levels === 0 ? {} : { type: 'object', properties: { in: nested(levels - 1) } }

promise.each(
  ['CS-FORM-6'],
  'a form that cannot be used asks no person',
  [
    ['a list', ['amount'], 'object'],
    ['another type', { type: 'string' }, 'its type is not "object"'],
    ['no type', { properties: {} }, 'its type is not "object"'],
    ['too large', { type: 'object', description: 'x'.repeat(16_384) }, '16384 bytes'],
    ['too deep', nested(20), 'nested too deeply'],
    ['a reference outside', { type: 'object', $ref: 'https://example.com/x' }, 'not inside of it'],
    ['a pattern that backtracks', withField({ pattern: '(?=a)(a+)+$' }), 'pattern'],
    ['a mistake', withField({ type: 'amount' }), 'type is no type'],
    [
      'references that double',
      { type: 'object', $ref: '#/$defs/d0', $defs: { ...doubling, d40: {} } },
      'too many steps',
    ],
    ['a secret of the call', withField({ title: 'The pin is 99887766' }), 'secret'],
    ['a secret by its look', withField({ const: `sk-proj-${'Ab1'.repeat(16)}` }), 'secret'],
  ],
  async (_, form, why) => {
    const { gate, tool } = await setUp('memory')
    const call = { tool: 'pay', args: { invoice: 'i-7', pin: '99887766' } }
    const outcome = await gate.run(call, tool, { form: form as JsonObject })
    expect(outcome).toMatchObject({ status: 'blocked' })
    expect(['form_unusable', 'invalid_call']).toContain(ending(outcome))
    expect('modelMessage' in outcome && outcome.modelMessage).toContain(why)
    expect((await gate.approvals.list()).approvals).toEqual([])
    expect(tool.starts).toEqual([])
  },
)

function withField(field: JsonObject): JsonObject {
  return { type: 'object', properties: { field } }
}

promise(
  ['CS-FORM-6'],
  'a pattern of a form takes time by the length of the text alone',
  async () => {
    const { gate } = await setUp('memory')
    const form = withField({ type: 'string', pattern: '^(a+)+$' })
    await gate.check({ ...pay, key: 'a' }, { form })
    const asked = await nextPending(gate)
    const field = `${'a'.repeat(10_000)}!`
    const began = performance.now()
    await expect(answer(gate, asked, { field })).rejects.toMatchObject({ code: 'payload_invalid' })
    expect(performance.now() - began).toBeLessThan(2_000)
  },
)

promise(
  ['CS-FORM-10'],
  'what a workflow says of itself is kept as claimed, and bounded',
  async () => {
    const { gate } = await setUp('memory')
    const workflow = { name: 'release', step: 'pay', done: ['collect'], next: ['book', 'mail'] }
    await gate.check({ ...pay, key: 'a', context: { workflow } })
    const asked = await nextPending(gate)
    expect((await gate.approvals.get(asked.id))?.question?.context).toEqual({ workflow })
    for (const wrong of [
      { name: '' },
      { name: 'x'.repeat(201) },
      { name: 'x', done: 'all' },
      { name: 'x', next: Array.from({ length: 51 }, () => 'step') },
      { name: 'x', next: [5] },
      { name: 'x', status: 'done' },
    ]) {
      const said = await gate.check({ ...pay, key: 'b', context: { workflow: wrong as never } })
      expect(said).toMatchObject({ status: 'blocked', code: 'invalid_call' })
    }
  },
)

test('a strategy for tests has no answers, so a call with a form does not run under it', async () => {
  const { gate, tool } = await setUp('memory', { strategy: autoApprove() })
  expect(ending(await gate.run(pay, tool, { key: 'a' }))).toBe('succeeded')
  expect(ending(await gate.run(pay, tool, { key: 'b', form: FORM }))).toBe('payload_required')
  expect(tool.starts).toHaveLength(1)
})

promise(['CS-FORM-5'], 'those whose approval became void are notified again', async () => {
  const kinds: string[] = []
  const channel = {
    name: 'test',
    send: async ({ kind }: { kind: string }) => void kinds.push(kind),
  }
  const { gate } = await setUp('memory', { channels: [channel] })
  await gate.check({ tool: 'wire', args: {}, key: 'a' }, { form: FORM })
  const asked = await nextPending(gate)
  await answer(gate, asked, GOOD, ana)
  await answer(gate, asked, { ...GOOD, amount: 2 }, bo)
  await gate.close()
  expect(kinds).toEqual(['asked', 'voted', 'changed'])
})
