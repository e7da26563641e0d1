import { describe, expect, test } from 'vitest'
import type { Amendment } from '../src/store/engine/amendment.ts'
import { postgresStore } from '../src/store/postgres/index.ts'
import { sqliteStore } from '../src/store/sqlite/index.ts'
import type { Store } from '../src/store/store.ts'
import { approverNamed, deciding, someDigest } from '../src/testing/commands.ts'
import { granted, minting } from '../src/testing/grants.ts'
import { asked } from '../src/testing/store-cases/expect.ts'
import {
  BACKENDS,
  breakInto,
  FAR,
  type Recorded,
  recorded,
  verifyDatabase,
} from './audit/record.ts'
import {
  BY_SQL,
  type Cells,
  changed,
  columnsOf,
  replace,
  TABLES,
  UNCOMPARED,
} from './audit/row-changes.ts'
import { promise } from './support/promise.ts'

async function amended(of: Recorded, work: (store: Store) => Promise<unknown>): Promise<void> {
  const store = await (of.backend === 'sqlite' ? sqliteStore(of.file) : postgresStore(of.db))
  await work(store)
  await store.close()
}

describe.each(BACKENDS)('rows in %s', (backend) => {
  promise.each(
    ['CS-AUDIT-7'],
    `B11-04: found in ${backend}`,
    BY_SQL,
    async (_, work, code, place) => {
      const of = await recorded(backend)
      expect(await verifyDatabase(of)).toMatchObject({ ok: true })
      await breakInto(of, work)
      const { problem } = await verifyDatabase(of)
      expect(problem).toMatchObject({ code, place: expect.stringContaining(place) })
    },
  )

  for (const [table, where] of TABLES) {
    promise(
      ['CS-AUDIT-7'],
      `every column of ${table} where ${where} counts: ${backend}`,
      async () => {
        const of = await recorded(backend)
        const unnoticed: string[] = []
        for (const column of await columnsOf(of, table)) {
          let row: Cells = {}
          let other: Cells = {}
          await breakInto(of, async (intruder) => {
            const [found] = await intruder.rows(`select * from ${table} where ${where}`)
            row = found as Cells
            other = { ...row, ...changed(column, row) }
            await replace(intruder, table, row, other)
          })
          const { ok } = await verifyDatabase(of)
          if (ok) unnoticed.push(`${table}.${column}`)
          await breakInto(of, (intruder) => replace(intruder, table, other, row))
        }
        expect(await verifyDatabase(of)).toMatchObject({ ok: true })
        expect(unnoticed.filter((one) => UNCOMPARED[one] === undefined)).toEqual([])
      },
    )
  }

  promise(
    ['CS-AUDIT-7'],
    `a record changed by SQL is found after it was changed rightly: ${backend}`,
    async () => {
      const of = await recorded(backend)
      await breakInto(of, ({ run }) =>
        run(`update records set value = '{"on":true}' where kind = 'switch'`),
      )
      await amended(of, (store) =>
        store.amend({
          commandId: crypto.randomUUID(),
          event: { type: 'switch.set', by: { system: 'operator' } },
          changes: [{ kind: 'switch', id: 'bank/pay', value: { on: false } }],
        }),
      )
      expect((await verifyDatabase(of)).problem).toMatchObject({
        code: 'row_changed',
        place: 'switch bank/pay',
        message: expect.stringMatching(/changed before entry \d+ of writer/),
      })
    },
  )

  test('a record that ended and was cleared away, and one of its name again, verify', async () => {
    const of = await recorded(backend)
    const token = (expiresAt: number): Amendment => ({
      commandId: crypto.randomUUID(),
      event: { type: 'token.created', by: { system: 'operator' } },
      changes: [{ kind: 'token', id: 'ef56', value: {}, expiresAt }],
    })
    await amended(of, async (store) => {
      await store.amend(token(5))
      // Whatever is written next clears away what is over.
      await store.records.put('anything', 'else', {})
      expect((await store.records.list('token')).records).toHaveLength(1)
    })
    expect(await verifyDatabase(of)).toMatchObject({ ok: true })
    await amended(of, (store) => store.amend(token(FAR)))
    expect(await verifyDatabase(of)).toMatchObject({ ok: true })
  })

  test('votes given again after an edit was taken back, and a grant with fractions, verify', async () => {
    const of = await recorded(backend)
    await amended(of, async (store) => {
      const approval = await asked(store, { yeses: 2 })
      const { requirements, terms } = approval
      const answer = { verdict: 'review', requirements, terms, policy: 'policy-1' } as const
      const asks = { arguments: '{}', message: 'Pay?', missing: [], changed: [['amount']], answer }
      const edit = (digest: string) => ({ edit: { ...asks, digest } })
      const [first, other] = [approval.digest, someDigest()]
      const [ana, bo] = [approverNamed('ana'), approverNamed('bo')]
      const at = (digest: string) => ({ digest })
      await store.apply(approval.id, deciding(at(first), ana))
      await store.apply(approval.id, { ...deciding(at(first), bo), ...edit(other) })
      await store.apply(approval.id, { ...deciding(at(other), ana), ...edit(first) })
      const grant = minting({ uses: 9, most: 100, scope: { server: 'bank' } })
      await store.grants.apply(grant.id, grant)
      for (const amount of [0.1, 0.2, 1 / 3, 12.345678901234567]) {
        const live = await store.grants.get(grant.id)
        const covered = granted(live as never, { amount, call: { server: 'bank' } })
        await store.apply(covered.id, covered)
      }
    })
    expect(await verifyDatabase(of)).toMatchObject({ ok: true })
  })

  test('a column is left out of comparing for a reason that holds for a column there is', async () => {
    const of = await recorded(backend)
    for (const name of Object.keys(UNCOMPARED)) {
      const [table = '', column] = name.split('.')
      expect(await columnsOf(of, table)).toContain(column)
    }
  })
})
