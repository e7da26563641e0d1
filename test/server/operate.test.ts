import { expect, test } from 'vitest'
import { memoryStore } from '../../src/store/memory/index.ts'
import { promise } from '../support/promise.ts'
import { running } from './harness.ts'

const PAY = { tool: 'pay', run: 'r', key: '1', args: { amount: 500, to: 'Lena-the-payee' } }

promise(
  ['CS-SERVE-3'],
  'an address that fails to sign in too often waits, others do not',
  async () => {
    const { send, server, person } = running({ publicUrl: new URL('https://inbox.example.com/') })
    const from = (address: string) => ({ 'x-forwarded-for': `10.9.9.9, ${address}` })
    const fail = (address: string) =>
      send('/v1/session', { body: { token: 'x'.repeat(43) }, headers: from(address) })
    for (let n = 0; n < 20; n += 1) expect((await fail('192.0.2.1')).status).toBe(401)
    const stopped = await fail('192.0.2.1')
    expect(stopped.status).toBe(429)
    expect(Number(stopped.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await fail('192.0.2.2')).status).toBe(401)
    // A good link cannot be guessed, so another user of that address does not keep its owner out.
    const token = await server.inviteOperator()
    const good = await send('/v1/session', { body: { token }, headers: from('192.0.2.1') })
    expect(good.status).toBe(200)
    expect((await fail('192.0.2.1')).status).toBe(429)
    await person('ana@example.com')
  },
)

promise(
  ['CS-SERVE-3'],
  'a token that asks without end is slowed down, others are not',
  async () => {
    const { send, agent } = running({ callsPerSecond: 1 })
    const [bot, other] = [await agent('bot'), await agent('other')]
    const ask = (as: Readonly<Record<string, string>>) =>
      send('/v1/calls', { as, body: { tool: 'read', args: {} } })
    for (let n = 0; n < 10; n += 1) expect((await ask(bot)).status).toBe(200)
    const stopped = await ask(bot)
    expect(stopped.at('error.code')).toBe('too_many_requests')
    expect(stopped.headers.get('retry-after')).not.toBe(null)
    expect((await ask(other)).status).toBe(200)
  },
)

promise(['CS-SERVE-4'], 'the record is read page by page, with filters', async () => {
  const { send, agent, person } = running()
  const [bot, ana] = [await agent('bot'), await person('ana@example.com')]
  const asked = await send('/v1/calls', { as: bot, body: PAY })
  const path = `/v1/approvals/${asked.at('id')}/decisions`
  await send(path, { as: ana, body: { verdict: 'approve', digest: asked.at('digest') } })
  interface Page {
    entries: { event: { type: string; approval?: string }; hash: string }[]
    next: string
    end: boolean
  }
  const read = async (query: string) => (await send(`/v1/audit?${query}`, { as: ana })).body as Page
  const all = await read('limit=500')
  const pages: Page['entries'] = []
  let page = await read('limit=1')
  for (; !page.end; page = await read(`limit=1&after=${page.next}`)) pages.push(...page.entries)
  expect(pages).toEqual(all.entries)
  expect(JSON.stringify(all)).not.toContain('Lena')
  const mine = await read(`approval=${asked.at('id')}`)
  expect(mine.entries.map(({ event }) => event.type)).toEqual(['requested', 'decided', 'approved'])
  expect((await read('person=ana%40example.com&type=approved')).entries).toHaveLength(1)
  expect((await read('agent=bot')).entries).toHaveLength(1)
  expect((await read('agent=nobody')).entries).toEqual([])
  expect((await read(`until=1`)).entries).toEqual([])
  for (const bad of ['limit=0', 'limit=x', 'limit=501', 'since=-1']) {
    expect((await send(`/v1/audit?${bad}`, { as: ana })).status).toBe(400)
  }
  expect((await send('/v1/audit?after=nonsense', { as: ana })).at('error.code')).toBe(
    'cursor_unknown',
  )
})

test('a server is ready while its database answers, and not while it stops', async () => {
  const store = memoryStore()
  let isBroken = false
  const list: typeof store.list = (...args) =>
    isBroken ? Promise.reject(new Error('gone')) : store.list(...args)
  const { send, server } = running({ store: { ...store, list } })
  expect((await send('/readyz')).status).toBe(200)
  isBroken = true
  expect((await send('/readyz')).at('error.code')).toBe('store_unavailable')
  expect((await send('/healthz')).status).toBe(200)
  isBroken = false
  server.drain()
  expect((await send('/readyz')).status).toBe(503)
})
