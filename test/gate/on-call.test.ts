import { expect } from 'vitest'
import type { OnCallState } from '../../src/base/on-call/on-call.ts'
import { type Channel, NotDelivered } from '../../src/gate/notify/channel.ts'
import { startDeliverer } from '../../src/gate/notify/deliver.ts'
import { keepPreferences, type Preferences } from '../../src/gate/notify/preferences.ts'
import type { Addressee, People } from '../../src/gate/people.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { ana, BOTH, bo, openStore, type StoreName, setUp } from './gates.ts'

const MINUTE = 60_000
const NIGHT = Date.UTC(2030, 0, 1, 23)
const quiet = { zone: 'UTC', from: '22:00', to: '07:00' }
const members = [ana, bo].map((one) => ({ ...one, groups: ['finance'] })) as Addressee[]
const ANA: OnCallState = { people: ['ana@example.com'], othersAfter: 15 * MINUTE }

interface World {
  readonly store?: StoreName
  readonly state?: OnCallState
  readonly wishes?: Preferences
  readonly who?: string
  /** Whom each channel reaches; by all channels all members unless set. */
  readonly channels?: readonly Channel[]
  readonly terms?: string
}

function channelNamed(name: string, to: readonly string[] = ['ana', 'bo']) {
  const told: string[] = []
  const state = { isDown: false }
  const channel: Channel = {
    name,
    addresses: async (_, all) =>
      all.map(({ subject }) => subject).filter((one) => to.includes(one)),
    async send(notice, _, delivery) {
      if (state.isDown && delivery?.address === 'ana') throw new NotDelivered('down')
      told.push(`${delivery?.address} ${notice.kind}`)
      return { ref: `${name} ${delivery?.address}` }
    },
  }
  return { channel, told, state }
}

async function world({
  store: name = 'memory',
  state = ANA,
  wishes,
  who = 'approvers: [{ group: finance }]',
  channels = [],
  terms = 'decide_by: 12h',
}: World) {
  const clock = fakeClock(NIGHT)
  const store = await openStore(name, clock)
  if (wishes) await keepPreferences(store.records, ana, wishes)
  const people: People = {
    directory: () => ({ groups: { finance: { claim: 'finance' } }, approvers: 'open' }),
    lookup: (one) => one,
    reachable: (to) => (to.length > 0 ? members : []),
    onCall: () => state,
  }
  const policy = policyOf(`
    people: { groups: { finance: { claim: finance } } }
    tools:
      pay: { approval: { ${who}, ${terms} } }
  `)
  const { gate } = await setUp(name, { policy, people, store, channels: [] })
  const routing = { rules: () => policy.owner.notify, onCall: async () => state }
  const timing = { every: 1e9, heldEvery: 0 }
  const deliverer = startDeliverer({ store, channels, people, routing, ...timing })
  await deliverer.opened()
  const asked = await gate.check({ tool: 'pay', args: { n: 1 } }, { key: 'k' })
  if (asked.status !== 'pending') throw new Error('not asked')
  await deliverer.deliver()
  const after = async (ms: number) => {
    clock.advance(ms)
    await deliverer.deliver()
  }
  return { gate, approval: asked.approval, deliverer, after }
}

promise.each(
  ['CS-ONCALL-1'],
  'the person on call is told first, the others while the call still waits',
  BOTH,
  async (store) => {
    const { channel, told } = channelNamed('board')
    const { deliverer, after } = await world({ store, channels: [channel] })
    expect(told).toEqual(['ana asked'])
    await after(14 * MINUTE)
    expect(told).toEqual(['ana asked'])
    await after(MINUTE)
    expect(told).toEqual(['ana asked', 'bo asked'])
    await deliverer.stop()
  },
)

promise(['CS-ONCALL-1'], 'what the person on call decided is asked of no other', async () => {
  const { channel, told } = channelNamed('board')
  const { gate, approval, deliverer, after } = await world({ channels: [channel] })
  const by = { ...ana, groups: ['finance'] }
  const answer = { by, verdict: 'deny', seen: approval.digest } as const
  await gate.approvals.decide(approval.id, answer)
  await after(20 * MINUTE)
  expect(told.filter((one) => one.endsWith('asked'))).toEqual(['ana asked'])
  await deliverer.stop()
})

promise(['CS-ONCALL-2'], 'a person who is not on call may decide at once', async () => {
  const { channel } = channelNamed('board')
  const { gate, approval, deliverer } = await world({ channels: [channel] })
  const by = { ...bo, groups: ['finance'] }
  const answer = { by, verdict: 'approve', seen: approval.digest } as const
  const decided = await gate.approvals.decide(approval.id, answer)
  expect(decided.status).toBe('approved')
  await deliverer.stop()
})

const never = channelNamed('silent', ['bo'])

const REASONS: [reason: string, given: World][] = [
  ['the schedule cannot be read', { state: { problem: 'gone' } }],
  ['the schedule has a gap', { state: { people: [], othersAfter: 15 * MINUTE } }],
  [
    'the schedule names a person who is not asked',
    { state: { people: ['cy@example.com'], othersAfter: 15 * MINUTE } },
  ],
  ['the person on call has quiet hours', { wishes: { quiet } }],
  ['the person on call wants a digest', { wishes: { digests: [{ channel: 'board', every: 60 }] } }],
  ['more people must agree than are on call', { who: 'quorum: [{ group: finance, n: 2 }]' }],
  ['the call expires before the others had their turn', { terms: 'decide_by: 40m' }],
  [
    'a person is named beside the group',
    { who: 'approvers: [{ group: finance }, bo@example.com]' },
  ],
]

promise.each(['CS-ONCALL-2'], 'all are told at once', REASONS, async (_, given) => {
  const { channel, told } = channelNamed('board')
  const { deliverer } = await world({ ...given, channels: [channel] })
  expect(told).toContain('bo asked')
  await deliverer.stop()
})

promise(['CS-ONCALL-2'], 'all are told where no channel reaches the person on call', async () => {
  const { deliverer } = await world({ channels: [never.channel] })
  expect(never.told).toEqual(['bo asked'])
  await deliverer.stop()
})

promise(['CS-ONCALL-2'], 'the others are told when the person on call is not reached', async () => {
  const { channel, told, state } = channelNamed('board')
  state.isDown = true
  const { deliverer, after } = await world({ channels: [channel] })
  await after(1)
  expect(told).toEqual(['bo asked'])
  await deliverer.stop()
})

promise(['CS-ONCALL-1'], 'a person who another channel reaches is told there first', async () => {
  const [push, mail] = [channelNamed('push', ['bo']), channelNamed('mail')]
  const { deliverer, after } = await world({ channels: [push.channel, mail.channel] })
  expect([push.told, mail.told]).toEqual([[], ['ana asked']])
  await after(15 * MINUTE)
  expect([push.told, mail.told]).toEqual([['bo asked'], ['ana asked', 'bo asked']])
  await deliverer.stop()
})

promise(['CS-ONCALL-2'], 'all are told where the person on call hears after a digest', async () => {
  const [push, mail] = [channelNamed('push'), channelNamed('mail')]
  // By push in an hour, and by mail ten minutes after the first channel: nothing now.
  const wishes = { order: ['push', 'mail'], digests: [{ channel: 'push', every: 60 }] }
  const { deliverer } = await world({ wishes, channels: [push.channel, mail.channel] })
  expect([push.told, mail.told]).toEqual([['bo asked'], ['bo asked']])
  await deliverer.stop()
})

promise(['CS-ONCALL-1'], 'a reminder goes to the person on call first as well', async () => {
  const { channel, told } = channelNamed('board')
  const { gate, deliverer, after, approval } = await world({ channels: [channel] })
  await after(15 * MINUTE)
  await gate.approvals.remind(approval.id, { ...bo, groups: ['finance'] })
  await after(1)
  expect(told.filter((one) => one.endsWith('reminded'))).toEqual(['ana reminded'])
  await after(15 * MINUTE)
  const reminded = told.filter((one) => one.endsWith('reminded'))
  expect(reminded).toEqual(['ana reminded', 'bo reminded'])
  await deliverer.stop()
})
