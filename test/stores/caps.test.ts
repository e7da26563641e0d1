import path from 'node:path'
import { expect } from 'vitest'
import type { Command } from '../../src/approval/command.ts'
import { RISKS } from '../../src/base/call.ts'
import { isCountersignError } from '../../src/base/errors.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { Store } from '../../src/store/store.ts'
import { asking, deciding, finishing } from '../../src/testing/commands.ts'
import { granted, minting } from '../../src/testing/grants.ts'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'
import { newFolder, openPostgres, openSqlite } from './place.ts'

/** Two handles on one database: as two servers have it, or two processes. */
const TWO: Readonly<Record<string, () => Promise<readonly [Store, Store]>>> = {
  memory: async () => {
    const store = memoryStore()
    return [store, store]
  },
  sqlite: async () => {
    const file = path.join(newFolder(), 'approvals.db')
    return [await openSqlite(file), await openSqlite(file)]
  },
  postgres: async () => {
    const url = await freshDatabase()
    return [await openPostgres(url), await openPostgres(url)]
  },
}

/** How many of these questions were taken; everything else must have been too many. */
async function taken(asks: readonly Promise<unknown>[]): Promise<number> {
  const ends = await Promise.allSettled(asks)
  for (const end of ends) {
    if (end.status === 'rejected' && !isCountersignError(end.reason, 'too_many_pending')) {
      throw end.reason
    }
  }
  return ends.filter(({ status }) => status === 'fulfilled').length
}

function ask(store: Store, agent: string, caps: object): Promise<unknown> {
  const request = { ...asking({ call: { agent, run: 'run', key: crypto.randomUUID() } }), caps }
  return store.apply(request.id, request)
}

promise.each(
  ['CS-GATE-24'],
  'of many questions at once, from two servers, no more are taken than may be',
  Object.keys(TWO).map((name): [string] => [name]),
  async (name) => {
    const [one, other] = (await TWO[name]?.()) ?? []
    if (!one || !other) throw new Error('there is no such store')
    const asks = Array.from({ length: 12 }, (_, at) =>
      ask(at % 2 === 0 ? one : other, 'flooder', { pending: 5 }),
    )
    expect(await taken(asks)).toBe(5)
    expect(await taken([ask(other, 'quiet', { pending: 5 })])).toBe(1)
    // Room for one more, and again two that want it.
    const [first] = (await one.list({ agent: 'flooder', status: ['pending'] })).approvals
    if (!first) throw new Error('nothing waits')
    await one.apply(first.id, { ...deciding(first), verdict: 'deny' })
    const again = [one, other].map((store) => ask(store, 'flooder', { pending: 5 }))
    expect(await taken(again)).toBe(1)
    // By the minute, what was answered counts as well.
    expect(await taken([ask(one, 'flooder', { perMinute: 6 })])).toBe(0)
    expect(await taken([ask(one, 'flooder', { perMinute: 7 })])).toBe(1)
  },
)

promise.each(
  ['CS-GATE-24'],
  'the last minute counts every question of any risk, however it ended, and no call that a grant lets through',
  Object.keys(TWO).map((name): [string] => [name]),
  async (name) => {
    const [one, other] = (await TWO[name]?.()) ?? []
    if (!one || !other) throw new Error('there is no such store')
    const agent = 'biller'
    for (const [at, risk] of [...RISKS, undefined].entries()) {
      const call = { agent, run: 'run', key: `${at}`, ...(risk === undefined ? {} : { risk }) }
      const request = asking({ call })
      const { approval } = await (at % 2 === 0 ? one : other).apply(request.id, request)
      const ends: readonly Command[] = [
        { ...deciding(approval), verdict: 'deny' },
        { type: 'withdraw', commandId: crypto.randomUUID(), by: { agent } },
      ]
      const end = ends[at % 3]
      if (end) await one.apply(approval.id, end)
    }
    const mint = minting({ tenant: one.tenant })
    const grant = await one.grants.apply(mint.id, mint)
    for (let use = 0; use < 3; use += 1) {
      const request = granted(grant)
      const { approval } = await other.apply(request.id, request)
      await one.apply(approval.id, finishing(approval))
    }
    const asked = RISKS.length + 1
    expect(await taken([ask(other, agent, { perMinute: asked })])).toBe(0)
    expect(await taken([ask(other, agent, { perMinute: asked + 1 })])).toBe(1)
    const waiting = (await one.list({ agent, status: ['pending'] })).approvals.length
    expect(await taken([ask(one, agent, { pending: waiting })])).toBe(0)
    expect(await taken([ask(one, agent, { pending: waiting + 1 })])).toBe(1)
  },
)
