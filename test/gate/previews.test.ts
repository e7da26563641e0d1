import { expect, test, vi } from 'vitest'
import type { Preview } from '../../src/base/preview/preview.ts'
import type { PreviewFunction } from '../../src/gate/preview/previewing.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { BACKENDS, type BackendName, openBackend } from '../client/backends.ts'
import { promise } from '../support/promise.ts'
import {
  approve,
  deny,
  ending,
  kim,
  nextPending,
  openStore,
  STORES,
  type StoreName,
} from './gates.ts'

/* Previews, with both stores, by a gate in the process and by one over HTTP. */

const EVERYWHERE: [string, BackendName, StoreName][] = BACKENDS.flatMap((backend) =>
  STORES.map((name): [string, BackendName, StoreName] => [`${backend}, ${name}`, backend, name]),
)

const REFUND: Preview = {
  summary: 'Refunds 2 of 3 orders',
  facts: [{ label: 'Customer', value: 'Lena Park' }],
  table: {
    columns: ['Order', 'Amount'],
    rows: [
      ['o-1', 20],
      ['o-2', 5],
    ],
    total: 3,
  },
  changes: [{ label: 'status', before: 'paid', after: 'refunded' }],
  text: 'Dear Lena,\nyour money is on its way.',
}

async function open(backend: BackendName, name: StoreName, policy?: string) {
  const clock = fakeClock()
  const store = await openStore(name, clock)
  return openBackend(backend, { store, ...(policy === undefined ? {} : { policy }) })
}

async function shown({ people }: Pick<Awaited<ReturnType<typeof open>>, 'people'>, id: string) {
  return (await people.approvals.get(id))?.question?.preview
}

promise.each(
  ['CS-PREVIEW-1'],
  'a preview is made of the call that people are asked about, before they are',
  EVERYWHERE,
  async (_where, backend, name) => {
    const own = await open(backend, name)
    const preview = vi.fn<PreviewFunction>(async (args, { tool, signal }) => {
      expect([tool, signal.aborted, args]).toEqual(['pay', false, { amount: 5 }])
      expect((await own.people.approvals.list({})).approvals).toEqual([])
      // What it does to its arguments reaches neither people nor the tool.
      Object.assign(args, { amount: 1 })
      return REFUND
    })
    const work = vi.fn((args: object) => args)
    const pay = own.gate.guard(work, { name: 'pay', preview })
    const paying = pay({ amount: 5 }, { run: 'r', key: 'k' })
    const asked = await nextPending(own.people)
    expect(await shown(own, asked.id)).toEqual({ preview: REFUND })
    expect((await own.people.approvals.get(asked.id))?.args).toEqual({ amount: 5 })
    await approve(own.people, asked)
    expect(await paying).toEqual({ amount: 5 })
    expect(preview).toHaveBeenCalledTimes(1)
  },
)

promise.each(
  ['CS-PREVIEW-1'],
  'no preview is made of a call that the policy allows or denies, or that a grant lets through',
  EVERYWHERE,
  async (_where, backend, name) => {
    const own = await open(backend, name)
    const preview = vi.fn(() => 'would do it')
    const run = (tool: string, key: string, args = {}) =>
      own.gate.run({ tool, run: 'r', key, args }, { name: tool, preview, run: () => 'did it' })
    expect(ending(await run('read', '1'))).toBe('succeeded')
    expect(ending(await run('refund', '2', { amount: 7 }))).toBe('succeeded')
    expect(ending(await run('nuke', '3'))).toBe('denied_by_policy')
    expect(preview).not.toHaveBeenCalled()
    const running = run('pay', '4')
    const { id, digest } = await nextPending(own.people)
    await own.people.approvals.decide(id, {
      ...{ by: kim, verdict: 'approve', seen: digest },
      grant: { scope: { kind: 'tool' }, uses: 5, expiresIn: 60_000 } as never,
    })
    expect(ending(await running)).toBe('succeeded')
    expect(preview).toHaveBeenCalledTimes(1)
    expect(await run('pay', '5')).toMatchObject({ status: 'succeeded' })
    expect(preview).toHaveBeenCalledTimes(1)
  },
)

promise.each(
  ['CS-PREVIEW-2'],
  'the same call asked again keeps its question, its preview and its yes',
  EVERYWHERE,
  async (_where, backend, name) => {
    const own = await open(backend, name)
    let times = 0
    const work = vi.fn(() => 'paid')
    const tool = { name: 'pay', preview: () => `rows affected: ${++times}`, run: work }
    const call = { tool: 'pay', run: 'r', key: 'k', args: { amount: 5 } }
    const first = await own.gate.run(call, tool, { wait: false })
    expect(ending(first)).toBe('pending')
    // The same call in another process.
    expect(ending(await own.again().run(call, tool, { wait: false }))).toBe('pending')
    const asked = await nextPending(own.people)
    await approve(own.people, asked)
    expect(await own.gate.run(call, tool)).toMatchObject({ status: 'succeeded' })
    expect(await own.gate.run(call, tool)).toMatchObject({ status: 'succeeded', replayed: true })
    expect([times, work.mock.calls.length]).toEqual([1, 1])
    expect(await shown(own, asked.id)).toEqual({ preview: { summary: 'rows affected: 1' } })
    // A denial is remembered for equal calls: none of them is asked about.
    const denied = { tool: 'pay', run: 'r', key: 'n', args: { amount: 6 } }
    await own.gate.run(denied, tool, { wait: false })
    await deny(own.people, await nextPending(own.people), { reason: 'No.' })
    expect(ending(await own.gate.run({ ...denied, key: 'm' }, tool))).toBe('denied')
    expect(times).toBe(2)
  },
)

promise.each(
  ['CS-PREVIEW-2'],
  'equal calls without keys of their own share one question and its preview',
  EVERYWHERE,
  async (_where, backend, name) => {
    const own = await open(backend, name)
    let times = 0
    const tool = { name: 'pay', preview: () => `made ${++times}`, run: () => 'paid' }
    const call = { tool: 'pay', run: 'r', args: {} }
    const asking = { wait: false, join: 'digest' } as const
    expect(ending(await own.gate.run(call, tool, asking))).toBe('pending')
    expect(ending(await own.gate.run(call, tool, asking))).toBe('pending')
    expect((await own.people.approvals.list({})).approvals).toHaveLength(1)
    expect(times).toBe(1)
  },
)

/** A few objects that stand for more text than any machine holds. */
function manyTimes(): never {
  let value: unknown = 'again'
  for (let depth = 0; depth < 60; depth += 1) value = [value, value]
  return value as never
}

const BROKEN: [string, PreviewFunction, object][] = [
  [
    'throws',
    () => {
      throw new Error('the database is away')
    },
    { failed: 'threw' },
  ],
  ['takes too long', () => new Promise(() => {}), { failed: 'timed_out' }],
  ['is none', () => undefined as never, { failed: 'invalid' }],
  ['holds markup of its own', () => ({ html: '<b>' }) as never, { failed: 'invalid' }],
  ['has uneven rows', () => ({ table: { columns: ['a'], rows: [[1, 2]] } }), { failed: 'invalid' }],
  ['nests values', () => ({ facts: [{ label: 'a', value: {} as never }] }), { failed: 'invalid' }],
  ['is too long', () => ({ text: 'a'.repeat(8_001) }), { failed: 'too_large' }],
  ['refers to itself many times over', () => ({ facts: manyTimes() }), { failed: 'too_large' }],
  [
    'has a number that is none',
    () => ({ facts: [{ label: 'Balance', value: Number.NaN }] }),
    { failed: 'invalid' },
  ],
  ['weighs too much', () => ({ text: '€'.repeat(8_000) }), { failed: 'too_large' }],
]

for (const backend of BACKENDS) {
  promise.each(
    ['CS-PREVIEW-3'],
    `${backend}: people are asked all the same where a preview`,
    BROKEN,
    async (_how, preview, told) => {
      const own = await open(backend, 'memory')
      const pay = own.gate.guard(() => 'paid', { name: 'pay', preview, previewTimeout: 30 })
      const paying = pay({}, { run: 'r', key: 'k' })
      const asked = await nextPending(own.people)
      expect(await shown(own, asked.id)).toEqual(told)
      await approve(own.people, asked)
      expect(await paying).toBe('paid')
    },
  )
}

promise.each(
  ['CS-PREVIEW-1'],
  'a caller that gives up while its preview is made leaves no question behind',
  EVERYWHERE,
  async (_where, backend, name) => {
    const own = await open(backend, name)
    const stop = new AbortController()
    const heard = Promise.withResolvers<void>()
    const pay = own.gate.guard(() => 'paid', {
      name: 'pay',
      preview: (_args, { signal }) =>
        new Promise<string>((resolve) => {
          signal.addEventListener('abort', () => {
            heard.resolve()
            resolve('late')
          })
          stop.abort()
        }),
    })
    const { signal } = stop
    await expect(pay({}, { run: 'r', key: 'k', signal })).rejects.toMatchObject({
      code: 'withdrawn',
    })
    await heard.promise
    expect((await own.people.approvals.list({})).approvals).toEqual([])
  },
)

promise.each(
  ['CS-PREVIEW-5'],
  'what the call hides is hidden in its preview, and so is what a label calls a secret',
  EVERYWHERE,
  async (_where, backend, name) => {
    const own = await open(backend, name)
    const preview = () => ({
      summary: 'PIN zebra-44 is checked',
      facts: [
        { label: 'API key', value: 'plain words' },
        { label: 'Name', value: 'Lena' },
      ],
      table: { columns: ['user', 'password'], rows: [['lena', 'tree']] },
      changes: [{ label: 'password', before: 'old', after: 'new' }],
    })
    const pay = own.gate.guard(() => 'paid', { name: 'pay', preview })
    await expect(pay({ pin: 'zebra-44' }, { wait: false })).rejects.toMatchObject({
      code: 'pending',
    })
    const asked = await nextPending(own.people)
    expect(await shown(own, asked.id)).toEqual({
      preview: {
        summary: 'PIN [secret] is checked',
        facts: [
          { label: 'API key', value: '[secret]' },
          { label: 'Name', value: 'Lena' },
        ],
        table: { columns: ['user', 'password'], rows: [['lena', '[secret]']] },
        changes: [{ label: 'password', before: '[secret]', after: '[secret]' }],
      },
    })
  },
)

promise(
  ['CS-PREVIEW-5'],
  'in a table of names and values, what stands beside the name of a secret is hidden',
  async () => {
    const hidden = async (columns: string[], rows: string[][]) => {
      const own = await openBackend('in process')
      const preview = () => ({ table: { columns, rows } })
      const pay = own.gate.guard(() => 'paid', { name: 'pay', preview })
      await expect(pay({}, { wait: false })).rejects.toMatchObject({ code: 'pending' })
      return shown(own, (await nextPending(own.people)).id)
    }
    const settings = [
      ['region', 'north', 'south'],
      ['DB_PASSWORD', 'tree', 'river'],
    ]
    expect(await hidden(['Setting', 'Before', 'After'], settings)).toMatchObject({
      preview: { table: { rows: [settings[0], ['DB_PASSWORD', '[secret]', '[secret]']] } },
    })
    expect(await hidden(['App', 'Key', 'Value'], [['shop', 'api key', 'tree']])).toMatchObject({
      preview: { table: { rows: [['shop', 'api key', '[secret]']] } },
    })
    const people = [['Lena', 'password', 'Monday']]
    expect(await hidden(['User', 'Signs in by', 'Since'], people)).toMatchObject({
      preview: { table: { rows: people } },
    })
  },
)

promise.each(
  ['CS-PREVIEW-4', 'CS-PREVIEW-5'],
  'the record of asking holds the digest; the preview goes with the arguments',
  [['memory'], ['sqlite']] as [StoreName][],
  async (name) => {
    const clock = fakeClock()
    const store = await openStore(name, clock)
    const own = await openBackend('in process', { store })
    const plain = await own.gate.check({ tool: 'pay', run: 'p', args: {} })
    const pay = own.gate.guard(() => 'paid', { name: 'pay', preview: () => REFUND })
    const paying = pay({}, { run: 'r', key: 'k' })
    const [plainOne] = (await own.people.approvals.list({})).approvals
    const asked = await nextPending(own.people, [plainOne?.id ?? ''])
    // The digest of the call is that of the call, with a preview or without.
    expect(plain).toMatchObject({ status: 'pending', approval: { digest: asked.digest } })
    const { entries } = await store.eventsBefore('end')
    const requested = entries.find(
      ({ event }) => event.type === 'requested' && event.approval === asked.id,
    )
    expect(requested?.event).toMatchObject({ facts: { preview: asked.call.preview } })
    expect(asked.call.preview).toMatch(/^[0-9a-f]{64}$/)
    const refused = expect(paying).rejects.toMatchObject({ code: 'denied' })
    await deny(own.people, asked)
    await refused
    expect(JSON.stringify(await store.content(asked.id))).toContain('Lena Park')
    clock.advance(1_000)
    await store.erase(await store.now())
    expect(JSON.stringify(await store.content(asked.id))).not.toContain('Lena Park')
  },
)

test('a preview that is no function, or may take too long, is refused when the tool is guarded', async () => {
  const own = await openBackend('in process')
  const guard = (options: object) => () => own.gate.guard(() => 1, { name: 'pay', ...options })
  expect(guard({ preview: 'text' })).toThrow('preview is not a function')
  expect(guard({ preview: () => '', previewTimeout: '1h' })).toThrow('previewTimeout')
  expect(guard({ preview: () => '', previewTimeout: 0 })).toThrow('previewTimeout')
  const tool = { name: 'pay', preview: 'text' as never, run: () => 1 }
  await expect(own.gate.run({ tool: 'pay', args: {} }, tool)).rejects.toThrow('not a function')
})
