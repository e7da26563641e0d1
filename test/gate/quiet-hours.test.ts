import { expect, vi } from 'vitest'
import { startSweeper } from '../../src/gate/background/sweep.ts'
import { type Channel, NotDelivered, type Notice } from '../../src/gate/notify/channel.ts'
import { startDeliverer } from '../../src/gate/notify/deliver.ts'
import { keepPreferences, type Preferences } from '../../src/gate/notify/preferences.ts'
import { laterFor } from '../../src/gate/notify/routing.ts'
import type { Addressee, People } from '../../src/gate/people.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { ana, BOTH, bo, openStore, type StoreName, setUp } from './gates.ts'

const HOUR = 3_600_000
/** In the night, for people in UTC. */
const NIGHT = Date.UTC(2030, 0, 1, 23)
const quiet = { zone: 'UTC', from: '22:00', to: '07:00' }

const people: People = {
  directory: () => ({ groups: { finance: { claim: 'finance' } }, approvers: 'open' }),
  lookup: (one) => one,
  reachable: (to) =>
    [ana, bo].filter(({ email }) =>
      to.some((one) => one === '*' || 'group' in one || one.email === email),
    ) as Addressee[],
}

function channelNamed(name: string, to: readonly Addressee[] = [ana, bo] as Addressee[]) {
  const told: string[] = []
  const state = { isDown: false, isLost: false, isGone: false, rooms: [] as string[] }
  const channel: Channel = {
    name,
    followsUp: true,
    async addresses(_, all) {
      if (state.isLost) throw new NotDelivered('no addresses')
      const reached = all.filter(({ subject }) => to.some((one) => one.subject === subject))
      return [...state.rooms, ...reached.map(({ subject }) => subject)]
    },
    async send(notice, _, delivery) {
      if (state.isDown) throw new NotDelivered('down')
      if (state.isGone) throw new NotDelivered('blocked', { gone: true })
      told.push(`${delivery?.address} ${notice.kind}`)
      return { ref: `${name} ${delivery?.address}` }
    },
  }
  return { channel, told, state }
}

async function world(
  name: StoreName,
  wishes: readonly (readonly [typeof ana, Preferences])[],
  channels: readonly Channel[],
  terms = 'decide_by: 12h',
  who = 'approvers: [ana@example.com, bo@example.com]',
) {
  const clock = fakeClock(NIGHT)
  const store = await openStore(name, clock)
  for (const [person, wish] of wishes) await keepPreferences(store.records, person, wish)
  const policy = policyOf(`
    people: { groups: { finance: { claim: finance } } }
    tools:
      pay: { approval: { ${who}, ${terms} } }
  `)
  const { gate } = await setUp(name, { policy, people, store, channels: [] })
  const deliverer = startDeliverer({ store, channels, people, every: 1e9, heldEvery: 0 })
  await deliverer.opened()
  const asked = await gate.check({ tool: 'pay', args: { n: 1 } }, { key: 'k' })
  if (asked.status !== 'pending') throw new Error('not asked')
  await deliverer.deliver()
  const after = async (ms: number) => {
    clock.advance(ms)
    await deliverer.deliver()
  }
  return { gate, store, approval: asked.approval, deliverer, after }
}

promise.each(
  ['CS-QUIET-1'],
  'a question waits for the end of quiet hours, of each person by themselves',
  BOTH,
  async (name) => {
    const { channel, told } = channelNamed('board')
    const { deliverer, after } = await world(name, [[ana, { quiet }]], [channel])
    expect(told).toEqual(['bo asked'])
    await after(7 * HOUR)
    expect(told).toEqual(['bo asked'])
    await after(HOUR)
    expect(told).toEqual(['bo asked', 'ana asked'])
    await after(HOUR)
    expect(told).toHaveLength(2)
    await deliverer.stop()
  },
)

promise.each(
  ['CS-QUIET-1'],
  'where all are quiet and the deadline comes before, all are told at once',
  [
    ['the deadline lies in them', 'decide_by: 4h'],
    ['little time would be left', 'decide_by: 8h20m'],
  ],
  async (_, terms) => {
    const { channel, told } = channelNamed('board')
    const wishes = [ana, bo].map((one) => [one, { quiet }] as const)
    const { deliverer } = await world('memory', wishes, [channel], terms)
    expect(told.sort()).toEqual(['ana asked', 'bo asked'])
    await deliverer.stop()
  },
)

promise(['CS-QUIET-1'], 'what was decided in the night is not asked in the morning', async () => {
  const { channel, told } = channelNamed('board')
  const wishes = [ana, bo].map((one) => [one, { quiet }] as const)
  const { gate, approval, deliverer, after } = await world('memory', wishes, [channel])
  expect(told).toEqual([])
  const { id, digest } = approval
  await gate.approvals.decide(id, { by: ana, verdict: 'deny', seen: digest })
  await after(9 * HOUR)
  expect(told.filter((one) => one.endsWith('asked'))).toEqual([])
  await deliverer.stop()
})

promise(['CS-QUIET-2'], 'the next channel follows while the call waits', async () => {
  const [push, mail] = [channelNamed('push', [ana] as Addressee[]), channelNamed('mail')]
  const wish = { order: ['push', 'mail'], nextAfter: 10 }
  const wishes = [ana, bo].map((one) => [one, wish] as const)
  const { deliverer, after } = await world('memory', wishes, [push.channel, mail.channel])
  expect(push.told).toEqual(['ana asked'])
  // Push does not reach Bo, so mail is his first.
  expect(mail.told).toEqual(['bo asked'])
  await after(9 * 60_000)
  expect(mail.told).toEqual(['bo asked'])
  await after(60_000)
  expect(mail.told).toEqual(['bo asked', 'ana asked'])
  await deliverer.stop()
})

promise(
  ['CS-QUIET-1', 'CS-QUIET-2'],
  'reminders and escalation keep quiet hours and the order of channels',
  async () => {
    const [push, mail] = [channelNamed('push'), channelNamed('mail')]
    const order = { order: ['push', 'mail'], nextAfter: 10 }
    const { store, deliverer, after } = await world(
      'memory',
      [
        [ana, order],
        [bo, { ...order, quiet }],
      ],
      [push.channel, mail.channel],
      'decide_by: 20h, remind_after: 2h, escalate: [{ after: 1h, to: bo@example.com }]',
      'approvers: [ana@example.com]',
    )
    const sweeper = startSweeper({ store, every: 1e9 })
    const sweep = async (ms: number) => {
      await after(ms)
      await sweeper.sweep()
      await deliverer.deliver()
    }
    await sweep(HOUR)
    // Bo is asked in the night, and hears of it in the morning: by push first.
    expect([...push.told, ...mail.told].filter((one) => one.startsWith('bo'))).toEqual([])
    await sweep(HOUR)
    expect(push.told.filter((one) => one.endsWith('reminded'))).toEqual(['ana reminded'])
    expect(mail.told.filter((one) => one.endsWith('reminded'))).toEqual([])
    await after(10 * 60_000)
    expect(mail.told.filter((one) => one.endsWith('reminded'))).toEqual(['ana reminded'])
    await after(6 * HOUR)
    expect(push.told.filter((one) => one.startsWith('bo'))).toContain('bo escalated')
    await sweeper.stop()
    await deliverer.stop()
  },
)

promise(['CS-QUIET-2'], 'a channel that fails makes room for the next', async () => {
  const [push, mail] = [channelNamed('push'), channelNamed('mail')]
  push.state.isDown = true
  const wishes = [ana, bo].map((one) => [one, { order: ['push', 'mail'], nextAfter: 60 }] as const)
  const { deliverer, after } = await world('memory', wishes, [push.channel, mail.channel])
  await vi.waitFor(async () => {
    await after(2_000)
    expect(mail.told.toSorted()).toEqual(['ana asked', 'bo asked'])
  })
  expect(push.told).toEqual([])
  await deliverer.stop()
})

const MINUTE = 60_000

promise(['CS-QUIET-1'], 'the turn of the next channel does not come in quiet hours', async () => {
  const [push, mail] = [channelNamed('push'), channelNamed('mail')]
  const night = { zone: 'UTC', from: '23:05', to: '07:00' }
  const wish = { order: ['push', 'mail'], nextAfter: 10, quiet: night }
  const wishes = [ana, bo].map((one) => [one, wish] as const)
  const { deliverer, after } = await world('memory', wishes, [push.channel, mail.channel])
  expect(push.told.toSorted()).toEqual(['ana asked', 'bo asked'])
  await after(10 * MINUTE)
  await after(HOUR)
  expect(mail.told).toEqual([])
  await after(7 * HOUR)
  expect(mail.told.toSorted()).toEqual(['ana asked', 'bo asked'])
  await deliverer.stop()
})

promise(
  ['CS-QUIET-1', 'CS-TOLD-4'],
  'a channel that is down for half an hour at the end of quiet hours tells afterwards',
  async () => {
    const { channel, told, state } = channelNamed('board')
    const { deliverer, after } = await world('memory', [[ana, { quiet }]], [channel])
    state.isDown = true
    await after(8 * HOUR)
    for (let minute = 0; minute < 30; minute++) await after(61_000)
    state.isDown = false
    await after(HOUR)
    expect(told).toEqual(['bo asked', 'ana asked'])
    await deliverer.stop()
  },
)

promise(
  ['CS-QUIET-1', 'CS-TOLD-1'],
  'one whose address is not found in the morning holds up no other notice',
  async () => {
    const { channel, told, state } = channelNamed('board')
    const { deliverer, after } = await world('memory', [[ana, { quiet }]], [channel])
    state.isLost = true
    await after(8 * HOUR)
    state.isLost = false
    await after(5_000)
    expect(told).toEqual(['bo asked', 'ana asked'])
    await deliverer.stop()
  },
)

promise.each(
  ['CS-QUIET-1', 'CS-TALK-8'],
  'the question and all that was said in the night are told in the morning, in order',
  BOTH,
  async (name) => {
    const { channel, told, state } = channelNamed('board')
    state.rooms.push('room')
    const { gate, approval, deliverer, after } = await world(name, [[ana, { quiet }]], [channel])
    const { id } = approval
    await gate.approvals.question(id, { by: bo, text: 'What for?' })
    await after(1_000)
    await gate.answer(id, 'The rent.')
    await after(1_000)
    await gate.approvals.comment(id, { by: bo, text: 'Fine by me.' })
    await after(1_000)
    expect(told.filter((one) => one.startsWith('ana'))).toEqual([])
    await after(8 * HOUR)
    await after(HOUR)
    expect(told.filter((one) => one.startsWith('ana'))).toEqual([
      'ana asked',
      'ana replied',
      'ana commented',
    ])
    // A room keeps no hours, and hears of everything once.
    const inRoom = told.filter((one) => one.startsWith('room')).toSorted()
    expect(inRoom).toEqual(['room asked', 'room commented', 'room questioned', 'room replied'])
    await deliverer.stop()
  },
)

promise(
  ['CS-QUIET-1'],
  'a call that is changed in quiet hours is told after them, once',
  async () => {
    const { channel, told } = channelNamed('board')
    const night = { zone: 'UTC', from: '23:05', to: '07:00' }
    const { gate, approval, deliverer, after } = await world(
      'memory',
      [[ana, { quiet: night }]],
      [channel],
      'edit: [n], decide_by: 12h',
      'quorum: [{ group: finance, n: 2 }]',
    )
    expect(told.toSorted()).toEqual(['ana asked', 'bo asked'])
    await after(HOUR)
    const edited = { by: bo, verdict: 'approve', seen: approval.digest, args: { n: 2 } } as const
    await gate.approvals.decide(approval.id, edited)
    await after(1_000)
    expect(told.filter((one) => one.startsWith('ana'))).toEqual(['ana asked'])
    await after(8 * HOUR)
    expect(told.filter((one) => one.startsWith('ana'))).toEqual(['ana asked', 'ana changed'])
    await deliverer.stop()
  },
)

promise(['CS-QUIET-2'], 'an address that is no more makes room for the next channel', async () => {
  const [push, mail] = [channelNamed('push'), channelNamed('mail')]
  push.state.isGone = true
  const wishes = [ana, bo].map((one) => [one, { order: ['push', 'mail'], nextAfter: 60 }] as const)
  const { deliverer, after } = await world('memory', wishes, [push.channel, mail.channel])
  await vi.waitFor(async () => {
    await after(2_000)
    expect(mail.told.toSorted()).toEqual(['ana asked', 'bo asked'])
  })
  await deliverer.stop()
})

promise(['CS-QUIET-1'], 'that no approver is left is told before the question expires', () => {
  const notice: Notice = {
    ...{ id: 'a1-2-unreachable', kind: 'unreachable', question: false, at: NIGHT, to: [] },
    approval: {
      ...{ id: 'a1', revision: 2, status: 'pending', level: 'review', kind: 'tool' },
      ...{ tool: 'pay', agent: 'biller', message: '', askedAt: NIGHT },
      decideBy: NIGHT + 4 * HOUR,
    },
  }
  const moment = { now: NIGHT, channel: 'board', earlier: 0 }
  expect(laterFor({ quiet }, notice, moment)).toBeUndefined()
  const long = { ...notice, approval: { ...notice.approval, decideBy: NIGHT + 12 * HOUR } }
  expect(laterFor({ quiet }, long, moment)).toEqual({ due: NIGHT + 8 * HOUR, why: 'quiet' })
})

promise(['CS-QUIET-2'], 'a room that tells of the call is no address of a person', async () => {
  const [push, mail] = [channelNamed('push', [ana] as Addressee[]), channelNamed('mail')]
  push.state.rooms.push('room')
  const wishes = [ana, bo].map((one) => [one, { order: ['push', 'mail'] }] as const)
  const { deliverer } = await world('memory', wishes, [push.channel, mail.channel])
  expect(push.told.toSorted()).toEqual(['ana asked', 'room asked'])
  expect(mail.told).toEqual(['bo asked'])
  await deliverer.stop()
})
