import { expect } from 'vitest'
import { type Channel, NotDelivered, type Notice } from '../../src/gate/notify/channel.ts'
import { startDeliverer } from '../../src/gate/notify/deliver.ts'
import { keepPreferences, type Preferences } from '../../src/gate/notify/preferences.ts'
import type { Addressee, People } from '../../src/gate/people.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { ana, BOTH, bo, openStore, type StoreName, setUp } from './gates.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** Five minutes past an hour. */
const START = Date.UTC(2030, 0, 1, 10, 5)

const people: People = {
  directory: () => ({ groups: {}, approvers: 'open' }),
  lookup: (one) => one,
  reachable: (to) => (to.length > 0 ? ([ana, bo] as Addressee[]) : []),
}

/** Which addresses fail, and how. */
type Failures = Map<string, NotDelivered>

function boardOf(name: string, addresses: Readonly<Record<string, readonly string[]>>) {
  const said: string[] = []
  const failures: Failures = new Map()
  const arrived = (address: string, words: string) => {
    const failure = failures.get(address)
    if (failure) throw failure
    said.push(`${address}: ${words}`)
  }
  const channel: Channel = {
    name,
    addresses: async (_, all) => all.flatMap(({ subject }) => addresses[subject] ?? []),
    async send({ kind, approval }: Notice, _, delivery) {
      arrived(delivery?.address ?? '', `${approval.tool} ${kind}`)
      return { ref: approval.id }
    },
    async sendDigest(notices, _, address) {
      arrived(address, `digest of ${notices.length}`)
    },
  }
  return { channel, said, failures }
}

const hourly: Preferences = { digests: [{ channel: 'board', every: 60 }] }

async function world(channels: readonly Channel[], wishes = hourly, name: StoreName = 'memory') {
  const clock = fakeClock(START)
  const store = await openStore(name, clock)
  await keepPreferences(store.records, ana, wishes)
  const policy = policyOf(`
    tools:
      ${['a', 'b', 'c'].map((tool) => `${tool}: { approval: { approvers: ["*"], decide_by: 24h } }`).join('\n      ')}
  `)
  const { gate } = await setUp(name, { policy, people, store, channels: [] })
  const deliverer = startDeliverer({ store, channels, people, every: 1e9, heldEvery: 0 })
  await deliverer.opened()
  const ask = async (tool: string) => {
    await gate.check({ tool, args: { n: 1 } }, { key: tool })
    await deliverer.deliver()
  }
  const after = async (ms: number) => {
    clock.advance(ms)
    await deliverer.deliver()
  }
  return { ask, after, stop: () => deliverer.stop() }
}

promise.each(
  ['CS-DIGEST-1'],
  'a digest comes once, however often its notices are tried for another person',
  BOTH,
  async (name) => {
    const { channel, said, failures } = boardOf('board', { ana: ['ana'], bo: ['bo'] })
    failures.set('bo', new NotDelivered('down'))
    const { ask, after, stop } = await world([channel], hourly, name)
    await ask('a')
    await ask('b')
    for (let times = 0; times < 8; times++) await after(30 * MINUTE)
    expect(said).toEqual(['ana: digest of 2'])
    await stop()
  },
)

promise(['CS-DIGEST-1'], 'an address that fails repeats a digest at no other', async () => {
  const { channel, said, failures } = boardOf('board', { ana: ['phone', 'laptop'] })
  failures.set('laptop', new NotDelivered('down'))
  const { ask, after, stop } = await world([channel])
  await ask('a')
  await ask('b')
  await after(55 * MINUTE)
  await after(MINUTE)
  await after(MINUTE)
  failures.clear()
  await after(HOUR)
  expect(said).toEqual(['phone: digest of 2', 'laptop: digest of 2'])
  await stop()
})

promise(['CS-DIGEST-1'], 'what failed together is tried again together', async () => {
  const { channel, said, failures } = boardOf('board', { ana: ['phone'] })
  failures.set('phone', new NotDelivered('down'))
  const { ask, after, stop } = await world([channel])
  for (const tool of ['a', 'b', 'c']) await ask(tool)
  await after(55 * MINUTE)
  // Until the pauses are long, with a part of them by chance.
  for (let times = 0; times < 7; times++) await after(2 * MINUTE)
  failures.clear()
  for (let times = 0; times < 600; times++) await after(1_000)
  expect(said).toEqual(['phone: digest of 3'])
  await stop()
})

promise(
  ['CS-DIGEST-1'],
  'the next channel does not wait for a digest that reaches no one',
  async () => {
    const board = boardOf('board', { ana: ['phone'] })
    const mail = boardOf('mail', { ana: ['mail'] })
    board.failures.set('phone', new NotDelivered('blocked', { gone: true }))
    const wishes = { ...hourly, order: ['board', 'mail'], nextAfter: 600 }
    const { ask, after, stop } = await world([board.channel, mail.channel], wishes)
    await ask('a')
    await ask('b')
    await after(55 * MINUTE)
    await after(1)
    expect(mail.said.toSorted()).toEqual(['mail: a asked', 'mail: b asked'])
    await stop()
  },
)
