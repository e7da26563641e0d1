import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import type { Gate } from '../../src/gate/gate.ts'
import { say, waiting } from '../../src/testing/adapter-play.ts'
import { inProcess, overHttp } from '../adapters/worlds.ts'
import { promise } from '../support/promise.ts'

async function world(open = inProcess) {
  const opened = await open()
  onTestFinished(() => opened.close())
  return opened
}

const BOTH: [string, typeof inProcess][] = [
  ['in process', inProcess],
  ['over HTTP', overHttp],
]

promise.each(['CS-SDK-5'], 'what code declares is asked about', BOTH, async (_where, open) => {
  const own = await world(open)
  const work = vi.fn(({ amount }: { amount: number }) => `sent ${amount}`)
  const send = own.gate.guard(work, {
    name: 'send',
    approval: { condition: { args_match: { amount: { gt: 10 } } }, edit: true },
  })
  expect(await send({ amount: 10 }, { run: 'r', key: '1' })).toBe('sent 10')
  const sending = send({ amount: 11 }, { run: 'r', key: '2' })
  const [one] = await waiting(own, 1)
  expect(work).toHaveBeenCalledTimes(1)
  await say(own, one, 'approve')
  expect(await sending).toBe('sent 11')
})

promise.each(['CS-SDK-5'], 'the stricter of code and file counts', BOTH, async (_where, open) => {
  const own = await world(open)
  const pay = own.gate.guard(() => 'paid', { name: 'pay', approval: false })
  await expect(pay({}, { run: 'r', key: '1', wait: false })).rejects.toThrow(/waits for a person/)
  const wire = own.gate.guard(() => 'wired', { name: 'wire', approval: true })
  await expect(wire({}, { run: 'r', key: '2', wait: false })).rejects.toThrow(/waits for a person/)
  const [, asked] = await waiting(own, 2)
  // One person's confirmation is not enough where the file asks finance.
  await say(own, asked, 'approve').catch(() => undefined)
  await waiting(own, 2)
})

promise.each(['CF-18'], 'a function decides whether to ask', BOTH, async (_where, open) => {
  const own = await world(open)
  const work = vi.fn(() => 'done')
  const free = own.gate.guard(work, { name: 'free', approval: async () => false })
  expect(await free({}, { run: 'r', key: '1' })).toBe('done')
  const broken = own.gate.guard(work, {
    name: 'broken',
    approval: () => {
      throw new Error('oops')
    },
  })
  await expect(broken({}, { run: 'r', key: '2', wait: false })).rejects.toThrow(
    /waits for a person/,
  )
  const vague = own.gate.guard(work, { name: 'vague', approval: () => 'no' as never })
  await expect(vague({}, { run: 'r', key: '3', wait: false })).rejects.toThrow(/waits for a person/)
  expect(work).toHaveBeenCalledTimes(1)
})

test('a mistake in a declaration is found when it is made', async () => {
  const { gate } = await world()
  // @ts-expect-error A misspelt word does not compile, and plain JavaScript is told at once.
  expect(() => gate.guard(() => 1, { name: 'x', approval: { aprovers: [] } })).toThrow(/aprovers/)
  // @ts-expect-error The same for conditions,
  expect(() => gate.guard(() => 1, { name: 'x', approval: { conditoin: {} } })).toThrow(
    /did you mean `condition`/,
  )
  // @ts-expect-error and for a risk that is none.
  expect(() => gate.guard(() => 1, { name: 'x', risk: 'high' })).toThrow(/risk/)
  expect(() => gate.guard(undefined as never, { name: 'x' })).toThrow(/nothing to run/)
  const once = gate.guard(() => 1, { name: 'x' })
  expect(() => gate.guard(once as never, { name: 'x' })).toThrow(/guarded already/)
})

test('arguments are checked before anybody is asked, and again after a person changed them', async () => {
  const own = await world()
  const work = vi.fn(() => 'paid')
  const schema = z.object({ amount: z.number() })
  const pay = own.gate.guard(work, { name: 'pay', schema })
  await expect(pay({ amount: 'lots' as never })).rejects.toMatchObject({
    code: 'invalid_call',
    ran: false,
    modelMessage: expect.stringMatching(/was not understood and did not run.*amount/),
  })
  const paying = pay({ amount: 1 }).catch((error: Error) => error.message)
  const [one] = await waiting(own, 1)
  await say(own, one, 'approve', { args: { amount: 'lots' } })
  expect(await paying).toMatch(/amount/)
  expect(work).not.toHaveBeenCalled()
})

test('what code declares is in the registry, for the inbox', async () => {
  const own = await world()
  const gate = own.gate as Gate
  gate.guard(() => 1, { name: 'send', approval: true, description: 'Sends mail' })
  expect(gate.admin.tools).toMatchObject([
    { tool: 'send', definition: { description: 'Sends mail' } },
  ])
})

const AGENTS = `version: 1
local_agents:
  - { alias: researcher, approval: { condition: { args_match: { parent.input.topic: secret } } } }
remote_agents:
  - { alias: acme, url: https://acme.example.com, allowed_skills: [{ id: book, approval: true }, { id: look, approval: false }] }
`

promise(
  ['AF-47', 'AF-48', 'AF-49', 'AF-50'],
  'delegating asks before anything is handed over',
  async () => {
    const { createGate } = await import('../../src/gate/gate.ts')
    const { parsePolicy } = await import('../../src/policy/load/parse-policy.ts')
    const { memoryStore } = await import('../../src/store/memory/index.ts')
    const policy = parsePolicy({ owner: { file: 'countersign.yaml', text: AGENTS } })
    const store = memoryStore()
    onTestFinished(() => store.close())
    const gate = createGate({ policy, store, run: 'chat-1' })
    const agent = vi.fn(({ task }: { task: string }) => `did ${task}`)
    const research = (topic: string) => gate.delegate('researcher', agent, { parent: { topic } })
    expect(await research('cats')({ task: 'a' }, { key: '1' })).toBe('did a')
    const asked = research('secret')({ task: 'b' }, { key: '2', wait: false })
    await expect(asked).rejects.toThrow(/researcher waits for a person/)
    const look = gate.delegate({ agent: 'acme', skill: 'look' }, agent)
    expect(await look({ task: 'c' }, { key: '3' })).toBe('did c')
    const book = gate.delegate({ agent: 'acme', skill: 'book' }, agent)
    await expect(book({ task: 'd' }, { key: '4', wait: false })).rejects.toThrow(
      /book waits for a person/,
    )
    const other = gate.delegate({ agent: 'acme', skill: 'wipe' }, agent)
    await expect(other({ task: 'e' }, { key: '5' })).rejects.toThrow(/not allowed by policy/)
    expect(agent).toHaveBeenCalledTimes(2)
    const { approvals } = await gate.approvals.list({ status: ['pending'] })
    expect(approvals.map(({ call }) => call.kind).sort()).toEqual(['agent', 'skill'])
    // What the sub-agent calls is a call of its own.
    expect(await gate.guard(() => 'text', { name: 'read' })({})).toBe('text')
  },
)
