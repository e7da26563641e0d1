import { afterEach, expect } from 'vitest'
import { remoteGate } from '../../src/client/remote-gate.ts'
import { createGate } from '../../src/gate/gate.ts'
import { internals } from '../../src/gate/internals.ts'
import { allowAll, denyAll } from '../../src/policy/evaluate/mode.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { kim, POLICY, recordingTool } from './gates.ts'

const root = Object.prototype as unknown as Record<string, unknown>
const soiled: string[] = []

/** What a careless merge of somebody's JSON does to every object of the program. */
function pollute(name: string, value: unknown): void {
  soiled.push(name)
  root[name] = value
}

afterEach(() => {
  for (const name of soiled.splice(0)) delete root[name]
})

const make = () => createGate({ policy: policyOf(POLICY), store: memoryStore() })
const pay = { tool: 'pay', args: { amount: 5 } }

promise.each(
  ['CS-MODE-3'],
  'an option that stands in Object.prototype is no option of a gate',
  [
    ['mode', () => allowAll()],
    ['strategy', () => ({ name: 'yes', answer: () => ({ verdict: 'approve' }) })],
    ['door', () => 'mcp'],
  ] as [string, () => unknown][],
  async (name, value) => {
    const policy = policyOf(POLICY)
    const store = memoryStore()
    pollute(name, value())
    const gate = createGate({ policy, store })
    for (const one of [gate, gate.with({})]) {
      const checked = await one.check(pay)
      if (checked.status !== 'pending') throw new Error(checked.status)
      expect(checked.approval.call).toMatchObject({ agent: 'unnamed', door: 'in-process' })
    }
  },
)

promise.each(
  ['CS-MODE-3'],
  'what stands in Object.prototype is no part of a call, nor a declaration of its tool',
  [
    ['declared', { approval: false }],
    ['approval', false],
    ['server', 'trusted'],
    ['kind', 'agent'],
    ['agent', 'trusted'],
    ['principal', 'ana@example.com'],
    ['risk', 'L0'],
    ['parent', { input: {} }],
  ] as [string, unknown][],
  async (name, value) => {
    const policy = policyOf(`
      defaults: { undeclared: confirm }
      tools: { pay: { approval: true }, free: { approval: false } }
      local_agents: [{ alias: pay, approval: false }, { alias: unheard_of, approval: false }]
      mcp_servers: [{ alias: trusted, command: x, approval: false }]
    `)
    const store = memoryStore()
    const known = createGate({ policy, store })
    // Has nothing to look up: its calls are judged at once.
    const quick = createGate({ policy, store: memoryStore() })
    const free = { tool: 'free', args: {} }
    for (let calls = 0; calls < 2; calls += 1) await quick.run(free, () => 'ran')
    expect(quick[internals].allows(free)).toBe(true)
    pollute(name, value)
    const started: string[] = []
    for (const gate of [known, createGate({ policy, store })]) {
      for (const tool of ['pay', 'unheard_of']) {
        const run = () => started.push(tool)
        await gate.run({ tool, args: {} }, run, { wait: false })
        await gate
          .guard(run, { name: tool })({}, { wait: false })
          .catch(() => {})
        expect((await gate.check({ tool, args: {} })).status).not.toBe('allowed')
      }
      gate.declare('unheard_of', { description: 'Nothing about approval.' })
      await gate.run({ tool: 'unheard_of', args: {} }, () => started.push('declared'), {
        wait: false,
      })
    }
    expect(started).toEqual([])
    const isPartOfCall = name !== 'declared' && name !== 'approval'
    expect(await quick.run(free, () => 'ran')).toMatchObject(
      isPartOfCall ? { status: 'blocked', code: 'invalid_call' } : { status: 'succeeded' },
    )
  },
)

promise.each(
  ['CS-MODE-3'],
  'what stands in Object.prototype is no part of an answer',
  [
    ['args', { amount: 9_999 }],
    ['grant', { uses: 10, anyRun: true }],
  ],
  async (name, value) => {
    const gate = make()
    const tool = recordingTool()
    const checked = await gate.check(pay)
    if (checked.status !== 'pending') throw new Error(checked.status)
    const { id, digest } = checked.approval
    pollute(name, value)
    // A command that has a foreign member may be refused as a whole.
    await gate.approvals
      .decide(id, { by: kim, verdict: 'approve', seen: digest })
      .catch((error: unknown) => expect(error).toMatchObject({ code: 'invalid_command' }))
    delete root[name]
    await gate.resume(id, { pay: tool })
    expect(tool.starts.filter(({ args }) => args.amount !== 5)).toEqual([])
    expect((await gate.admin.grants.list()).grants).toEqual([])
  },
)

promise(['CS-MODE-3'], 'options that a class gives count, own or not', async () => {
  class Options {
    policy = policyOf(POLICY)
    store = memoryStore()
    get mode() {
      return denyAll()
    }
  }
  const gate = createGate(new Options())
  expect(await gate.check({ tool: 'read', args: {} })).toMatchObject({ status: 'blocked' })
})

promise(['AT-2'], 'a gate over a server refuses a mode that no function here made', () => {
  const options = { url: 'http://127.0.0.1:1', token: 'x' }
  for (const mode of [{ kind: 'denyAll' }, { kind: 'allowAll' }, 'observe', { ...denyAll() }]) {
    expect(() => remoteGate({ ...options, mode } as typeof options)).toThrow(
      expect.objectContaining({ code: 'mode_refused' }),
    )
    const gate = remoteGate(options)
    expect(() => gate.with({ mode } as object)).toThrow(
      expect.objectContaining({ code: 'mode_refused' }),
    )
  }
})
