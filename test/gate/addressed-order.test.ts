import { expect, vi } from 'vitest'
import { internals } from '../../src/gate/internals.ts'
import { type Channel, NotDelivered, type Notice } from '../../src/gate/notify/channel.ts'
import type { Addressee, People } from '../../src/gate/people.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { ana, approve, BOTH, bo, deny, person, setUp } from './gates.ts'

const people: People = {
  directory: () => ({ groups: { two: { claim: 'two' } }, approvers: 'open' }),
  lookup: (person) => person,
  reachable: (to) => (to.length === 0 ? [] : ([ana, bo] as Addressee[])),
  nameOf: ({ subject }) => (subject === 'ana' ? 'Ana Ruiz' : undefined),
}

/** What each address reads now: one line per message. */
function wall() {
  const lines = new Map<string, string>()
  const log: string[] = []
  const state = { failing: new Map<string, () => Promise<void>>() }
  const channel: Channel = {
    name: 'wall',
    addresses: async (_, found) => found.flatMap(({ email }) => email ?? []),
    async send(notice, _, delivery) {
      const address = delivery?.address ?? ''
      await state.failing.get(address)?.()
      log.push(`${address} ${notice.kind}`)
      if (!delivery?.previous && delivery?.settles) return undefined
      lines.set(address, lineOf(notice))
      return { ref: address }
    },
  }
  return { channel, lines, log, state }
}

function lineOf({ approval: { status, met, decidedBy = [] } }: Notice): string {
  const by = decidedBy.map(({ name, at }) => `${name}${at > 0 ? '' : '?'}`).join('+')
  return [status, met && `${met.have}/${met.need}`, by].filter(Boolean).join(' ')
}

const refuse = async () => {
  throw new NotDelivered('down', { retryAfter: 3_600_000 })
}

const POLICY = policyOf(`
  tools:
    pay: { approval: { approvers: [ana@example.com, bo@example.com], decide_by: 8h } }
`)

promise.each(
  ['CS-CHAN-6'],
  'an address that fails delays the end of the call at no other address',
  BOTH,
  async (name) => {
    const { channel, lines, log, state } = wall()
    state.failing.set('bo@example.com', refuse)
    const { gate, store, clock } = await setUp(name, {
      ...{ policy: POLICY, people, channels: [channel] },
    })
    const asked = await gate.check({ tool: 'pay', args: {} })
    if (asked.status !== 'pending') throw new Error('not asked')
    await vi.waitFor(() => expect(lines.get('ana@example.com')).toBe('pending'))
    await vi.waitFor(async () => {
      expect((await store.outbox.summary()).notices[0]?.problem).toBe('down')
    })
    await deny(gate, asked.approval, {}, ana)
    await gate[internals].idle()
    await vi.waitFor(() => expect(lines.get('ana@example.com')).toBe('denied Ana Ruiz'))
    // An hour later the address is back: it was never asked, so it has nothing to settle.
    state.failing.clear()
    for (let turn = 0; turn < 3; turn++) {
      clock.advance(3_700_000)
      await gate[internals].idle()
    }
    await vi.waitFor(async () => expect((await store.outbox.summary()).waiting).toBe(0))
    expect(lines.get('bo@example.com')).not.toBe('pending')
    expect(log.filter((line) => line.startsWith('ana'))).toEqual([
      'ana@example.com asked',
      'ana@example.com denied',
    ])
    await gate.close()
  },
)

promise(
  ['CS-CHAN-6'],
  'an address that hangs delays the end by seconds elsewhere, and is told in order itself',
  async () => {
    const { channel, lines, log, state } = wall()
    const hanging = Promise.withResolvers<void>()
    state.failing.set('bo@example.com', () => hanging.promise)
    const { gate, clock } = await setUp('memory', {
      ...{ policy: POLICY, people, channels: [channel] },
    })
    const asked = await gate.check({ tool: 'pay', args: {} })
    if (asked.status !== 'pending') throw new Error('not asked')
    await vi.waitFor(() => expect(lines.get('ana@example.com')).toBe('pending'))
    await deny(gate, asked.approval, {}, ana)
    clock.advance(5_001)
    await vi.waitFor(() => expect(lines.get('ana@example.com')).toBe('denied Ana Ruiz'), 4_000)
    // The question is still on its way there: nothing overtakes it.
    expect(log.filter((line) => line.startsWith('bo'))).toEqual([])
    hanging.resolve()
    await vi.waitFor(() => expect(lines.get('bo@example.com')).toBe('pending'))
    clock.advance(60_000)
    await vi.waitFor(() => expect(lines.get('bo@example.com')).toBe('denied Ana Ruiz'), 4_000)
    await gate.close()
  },
)

promise(
  ['CS-CHAN-1', 'CS-CHAN-6'],
  'a sender that slept while the end was told puts the question right that it sent too late',
  async () => {
    const { channel, lines, state } = wall()
    const asleep = Promise.withResolvers<void>()
    state.failing.set('bo@example.com', () => {
      state.failing.clear()
      return asleep.promise
    })
    const { gate, store, clock } = await setUp('memory', {
      ...{ policy: POLICY, people, channels: [channel] },
    })
    const asked = await gate.check({ tool: 'pay', args: {} })
    if (asked.status !== 'pending') throw new Error('not asked')
    await vi.waitFor(() => expect(lines.get('ana@example.com')).toBe('pending'))
    await deny(gate, asked.approval, {}, ana)
    clock.advance(61_000)
    // There is no message at this address, as far as is known.
    await vi.waitFor(async () => expect((await store.outbox.summary()).waiting).toBe(0), 4_000)
    expect(lines.get('bo@example.com')).toBeUndefined()
    asleep.resolve()
    await vi.waitFor(() => expect(lines.get('bo@example.com')).toBe('denied Ana Ruiz'), 4_000)
    await gate.close()
  },
)

promise.each(
  ['CS-CHAN-7'],
  'a vote below the quorum changes the messages, and the end names who decided',
  BOTH,
  async (name) => {
    const { channel, lines, log } = wall()
    const policy = policyOf(`
      people: { groups: { two: { claim: two } } }
      tools: { pay: { approval: { quorum: [{ group: two, n: 2 }] } } }
    `)
    const { gate } = await setUp(name, { policy, people, channels: [channel] })
    const asked = await gate.check({ tool: 'pay', args: {} })
    if (asked.status !== 'pending') throw new Error('not asked')
    await vi.waitFor(() => expect(lines.size).toBe(2))
    await approve(gate, asked.approval, { ...ana, groups: ['two'] })
    await gate[internals].idle()
    await vi.waitFor(() => expect([...lines.values()]).toEqual(['pending 1/2', 'pending 1/2']))
    await approve(gate, asked.approval, { ...bo, groups: ['two'] })
    await gate[internals].idle()
    const end = 'approved Ana Ruiz+bo@example.com'
    await vi.waitFor(() => expect([...lines.values()]).toEqual([end, end]))
    expect(log.filter((line) => line.startsWith('ana'))).toEqual([
      'ana@example.com asked',
      'ana@example.com voted',
      'ana@example.com approved',
    ])
    await gate.close()
  },
)

promise(
  ['CS-CHAN-7'],
  'the end does not name a person whose yes stopped counting before the others decided',
  async () => {
    const { channel, lines } = wall()
    const policy = policyOf(`
      people: { groups: { two: { claim: two } } }
      tools: { pay: { approval: { quorum: [{ group: two, n: 2 }] } } }
    `)
    const { gate } = await setUp('memory', { policy, people, channels: [channel] })
    const asked = await gate.check({ tool: 'pay', args: {} })
    if (asked.status !== 'pending') throw new Error('not asked')
    await vi.waitFor(() => expect(lines.size).toBe(2))
    await approve(gate, asked.approval, { ...ana, groups: ['two'] })
    const root = person('root', { roles: ['admin'] })
    await gate.admin.locks.set(root, { target: { person: { subject: 'ana' } }, reason: 'left' })
    const { status } = await approve(gate, asked.approval, { ...bo, groups: ['two'] })
    expect(status).toBe('pending')
    await approve(gate, asked.approval, person('dee', { groups: ['two'] }))
    await gate[internals].idle()
    const end = 'approved bo@example.com+dee@example.com'
    await vi.waitFor(() => expect(lines.get('bo@example.com')).toBe(end))
    await gate.close()
  },
)

promise(
  ['CS-CHAN-1', 'CS-TALK-8'],
  'a vote leaves the question to the person behind the agent as it is',
  async () => {
    const { channel, log } = wall()
    const uma = person('uma', { roles: ['viewer'] })
    const policy = policyOf(`
      people: { groups: { two: { claim: two } } }
      tools: { pay: { approval: { quorum: [{ group: two, n: 2 }] } } }
    `)
    const { gate } = await setUp('memory', {
      ...{ policy, channels: [channel], principal: { subject: 'uma', email: 'uma@example.com' } },
      people: {
        ...people,
        reachable: (to) =>
          [ana, bo, uma].filter(({ email }) =>
            to.some(
              (one) => one !== '*' && ('group' in one ? email !== uma.email : one.email === email),
            ),
          ) as Addressee[],
      },
    })
    const asked = await gate.check({ tool: 'pay', args: {} })
    if (asked.status !== 'pending') throw new Error('not asked')
    const { id } = asked.approval
    await gate.approvals.question(id, { by: { ...ana, groups: ['two'] }, text: 'What for?' })
    await vi.waitFor(() => expect(log).toContain('uma@example.com questioned'))
    await approve(gate, asked.approval, { ...ana, groups: ['two'] })
    await gate[internals].idle()
    await vi.waitFor(() => expect(log).toContain('bo@example.com voted'))
    await gate[internals].idle()
    expect(log.filter((line) => line.startsWith('uma'))).toEqual(['uma@example.com questioned'])
    await gate.close()
  },
)
