import { expect, onTestFinished, vi } from 'vitest'
import type { Notice } from '../../src/gate/notify/channel.ts'
import type { Store } from '../../src/store/store.ts'
import { newFolder, openPostgres, openSqlite } from '../stores/place.ts'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'
import { POLICY, type Running, running, type Sender } from './harness.ts'

const STORES: readonly [string, () => Promise<Store>][] = [
  ['SQLite', () => openSqlite(`${newFolder()}/approvals.db`)],
  ['Postgres', async () => openPostgres(await freshDatabase())],
]

const wire = (key: string) => ({ tool: 'wire', run: 'r', key, args: { to: key } })

async function listening(open: () => Promise<Store>, policy = POLICY) {
  const heard: Notice[] = []
  const channel = { name: 'ears', send: async (notice: Notice) => void heard.push(notice) }
  const own = running({ store: await open(), channels: [channel], policy })
  const admin = await own.person('root@example.com', ['admin'])
  const fay = await own.person('fay@example.com')
  const finn = await own.person('finn@example.com')
  const bot = await own.agent('bot')
  const stranded = () => heard.filter(({ kind }) => kind === 'unreachable')
  const told = (count: number) =>
    vi.waitFor(() => expect(stranded()).toHaveLength(count), { timeout: 5_000, interval: 20 })
  return { ...own, heard, stranded, told, admin, fay, finn, bot }
}

async function removeFay({ send }: Running, as: Sender) {
  const { people } = (await send('/v1/people', { as })).body as {
    people: { id: string; email?: string }[]
  }
  const id = people.find(({ email }) => email === 'fay@example.com')?.id
  return send(`/v1/people/${id}`, { as, method: 'DELETE' })
}

const SAYS = 'finance needs 2, only finn@example.com is left'

promise.each(
  ['CS-UNREACH-1', 'CS-UNREACH-2'],
  'admins hear once that nobody is left, and again when it happens again',
  STORES,
  async (_, open) => {
    const own = await listening(open)
    const { send, told, stranded, admin, finn, bot } = own
    const asked = await send('/v1/calls', { as: bot, body: wire('a') })
    const path = `/v1/approvals/${asked.at('id')}`
    expect((await removeFay(own, admin)).body).toMatchObject({ unreachable: [{ says: SAYS }] })
    await told(1)
    expect(stranded()[0]).toMatchObject({
      question: false,
      to: [{ email: 'root@example.com' }],
      unreachable: { rule: expect.stringContaining('wire'), says: SAYS },
      approval: { id: asked.at('id'), status: 'pending' },
    })
    expect((await send(path, { as: finn })).body).toMatchObject({ unreachableWhy: SAYS })
    expect((await send('/v1/approvals', { as: finn })).body).toMatchObject({
      approvals: [{ unreachableWhy: SAYS }],
    })
    // Somebody signs in, somebody else gets a role: it is no news.
    await own.person('gus@example.com', ['viewer', 'approver'])
    await own.person('fay@example.com')
    await vi.waitFor(async () =>
      expect((await own.store.get(asked.at('id')))?.unreachable).toMatchObject({ over: true }),
    )
    expect(stranded()).toHaveLength(1)
    await removeFay(own, admin)
    await told(2)
    expect((await send(path, { as: finn })).at('status')).toBe('pending')
  },
)

promise.each(
  ['CS-UNREACH-1', 'CS-UNREACH-2'],
  'a lock on a person and an edit are told of as well',
  STORES,
  async (_, open) => {
    const policy = POLICY.replace(
      'governance:',
      `governance:
  - id: large
    match: { tool: pay }
    condition: { args_match: { amount: { gt: 1000 } } }
    approval: { approvers: [boss@example.com] }`,
    ).replace(
      'amount: { gt: 100 } } }\n      approvers: ["*"]',
      'amount: { gt: 100 } } }\n      approvers: [fay@example.com, finn@example.com]',
    )
    const own = await listening(open, policy)
    const { send, told, stranded, admin, fay, bot } = own
    const target = { person: { issuer: 'local', subject: 'fay@example.com' } }
    const locked = { target: { person: { issuer: 'local', subject: 'boss@example.com' } } }
    await own.person('boss@example.com', ['viewer'])
    await send('/v1/locks', { as: admin, body: { ...locked, reason: 'x' } })
    const pay = { tool: 'pay', run: 'r', key: 'p', args: { amount: 500, to: 'x' } }
    const asked = await send('/v1/calls', { as: bot, body: pay })
    const edit = { arguments: { amount: 5_000, to: 'x' } }
    const body = { verdict: 'approve', digest: asked.at('digest'), edit }
    const path = `/v1/approvals/${asked.at('id')}`
    expect((await send(`${path}/decisions`, { as: fay, body })).at('status')).toBe('pending')
    expect((await send(path, { as: fay })).body).toMatchObject({
      unreachableWhy: 'boss@example.com is asked, and no eligible approver is left',
    })
    await told(1)
    await send('/v1/calls', { as: bot, body: wire('b') })
    const lock = await send('/v1/locks', { as: admin, body: { target, reason: 'x' } })
    await told(2)
    expect(stranded()[1]).toMatchObject({ unreachable: { says: SAYS } })
    expect((await send('/v1/calls', { as: bot, body: wire('c') })).body).toMatchObject({
      code: 'no_eligible_approver',
    })
    await send(`/v1/locks/${lock.at('id')}`, { as: admin, method: 'DELETE' })
    expect((await send('/v1/calls', { as: bot, body: wire('c') })).at('status')).toBe('pending')
  },
)

promise.each(
  ['CS-UNREACH-2'],
  'of two servers on one database one tells, once',
  [STORES[1] as (typeof STORES)[number]],
  async () => {
    const url = await freshDatabase()
    const one = await listening(() => openPostgres(url))
    const two = running({ store: await openPostgres(url) })
    onTestFinished(() => two.server.close())
    for (const key of ['a', 'b', 'c']) await one.send('/v1/calls', { as: one.bot, body: wire(key) })
    await removeFay(one, one.admin)
    await one.told(3)
    await vi.waitFor(async () => {
      const { entries } = await one.store.eventsSince('start')
      expect(entries.filter(({ event }) => event.type === 'unreachable')).toHaveLength(3)
    })
    expect(new Set(one.stranded().map(({ id }) => id)).size).toBe(3)
  },
)
