import { expect } from 'vitest'
import { createGate } from '../../src/gate/gate.ts'
import { startDeliverer } from '../../src/gate/notify/deliver.ts'
import { keepPreferences } from '../../src/gate/notify/preferences.ts'
import { undelivered } from '../../src/gate/notify/undelivered.ts'
import type { Addressee, People } from '../../src/gate/people.ts'
import type { Store } from '../../src/store/store.ts'
import { ana, bo } from '../gate/gates.ts'
import { policyOf } from '../support/policy.ts'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'
import { openPostgres } from './place.ts'

const policy = policyOf(`
  tools:
    pay: { approval: { approvers: ["*"], decide_by: 24h }, secrets: [pin] }
`)
const PAY = { tool: 'pay', args: { amount: 5, pin: '9f8e7d6c5b' }, key: 'k1' }

async function twoProcesses(): Promise<[Store, Store]> {
  const url = await freshDatabase()
  return [await openPostgres(url), await openPostgres(url)]
}

const gateOn = (store: Store) =>
  createGate({ policy, store, agent: 'biller', run: 'r1', announce: false })

promise(
  ['CS-TALK-1', 'CS-TALK-2', 'CS-TALK-4'],
  'on Postgres, what is asked in one process is replied to in another, masked',
  async () => {
    const [here, there] = await twoProcesses()
    const [agent, server] = [gateOn(here), gateOn(there)]
    const asked = await agent.check(PAY)
    if (asked.status !== 'pending') throw new Error('not asked')
    const { id, digest } = asked.approval
    await server.approvals.question(id, { by: ana, text: 'Is 9f8e7d6c5b right?' })
    const text = 'Is [secret] right?'
    expect(await agent.check(PAY)).toMatchObject({ status: 'pending', questions: [{ text }] })
    await agent.answer(id, 'Yes, 9f8e7d6c5b is.')
    // A reply to nothing, and two at once: one of them counts.
    await server.approvals.question(id, { by: bo, text: 'Since when?' })
    const replies = await Promise.allSettled([agent.answer(id, 'a'), server.answer(id, 'b')])
    expect(replies.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await server.approvals.comment(id, { by: bo, text: 'Fine by me.' })
    const said = (await here.content(id, ['remark'])).map(({ value }) => value)
    expect(said.toSpliced(3, 1)).toEqual([
      'Is [secret] right?',
      'Yes, [secret] is.',
      'Since when?',
      'Fine by me.',
    ])
    expect(JSON.stringify(await there.get(id))).not.toContain('9f8e7d6c5b')
    const types = (await there.events(id)).map(({ event }) => event.type)
    expect(types).toEqual([
      ...['requested', 'questioned', 'replied', 'questioned', 'replied', 'commented'],
    ])
    const decided = await server.approvals.decide(id, { by: ana, verdict: 'deny', seen: digest })
    expect(decided.status).toBe('denied')
    await expect(agent.answer(id, 'late')).rejects.toMatchObject({ code: 'denied' })
  },
)

promise(
  ['CS-DIGEST-1', 'CS-TOLD-1'],
  'on Postgres, what one process held for a digest is sent by another, once',
  async () => {
    const [here, there] = await twoProcesses()
    const people: People = {
      directory: () => ({ groups: {}, approvers: 'open' }),
      lookup: (one) => one,
      reachable: (to) => (to.length > 0 ? ([ana] as Addressee[]) : []),
    }
    await keepPreferences(here.records, ana, { digests: [{ channel: 'board', every: 5 }] })
    const said: string[][] = []
    const channel = {
      name: 'board',
      addresses: async (_: unknown, all: readonly Addressee[]) => all.map(({ subject }) => subject),
      send: async ({ id }: { readonly id: string }) => {
        said.push([id])
        return undefined
      },
      sendDigest: async (notices: readonly { readonly id: string }[]) => {
        said.push(notices.map(({ id }) => id))
      },
    }
    // The database's own clock cannot be moved, so each process reads a later one where it sends.
    const later = (store: Store): Store =>
      new Proxy(store, {
        get: (target, name) =>
          name === 'now'
            ? async () => (await target.now()) + 600_000
            : Reflect.get(target, name, target),
      })
    const start = (store: Store) =>
      startDeliverer({ store, channels: [channel], people, every: 1e9, heldEvery: 0 })
    const holding = start(here)
    await holding.opened()
    const gate = gateOn(here)
    for (const key of ['k1', 'k2']) await gate.check({ ...PAY, key })
    await holding.deliver()
    await holding.stop()
    expect(said).toEqual([])
    const senders = [start(later(here)), start(later(there))]
    await Promise.all(senders.map((one) => one.deliver()))
    await Promise.all(senders.map((one) => one.stop()))
    expect(said.flat()).toHaveLength(2)
    expect(new Set(said.flat()).size).toBe(2)
    expect((await undelivered(there)).stuck).toBe(0)
  },
)
