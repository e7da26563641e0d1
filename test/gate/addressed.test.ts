import { expect, vi } from 'vitest'
import { internals } from '../../src/gate/internals.ts'
import {
  type Channel,
  type Delivery,
  NotDelivered,
  type Notice,
  SHARES,
} from '../../src/gate/notify/channel.ts'
import { startDeliverer } from '../../src/gate/notify/deliver.ts'
import { messagesOf } from '../../src/gate/notify/messages.ts'
import type { Addressee, People } from '../../src/gate/people.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { ana, approve, BOTH, bo, deny, setUp } from './gates.ts'

interface Shown {
  readonly address: string
  text: string
}

/** A board with one card per message: what people would see there now. */
function board(name = 'board') {
  const cards = new Map<string, Shown>()
  const log: string[] = []
  const state = {
    failing: new Map<string, Error>(),
    onSend: (_: Notice, __: Delivery) => {},
    next: 1,
  }
  const channel: Channel = {
    name,
    addresses: async (_, people) => people.flatMap(({ email }) => email ?? []),
    async send(notice, _, delivery) {
      if (!delivery) throw new Error('no address')
      const { address, previous, repeated } = delivery
      const failing = state.failing.get(address)
      if (failing) throw failing
      // As a channel does that can look: a card that is there already is not made again.
      const found = repeated ? [...cards].find(([, card]) => card.address === address) : undefined
      const ref = previous?.ref ?? found?.[0] ?? `m${state.next++}`
      log.push(`${previous ? 'update' : found ? 'found' : 'post'} ${address} ${notice.kind}`)
      cards.set(ref, { address, text: `${notice.approval.tool}: ${notice.approval.status}` })
      state.onSend(notice, delivery)
      return { ref }
    },
  }
  return { channel, cards, log, state }
}

const people: People = {
  directory: () => ({ groups: {}, approvers: 'open' }),
  lookup: (person) => person,
  reachable: (to) =>
    [ana, bo].filter(({ email }) =>
      to.some((one) => one === '*' || ('email' in one && one.email === email)),
    ) as Addressee[],
}

const POLICY = policyOf(`
  tools:
    pay: { secrets: [pin], approval: { approvers: [ana@example.com, bo@example.com], decide_by: 2h, remind_after: 1h } }
    any: { approval: { approvers: ["*"], decide_by: 2h } }
`)
const pay = { tool: 'pay', args: { amount: 5, pin: '0000-canary' } }

promise.each(
  ['CS-CHAN-1'],
  'each person has one message, which says what became of the call',
  BOTH,
  async (name) => {
    const { channel, cards, log } = board()
    const { gate, store } = await setUp(name, { policy: POLICY, people, channels: [channel] })
    const asked = await gate.check(pay, { key: 'a' })
    if (asked.status !== 'pending') throw new Error('not asked')
    await vi.waitFor(() => expect(cards.size).toBe(2))
    await deny(gate, asked.approval, {}, ana)
    await gate[internals].idle()
    expect([...cards.values()].map(({ text }) => text)).toEqual(['pay: denied', 'pay: denied'])
    expect(log.toSorted()).toEqual([
      'post ana@example.com asked',
      'post bo@example.com asked',
      'update ana@example.com denied',
      'update bo@example.com denied',
    ])
    const kept = await messagesOf(store.records, 'board', asked.approval.id)
    expect(kept.map(({ state }) => state)).toEqual(['sent', 'sent'])
    await gate.close()
  },
)

promise.each(
  ['CS-CHAN-1'],
  'one person who cannot be told keeps no other from being told, and nobody is told twice',
  BOTH,
  async (name) => {
    const { channel, log, state } = board()
    state.failing.set('bo@example.com', new NotDelivered('busy', { retryAfter: 60_000 }))
    const { gate, store, clock } = await setUp(name, {
      policy: POLICY,
      people,
      channels: [channel],
    })
    await gate.check(pay)
    await vi.waitFor(async () => {
      const [notice] = (await store.outbox.summary()).notices
      expect(notice).toMatchObject({ state: 'waiting', problem: 'busy' })
    })
    expect(log).toEqual(['post ana@example.com asked'])
    state.failing.clear()
    clock.advance(30_000)
    await gate[internals].idle()
    expect(log.length).toBe(1)
    clock.advance(31_000)
    await gate[internals].idle()
    expect(log).toEqual(['post ana@example.com asked', 'post bo@example.com asked'])
    await gate.close()
  },
)

promise.each(
  ['CS-CHAN-1'],
  'an address that is gone is given up for this approval, and the channel goes on',
  BOTH,
  async (name) => {
    const { channel, log, state } = board()
    state.failing.set('bo@example.com', new NotDelivered('no such account', { gone: true }))
    const { gate, store } = await setUp(name, { policy: POLICY, people, channels: [channel] })
    await gate.check(pay)
    await gate[internals].idle()
    await vi.waitFor(async () => expect((await store.outbox.summary()).waiting).toBe(0))
    expect(log).toEqual(['post ana@example.com asked'])
    expect((await store.outbox.summary()).stuck).toBe(0)
    await gate.close()
  },
)

promise.each(
  ['CS-CHAN-1'],
  'a process that dies after sending is followed by one that finds the message',
  BOTH,
  async (name) => {
    const { channel, cards, log, state } = board()
    const { gate, store, clock } = await setUp(name, { policy: POLICY, people })
    await store.outbox.open('board')
    const asked = await gate.check(pay)
    if (asked.status !== 'pending') throw new Error('not asked')
    // The message is there, and what would have been written of it is not.
    state.onSend = () => {
      throw new Error('died')
    }
    const dying = startDeliverer({ store, channels: [channel], people, every: 1_000_000 })
    await dying.deliver()
    await dying.stop()
    expect(cards.size).toBe(2)
    state.onSend = () => {}
    clock.advance(61_000)
    await approve(gate, asked.approval, ana)
    const next = startDeliverer({ store, channels: [channel], people, every: 1_000_000 })
    await next.deliver()
    await next.stop()
    expect(cards.size).toBe(2)
    expect([...cards.values()].map(({ text }) => text)).toEqual(['pay: approved', 'pay: approved'])
    expect(log.filter((line) => line.startsWith('post'))).toHaveLength(2)
  },
)

promise(
  ['CS-CHAN-1'],
  'all approvers are told of a review, but not the person it is for',
  async () => {
    const { channel, log } = board()
    const { gate } = await setUp('memory', {
      policy: POLICY,
      people,
      channels: [channel],
      principal: { subject: 'bo', email: 'bo@example.com' },
    })
    await gate.check({ tool: 'any', args: {} })
    await gate[internals].idle()
    await vi.waitFor(() => expect(log).toEqual(['post ana@example.com asked']))
    await gate.close()
  },
)

promise(['CS-CHAN-1'], 'a person who is locked is not told', async () => {
  const { channel, log } = board()
  const { gate } = await setUp('memory', { policy: POLICY, people, channels: [channel] })
  const admin = { ...bo, subject: 'root', email: 'root@example.com', roles: ['admin'] as const }
  await gate.admin.locks.set(admin, { target: { person: { subject: 'ana' } }, reason: 'left' })
  await gate.check({ tool: 'any', args: {} })
  await gate[internals].idle()
  await vi.waitFor(() => expect(log).toEqual(['post bo@example.com asked']))
  await gate.close()
})

promise(
  ['CS-CHAN-2'],
  'who is no longer asked is not told what the call was changed to',
  async () => {
    const heard: [address: string | undefined, message: string][] = []
    const channel: Channel = {
      ...{ name: 'ears', share: 'message' },
      addresses: async (_, told) => told.flatMap(({ email }) => email ?? []),
      async send({ approval }, _, delivery) {
        heard.push([delivery?.address, approval.message])
        return { ref: 'm' }
      },
    }
    const policy = policyOf(`
      people: { groups: { two: [ana@example.com, bo@example.com] } }
      tools: { pay: { approval: { message_template: "Pay {{tool_args.amount}}?", quorum: [{ group: two, n: 2 }], edit: true } } }
    `)
    const { gate } = await setUp('memory', {
      ...{ policy, channels: [channel] },
      people: {
        ...people,
        directory: () => ({ groups: { two: { claim: 'two' } }, approvers: 'open' }),
        reachable: () => [ana, bo] as Addressee[],
      },
    })
    const asked = await gate.check({ tool: 'pay', args: { amount: 5 } })
    if (asked.status !== 'pending') throw new Error('not asked')
    await vi.waitFor(() => expect(heard.length).toBe(2))
    const admin = { ...bo, subject: 'root', email: 'root@example.com', roles: ['admin'] as const }
    await gate.admin.locks.set(admin, { target: { person: { subject: 'bo' } }, reason: 'left' })
    const { id, digest } = asked.approval
    const by = { ...ana, groups: ['two'] }
    await gate.approvals.decide(id, { by, verdict: 'approve', seen: digest, args: { amount: 77 } })
    await gate[internals].idle()
    await vi.waitFor(() => expect(heard.length).toBe(4))
    expect(heard.slice(2).toSorted()).toEqual([
      ['ana@example.com', 'Pay «77»?'],
      ['bo@example.com', 'May biller run pay?'],
    ])
    await gate.close()
  },
)

const WORDED = policyOf(`
  tools:
    pay:
      secrets: [pin]
      approval: { message_template: "Pay {{tool_args.amount}} with {{tool_args.pin}}?" }
    plain: { secrets: [pin], approval: true }
`)

promise.each(
  ['CS-CHAN-2'],
  'what is shared',
  SHARES.map((share): [typeof share] => [share]),
  async (share) => {
    const heard: Notice[] = []
    const channel: Channel = { name: 'ears', share, send: async (one) => void heard.push(one) }
    const silent: Channel = { name: 'silent', send: async (one) => void heard.push(one) }
    const { gate } = await setUp('memory', { policy: WORDED, channels: [channel, silent] })
    const args = { amount: 77_123, pin: '0000-canary' }
    await gate.check({ tool: 'pay', args })
    await gate.check({ tool: 'plain', args })
    await gate[internals].idle()
    await vi.waitFor(() => expect(heard.length).toBe(4))
    const messages = heard.map(({ approval }) => approval.message).toSorted()
    const own = 'May biller run pay?'
    expect(messages).toEqual(
      [
        'May biller run pay?',
        'May biller run plain?',
        'May biller run plain?',
        share === 'name' ? own : expect.stringMatching(/^Pay «77123» with «\[/),
      ].toSorted((a, b) => (String(a) < String(b) ? -1 : 1)),
    )
    expect(JSON.stringify(heard)).not.toContain('canary')
    expect(JSON.stringify(heard).includes('77123')).toBe(share !== 'name')
    await gate.close()
  },
)
