import { expect } from 'vitest'
import type { AuditEntry } from '../../src/store/audit/audit-entry.ts'
import type { Store } from '../../src/store/store.ts'
import { approverNamed, asking, deciding } from '../../src/testing/commands.ts'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'
import { openPostgres, rawClient } from './place.ts'

const PAGE = 3

async function ask(store: Store) {
  const request = asking({ tenant: store.tenant })
  return (await store.apply(request.id, request)).approval
}

/** As `pg_restore` leaves it in a cluster that has begun fewer transactions. */
async function restoredElsewhere(url: string): Promise<void> {
  const client = await rawClient(url)
  await client.query(`
    alter table countersign.events disable trigger user;
    update countersign.events set xid = (xid::text::bigint + 1000000)::text::xid8;
    alter table countersign.events enable trigger user;
    update countersign.identity set place = 'another cluster'`)
}

async function readUp(store: Store): Promise<AuditEntry[]> {
  const all: AuditEntry[] = []
  for (let cursor = 'start'; ; ) {
    const page = await store.eventsSince(cursor, PAGE)
    if (page.entries.length === 0) return all
    all.push(...page.entries)
    cursor = page.cursor
  }
}

async function readDown(store: Store): Promise<AuditEntry[]> {
  const all: AuditEntry[] = []
  for (let cursor = 'end'; ; ) {
    const page = await store.eventsBefore(cursor, PAGE)
    if (page.entries.length === 0) return all
    all.push(...page.entries)
    cursor = page.cursor
  }
}

const hashes = (entries: readonly AuditEntry[]) => entries.map(({ hash }) => hash)

promise(
  ['CS-AUDIT-9'],
  'a record restored into another cluster is read whole, in order, from both ends',
  async () => {
    const url = await freshDatabase()
    const before = await openPostgres(url)
    const approval = await ask(before)
    for (let n = 0; n < 4; n += 1) await ask(before)
    const written = hashes(await readUp(before))
    await before.close()
    await restoredElsewhere(url)

    const store = await openPostgres(url)
    expect(store.quarantine?.reason).toBe('copied')
    expect(hashes(await readUp(store)).slice(0, written.length)).toEqual(written)
    const end = (await store.eventsBefore('end', 1)).cursor
    await store.apply(approval.id, deciding(approval, approverNamed('zebedee')))
    // A feed waits for transactions of the whole cluster, and other tests share it.
    const newer = async () =>
      (await store.eventsSince(end, 100)).entries.map(
        ({ event }) => 'approval' in event && event.approval,
      )
    await expect.poll(newer).toContain(approval.id)
    const up = hashes(await readUp(store))
    expect(up.slice(0, written.length)).toEqual(written)
    expect(hashes(await readDown(store))).toEqual(up.toReversed())
    // What was noted holds for the next start, where nothing looks foreign any more.
    await store.close()
    const again = await openPostgres(url)
    expect(hashes(await readUp(again)).slice(0, up.length)).toEqual(up)
  },
)

promise(
  ['CS-AUDIT-9'],
  'servers on a record restored into another cluster are told of nothing but what is new',
  async () => {
    const url = await freshDatabase()
    const before = await openPostgres(url)
    await before.amend({
      commandId: crypto.randomUUID(),
      event: { type: 'policy.drafted', by: { system: 'operator' } },
      changes: [],
    })
    await before.close()
    await restoredElsewhere(url)
    const store = await openPostgres(url)
    let told = 0
    const first = Promise.withResolvers<void>()
    store.onAmended(() => {
      told += 1
      first.resolve()
    })
    await first.promise
    await store.index?.()
    // One more look at the database.
    await new Promise((resolve) => setTimeout(resolve, 1_300))
    expect(told).toBe(1)
  },
)
