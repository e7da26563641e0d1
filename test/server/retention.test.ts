import path from 'node:path'
import { expect, vi } from 'vitest'
import { memoryStore } from '../../src/store/memory/index.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { folder } from '../cli/countersign.ts'
import { promise } from '../support/promise.ts'
import { POLICY, running } from './harness.ts'

const PAY = { tool: 'pay', run: 'r', key: '1', args: { amount: 500, to: 'Lena' } }

promise(
  ['CS-SERVE-9'],
  'what waits for an answer is shown whole, however short things are kept',
  async () => {
    const clock = fakeClock()
    const store = memoryStore({ clock: clock.now })
    const { send, agent, person } = running({ store, policy: `${POLICY}retain: 1m\n` })
    const [bot, ana] = [await agent('bot'), await person('ana@example.com')]
    const asked = await send('/v1/calls', { as: bot, body: PAY })
    clock.advance(3_600_000)
    await store.erase(clock.now() - 60_000)
    const card = await send(`/v1/approvals/${asked.at('id')}`, { as: ana })
    expect(card.at('arguments')).toContain('Lena')
    expect(card.body).toMatchObject({ can: expect.arrayContaining(['approve']) })
  },
)

promise(
  ['CS-SERVE-9'],
  'nobody says yes to a call of which nothing is kept, and a no still counts',
  async () => {
    const store = memoryStore()
    let isGone = false
    const own = running({
      store: { ...store, content: async (id) => (isGone ? [] : store.content(id)) },
    })
    const [bot, ana] = [await own.agent('bot'), await own.person('ana@example.com')]
    const asked = await own.send('/v1/calls', { as: bot, body: PAY })
    isGone = true
    const path = `/v1/approvals/${asked.at('id')}`
    const { can } = (await own.send(path, { as: ana })).body as { can: string[] }
    expect(can).toContain('deny')
    for (const action of ['approve', 'edit', 'grant']) expect(can).not.toContain(action)
    const say = (verdict: string) =>
      own.send(`${path}/decisions`, { as: ana, body: { verdict, digest: asked.at('digest') } })
    const refused = await say('approve')
    expect(refused.status).toBe(410)
    expect(refused.at('error.code')).toBe('content_gone')
    expect((await store.get(asked.at('id')))?.decisions).toEqual([])
    expect((await say('deny')).status).toBe(200)
  },
)

promise(
  ['CS-SERVE-9'],
  'another retain is in force as soon as its policy is applied',
  async () => {
    let text = POLICY
    const clock = fakeClock()
    const store = memoryStore({ clock: clock.now })
    const own = running({ store, onDisk: () => text })
    const [bot, ana, root] = [
      await own.agent('bot'),
      await own.person('ana@example.com'),
      await own.person('root@example.com', ['admin']),
    ]
    const asked = await own.send('/v1/calls', { as: bot, body: PAY })
    const no = { verdict: 'deny', digest: asked.at('digest') }
    await own.send(`/v1/approvals/${asked.at('id')}/decisions`, { as: ana, body: no })
    clock.advance(3_600_000)
    text = `${POLICY}retain: 1m\n`
    const name = (await own.send('/v1/policy/draft', { as: root })).at('name')
    expect((await own.send('/v1/policy/apply', { as: root, body: { name } })).status).toBe(200)
    // The sweeper looks every five seconds.
    await vi.waitFor(async () => expect(await store.content(asked.at('id'))).toEqual([]), {
      timeout: 20_000,
      interval: 250,
    })
  },
  30_000,
)

promise.each(
  ['CS-SERVE-9'],
  'what was approved or runs is kept until it is over, on',
  [['memory'], ['sqlite']],
  async (backend) => {
    const clock = fakeClock()
    const store =
      backend === 'memory'
        ? memoryStore({ clock: clock.now })
        : await openSqlite(path.join(folder(), 'approvals.db'), { clock: clock.now })
    const policy = `${POLICY}retain: 1m\n`
    const { send, agent, person } = running({ store, policy })
    const [bot, ana] = [await agent('bot'), await person('ana@example.com')]
    const asked = await send('/v1/calls', { as: bot, body: PAY })
    const at = `/v1/approvals/${asked.at('id')}`
    const digest = asked.at('digest')
    const longAfter = async () => {
      clock.advance(120_000)
      await store.erase(clock.now() - 60_000)
    }
    const kept = async () => (await send(at, { as: ana })).at('arguments').includes('Lena')
    await send(`${at}/decisions`, { as: ana, body: { verdict: 'approve', digest } })
    await longAfter()
    expect(await kept()).toBe(true)
    const claimed = await send(`${at}/claim`, { as: bot, body: { digest, lease: 300_000 } })
    await longAfter()
    expect(await kept()).toBe(true)
    const body = { claim: claimed.at('claim'), outcome: 'succeeded', result: { paid: 500 } }
    expect((await send(`${at}/result`, { as: bot, body })).status).toBe(200)
    expect(await kept()).toBe(true)
    await longAfter()
    expect(JSON.stringify(await store.content(asked.at('id')))).not.toContain('Lena')
  },
)
