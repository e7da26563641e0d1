import { expect, onTestFinished, test, vi } from 'vitest'
import type { CallDeclaration, CodeDeclaration } from '../../src/gate/declared/declarations.ts'
import { createGate, type Gate } from '../../src/gate/gate.ts'
import { internals } from '../../src/gate/internals.ts'
import type { ToolGate } from '../../src/gate/tool-gate.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { say, waiting } from '../../src/testing/adapter-play.ts'
import { inProcess, overHttp } from '../adapters/worlds.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'

/*
 * What code says of a tool belongs to that tool and travels with its calls. Names are shared by
 * agents, chats and tenants of one program, so nothing may hang on them.
 */

const WHERE: [string, typeof inProcess][] = [
  ['in process', inProcess],
  ['over HTTP', overHttp],
]

async function world(open: typeof inProcess) {
  const opened = await open()
  onTestFinished(() => opened.close())
  return opened
}

function caller(gate: ToolGate) {
  const ran = vi.fn(() => 'done')
  let calls = 0
  const make = async (declared?: CallDeclaration, tool = 'send', server?: string) => {
    calls += 1
    const call = { tool, args: {}, run: 'r', key: `k${calls}`, ...(server ? { server } : {}) }
    const { status } = await gate.run(call, ran, { wait: false, declared })
    const checked = await gate.check({ ...call, key: `c${calls}` }, { declared })
    return [status, checked.status]
  }
  return { ran, make }
}

const RUNS = ['succeeded', 'allowed']
const ASKS = ['pending', 'pending']

promise.each(
  ['CS-SDK-12'],
  'a declaration counts for its own call, whatever others of that name say before and after',
  WHERE,
  async (_where, open) => {
    const { gate } = await world(open)
    const { ran, make } = caller(gate)
    expect(await make({ approval: true })).toEqual(ASKS)
    expect(await make({ approval: false })).toEqual(RUNS)
    expect(await make({ approval: true })).toEqual(ASKS)
    expect(await make()).toEqual(RUNS)
    expect(await make({ risk: 'L3' })).toEqual(ASKS)
    expect(await make({ approval: { condition: { args_match: { n: 1 } } } })).toEqual(ASKS)
    expect(ran).toHaveBeenCalledTimes(2)
  },
)

const SEVERAL: [string, CodeDeclaration[], typeof RUNS][] = [
  ['strict, then mild', [{ approval: true }, { approval: false }], ASKS],
  ['mild, then strict', [{ approval: false }, { approval: true }], ASKS],
  ['a function that asks, then one that does not', [{ approval: () => true }, no()], ASKS],
  ['a function that does not, then one that asks', [no(), { approval: () => true }], ASKS],
  ['two functions that do not', [no(), no()], RUNS],
  ['a function that does not, and words that ask', [no(), { approval: true }], ASKS],
  ['words that do not, and a function that throws', [{ approval: false }, broken()], ASKS],
  ['a no that leaves it to the files, and words', [no('files'), { approval: true }], ASKS],
  ['a risk, then a release', [{ risk: 'L4' }, { approval: false }], ASKS],
  ['a release, then a risk', [{ approval: false }, { risk: 'L4' }], ASKS],
  ['a harmless risk, then a release', [{ risk: 'L0' }, { approval: false }], RUNS],
  ['three, the strict one between', [no(), { approval: true }, { approval: false }], ASKS],
]

function no(otherwise: CodeDeclaration['otherwise'] = 'allow'): CodeDeclaration {
  return { approval: () => false, otherwise }
}

function broken(): CodeDeclaration {
  return {
    approval: () => {
      throw new Error('oops')
    },
  }
}

for (const [where, open] of WHERE) {
  promise.each(
    ['CS-SDK-12'],
    `of several declarations for one name the strictest counts, ${where}`,
    SEVERAL,
    async (_title, declarations, expected) => {
      const { gate } = await world(open)
      const { make } = caller(gate)
      for (const one of declarations) gate.declare('send', one)
      expect(await make()).toEqual(expected)
      // What comes with the call cannot open what the application declared.
      expect(await make({ approval: false })).toEqual(expected)
      expect(await make({ approval: true })).toEqual(ASKS)
      expect(await make(undefined, 'other')).toEqual(RUNS)
    },
  )
}

promise.each(
  ['CS-SDK-12', 'CS-SDK-5'],
  'beside a file, a declaration with a call only tightens',
  WHERE,
  async (_where, open) => {
    const { gate, approvals } = await world(open)
    const { make } = caller(gate)
    expect(await make({ approval: false }, 'pay')).toEqual(ASKS)
    expect(await make({ approval: true }, 'wire')).toEqual(ASKS)
    const pending = await approvals.list({ status: ['pending'] })
    const wired = pending.approvals.filter(({ call }) => call.tool === 'wire')
    expect(wired.map(({ level }) => level)).toEqual(['review', 'review'])
  },
)

promise.each(
  ['CS-SDK-12'],
  'a declaration with a call counts for tools of servers too, where it can only tighten',
  WHERE,
  async (_where, open) => {
    const { gate } = await world(open)
    const { make } = caller(gate)
    expect(await make(undefined, 'look', 'files')).toEqual(RUNS)
    expect(await make({ approval: true }, 'look', 'files')).toEqual(ASKS)
    // As everywhere, a risk alone asks only where no declaration answers.
    expect(await make({ risk: 'L2' }, 'look', 'files')).toEqual(RUNS)
    expect(await make(undefined, 'wipe', 'files')).toEqual(ASKS)
    expect(await make({ approval: false }, 'wipe', 'files')).toEqual(ASKS)
    expect(await make({ approval: false, risk: 'L0' }, 'wipe', 'files')).toEqual(ASKS)
  },
)

promise.each(
  ['CS-SDK-6', 'CS-SDK-12'],
  'a function that changes its mind leaves the question of a call standing',
  WHERE,
  async (_where, open) => {
    const own = await world(open)
    const ran = vi.fn(() => 'done')
    const call = { tool: 'send', args: {}, run: 'r', key: 'k' }
    const run = (approval: boolean | undefined) =>
      own.gate.run(call, ran, { wait: false, declared: { approval, byFunction: true } })
    const again = own.again()
    expect(await run(true)).toMatchObject({ status: 'pending' })
    const [asked] = await waiting(own, 1)
    const early = { approval: false, byFunction: true }
    expect(await again.run(call, ran, { wait: false, declared: early })).toMatchObject({
      status: 'pending',
    })
    expect(await again.check(call, { declared: early })).toMatchObject({ status: 'pending' })
    for (const approval of [false, undefined]) {
      expect(await run(approval)).toMatchObject({ status: 'pending' })
      const declared = { approval, byFunction: true }
      expect(await own.gate.check(call, { declared })).toMatchObject({ status: 'pending' })
      expect(own.gate[internals].allows?.(call, { declared }) ?? false).toBe(false)
    }
    await say(own, asked, 'deny')
    expect(await run(false)).toMatchObject({ status: 'blocked', code: 'denied' })
    expect(await run(undefined)).toMatchObject({ status: 'blocked', code: 'denied' })
    const declared = { approval: false, byFunction: true }
    expect(await again.run(call, ran, { wait: false, declared })).toMatchObject({
      status: 'blocked',
      code: 'denied',
    })
    expect(ran).not.toHaveBeenCalled()
  },
)

promise(
  ['CS-SDK-6'],
  'a process that has not heard of the question yet finds it, where a function decides',
  async () => {
    const store = memoryStore()
    onTestFinished(() => store.close())
    const policy = policyOf('tools: { pay: { approval: true } }')
    const asking = createGate({ policy, store })
    // Another process is told of changes by nobody, and reads what was asked about now and then.
    const deaf = createGate({ policy, store: { ...store, onAmended: () => () => undefined } })
    const ran = vi.fn(() => 'done')
    const declared = { approval: false, byFunction: true }
    for (const key of ['w1', 'w2']) {
      const warm = { tool: 'send', args: {}, run: 'w', key }
      await deaf.run(warm, ran, { declared })
      await deaf.run(warm, ran, { declared: { approval: false } })
    }
    ran.mockClear()
    const call = { tool: 'send', args: {}, run: 'r', key: 'k' }
    const asked = { wait: false, declared: { approval: true, byFunction: true } } as const
    expect(await asking.run(call, ran, asked)).toMatchObject({ status: 'pending' })
    expect(deaf[internals].allows(call, { declared })).toBe(false)
    expect(await deaf.run(call, ran, { wait: false, declared })).toMatchObject({
      status: 'pending',
    })
    expect(await deaf.check(call, { declared })).toMatchObject({ status: 'pending' })
    expect(ran).not.toHaveBeenCalled()
  },
)

promise(
  ['CS-SDK-6'],
  'a plain word that allows what the file asked about before leaves that question standing',
  async () => {
    const store = memoryStore()
    onTestFinished(() => store.close())
    const gate = createGate({ policy: policyOf('defaults: { undeclared: confirm }'), store })
    const ran = vi.fn(() => 'done')
    const call = { tool: 'send', args: {}, run: 'r', key: 'k' }
    expect(await gate.run(call, ran, { wait: false })).toMatchObject({ status: 'pending' })
    const declared = { approval: false }
    expect(await gate.run(call, ran, { wait: false, declared })).toMatchObject({
      status: 'pending',
    })
    expect(await gate.check(call, { declared })).toMatchObject({ status: 'pending' })
    expect(ran).not.toHaveBeenCalled()
    // A call that nobody was asked about is allowed: code may say so where no file names the tool.
    expect(await gate.run({ ...call, key: 'k2' }, ran, { declared })).toMatchObject({
      status: 'succeeded',
    })
  },
)

test('what is no declaration refuses the call, and is never read as silence', async () => {
  const { gate } = await world(inProcess)
  const ran = vi.fn(() => 'done')
  const run = (declared: unknown) =>
    gate.run({ tool: 'send', args: {} }, ran, {
      wait: false,
      declared: declared as CallDeclaration,
    })
  expect(await run({})).toMatchObject({ status: 'succeeded' })
  const refused: [unknown, string][] = [
    [{ approval: () => true }, 'invalid_value'],
    [{ approval: 'yes' }, 'policy_invalid'],
    [{ aproval: true }, 'policy_invalid'],
    [{ approval: { toJSON: () => false } }, 'invalid_value'],
    [{ approval: Number.NaN }, 'unsafe_number'],
    [[], 'invalid_call'],
    ['true', 'invalid_call'],
    [null, 'invalid_call'],
  ]
  for (const [declared, code] of refused) {
    expect(await run(declared)).toMatchObject({
      status: 'blocked',
      code,
      ran: false,
      modelMessage: expect.stringContaining('was not understood and did not run'),
    })
  }
  expect(ran).toHaveBeenCalledTimes(1)
})

promise(
  ['CS-SDK-11', 'CS-SDK-12'],
  'people see every declaration of a name, and the strictest of them as the answer',
  async () => {
    const { gate: any } = await world(inProcess)
    const gate = any as Gate
    gate[internals].tool(
      'send',
      { description: 'Sends' },
      { declared: { words: { approval: true } } },
    )
    gate[internals].tool(
      'send',
      { description: 'Sends' },
      { declared: { words: { approval: false } } },
    )
    gate.declare('send', { approval: () => false })
    await gate[internals].idle()
    const code = gate.admin.tools.find(({ tool }) => tool === 'send')?.code
    expect(code).toEqual({
      words: { approval: true },
      besides: [{ approval: false }],
      byFunction: true,
    })
  },
)

test('declaring a name without end is refused', async () => {
  const { gate } = await world(inProcess)
  const declareOften = () => {
    for (let n = 0; n < 200; n++) gate.declare('send', { approval: () => false })
  }
  expect(declareOften).toThrow(/too often/)
})
