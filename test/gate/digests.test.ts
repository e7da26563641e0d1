import { expect } from 'vitest'
import { type Channel, NotDelivered, type Notice } from '../../src/gate/notify/channel.ts'
import { type Deliverer, startDeliverer } from '../../src/gate/notify/deliver.ts'
import { nextDigest } from '../../src/gate/notify/digest-times.ts'
import { keepPreferences, type Preferences } from '../../src/gate/notify/preferences.ts'
import { retryUndelivered, undelivered } from '../../src/gate/notify/undelivered.ts'
import type { Addressee, People } from '../../src/gate/people.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { ana, BOTH, openStore, type StoreName, setUp } from './gates.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** Five minutes past an hour. */
const START = Date.UTC(2030, 0, 1, 10, 5)
const hourly: Preferences = { digests: [{ channel: 'board', every: 60 }] }

const people: People = {
  directory: () => ({ groups: {}, approvers: 'open' }),
  lookup: (one) => one,
  reachable: (to) => (to.length > 0 ? ([ana] as Addressee[]) : []),
}

interface Options {
  readonly store?: StoreName
  readonly wishes?: Preferences
  /** Sends one by one, as a channel that knows no digests. */
  readonly single?: true
  readonly policy?: string
}

async function world({
  store: name = 'memory',
  wishes = hourly,
  single,
  policy = '',
}: Options = {}) {
  const clock = fakeClock(START)
  const store = await openStore(name, clock)
  await keepPreferences(store.records, ana, wishes)
  const said: string[] = []
  const state = { isDown: false, onSent: async () => {} }
  const arrived = async (words: string) => {
    if (state.isDown) throw new NotDelivered('down')
    said.push(words)
    await state.onSent()
  }
  const channel: Channel = {
    name: 'board',
    addresses: async (_, all) => all.map(({ subject }) => subject),
    async send({ kind, approval }: Notice) {
      await arrived(`${approval.tool} ${kind}`)
      return { ref: approval.id }
    },
    ...(single
      ? {}
      : {
          async sendDigest(notices, _, address) {
            const names = notices.map(({ approval, kind }) => `${approval.tool} ${kind}`)
            await arrived(`${address}: ${names.toSorted().join(', ')}`)
          },
        }),
  }
  const rules = policyOf(`
    ${policy}
    tools:
      ${['a', 'b', 'c'].map((tool) => `${tool}: { approval: { approvers: ["*"], decide_by: 24h } }`).join('\n      ')}
      soon: { approval: { approvers: ["*"], decide_by: 80m } }
      risky: { risk: L4, approval: { approvers: ["*"], decide_by: 24h } }
  `)
  const { gate } = await setUp(name, { policy: rules, people, store, channels: [] })
  const routing = { rules: () => rules.owner.notify, onCall: async () => undefined }
  const options = { store, channels: [channel], people, routing, every: 1e9, heldEvery: 0 }
  const start = async (): Promise<Deliverer> => {
    const made = startDeliverer(options)
    await made.opened()
    return made
  }
  let deliverer = await start()
  const ask = async (tool: string) => {
    const asked = await gate.check({ tool, args: { n: 1 } }, { key: tool })
    if (asked.status !== 'pending') throw new Error('not asked')
    await deliverer.deliver()
    return asked.approval
  }
  const after = async (ms: number) => {
    clock.advance(ms)
    await deliverer.deliver()
  }
  const restart = async () => {
    void deliverer.stop()
    deliverer = await start()
  }
  return { store, gate, said, state, ask, after, restart, stop: () => deliverer.stop() }
}

promise.each(
  ['CS-DIGEST-1'],
  'calls of an hour are told in one message at its end',
  BOTH,
  async (store) => {
    const { said, ask, after, stop } = await world({ store })
    await ask('a')
    await after(20 * MINUTE)
    await ask('b')
    expect(said).toEqual([])
    await after(35 * MINUTE)
    expect(said).toEqual(['ana: a asked, b asked'])
    await ask('c')
    await after(60 * MINUTE)
    // A single one is a message of its own, which is settled in its place.
    expect(said).toEqual(['ana: a asked, b asked', 'c asked'])
    await after(HOUR)
    expect(said).toHaveLength(2)
    await stop()
  },
)

promise.each(
  ['CS-DIGEST-1'],
  'a call that cannot wait is told at once',
  [['soon'], ['risky']],
  async (tool) => {
    const { said, ask, stop } = await world()
    await ask('a')
    await ask(tool)
    expect(said).toEqual([`${tool} asked`])
    await stop()
  },
)

promise(['CS-DIGEST-1'], 'what was decided meanwhile is not in it', async () => {
  const { gate, said, ask, after, stop } = await world()
  const { id, digest } = await ask('a')
  await ask('b')
  await ask('c')
  await gate.approvals.decide(id, { by: ana, verdict: 'deny', seen: digest })
  await after(HOUR)
  expect(said.filter((one) => one.includes('asked'))).toEqual(['ana: b asked, c asked'])
  await stop()
})

promise.each(
  ['CS-DIGEST-1', 'CS-TOLD-1'],
  'a process that dies while it sends one leaves it to the next',
  BOTH,
  async (name) => {
    const { said, state, ask, after, restart, stop } = await world({ store: name })
    await ask('a')
    await ask('b')
    // It hangs after the other side has it: as dead as a killed process, to everyone else.
    state.onSent = () => new Promise(() => {})
    // This one dies with its process; the store may be closed before its last message ends.
    void after(55 * MINUTE).catch(() => {})
    await expect.poll(() => said).toEqual(['ana: a asked, b asked'])
    state.onSent = async () => {}
    await restart()
    await after(30_000)
    expect(said).toHaveLength(1)
    await after(31_000)
    expect(said).toEqual(['ana: a asked, b asked', 'ana: a asked, b asked'])
    await after(HOUR)
    expect(said).toHaveLength(2)
    await stop()
  },
)

promise(['CS-DIGEST-1'], 'a channel that knows no digests sends them together', async () => {
  const { said, ask, after, stop } = await world({ single: true })
  await ask('a')
  await ask('b')
  expect(said).toEqual([])
  await after(HOUR)
  expect(said.toSorted()).toEqual(['a asked', 'b asked'])
  await stop()
})

promise(['CS-DIGEST-1', 'CS-ROUTE-1'], 'a rule of the policy may forbid the wait', async () => {
  const policy = 'notify: [{ tool: b, at_once: true }]'
  const { said, ask, stop } = await world({ policy })
  await ask('a')
  await ask('b')
  expect(said).toEqual(['b asked'])
  await stop()
})

promise(['CS-DIGEST-1'], 'a daily digest comes at its time on the wall of the person', () => {
  const daily = { channel: 'mail', at: '09:00', zone: 'Europe/Berlin' }
  const at = (text: string) => new Date(nextDigest(daily, Date.parse(text))).toISOString()
  expect(at('2026-03-28T07:59:00Z')).toBe('2026-03-28T08:00:00.000Z')
  expect(at('2026-03-28T08:00:00Z')).toBe('2026-03-29T07:00:00.000Z')
})

promise.each(
  ['CS-DIGEST-1'],
  'wishes that cannot be kept are refused',
  [
    ['neither', {}],
    ['both', { every: 60, at: '09:00', zone: 'UTC' }],
    ['no zone', { at: '09:00' }],
    ['a zone that is none', { at: '09:00', zone: 'Mars' }],
    ['a time that is none', { at: '9:00', zone: 'UTC' }],
  ] as const,
  async (_, times) => {
    const store = await openStore('memory')
    const digests = [{ channel: 'board', ...times }]
    await expect(keepPreferences(store.records, ana, { digests })).rejects.toMatchObject({
      code: 'invalid_value',
    })
  },
)

promise.each(
  ['CS-TOLD-4'],
  'what was held and given up is stuck, is shown, and can be tried again',
  BOTH,
  async (name) => {
    const { store, said, state, ask, after, stop } = await world({ store: name })
    const { id } = await ask('a')
    state.isDown = true
    for (let hour = 0; hour < 17; hour++) await after(HOUR)
    const { stuck, notices, channels } = await undelivered(store)
    expect([stuck, channels[0]?.stuck]).toEqual([1, 1])
    expect(notices).toMatchObject([
      { approval: id, kind: 'asked', state: 'stuck', problem: 'down' },
    ])
    state.isDown = false
    await after(HOUR)
    expect(said).toEqual([])
    expect(await retryUndelivered(store)).toBe(1)
    await after(1)
    expect(said).toEqual(['a asked'])
    expect((await undelivered(store)).stuck).toBe(0)
    await stop()
  },
)
