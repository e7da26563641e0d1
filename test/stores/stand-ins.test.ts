import { setTimeout as sleep } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import type { Absent, Person } from '../../src/approval/people/person.ts'
import type { StandIn } from '../../src/approval/people/stand-in.ts'
import type { Json } from '../../src/base/json/json.ts'
import { STAND_IN_RECORD } from '../../src/store/records/stand-in-record.ts'
import type { Store } from '../../src/store/store.ts'
import { approverNamed, deciding } from '../../src/testing/commands.ts'
import { asked, current, tally } from '../../src/testing/store-cases/expect.ts'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'
import { newFolder, openPostgres, openSqlite, rawClient, WAITS_FOR_LOCK } from './place.ts'

async function twoOnSqlite(): Promise<[Store, Store]> {
  const file = `${newFolder()}/approvals.db`
  return [await openSqlite(file), await openSqlite(file)]
}

async function twoOnPostgres(): Promise<[Store, Store]> {
  const url = await freshDatabase()
  return [await openPostgres(url), await openPostgres(url)]
}

const ana = approverNamed('ana')
const login = ({ issuer, subject }: Person) => ({ issuer, subject })
const eve: Person = { ...approverNamed('eve'), groups: [], roles: ['viewer'] }

/** Eve, as a process that believes in the stand-in sends her. */
function eveFor(standIn: string): Person {
  const absent: Absent = { ...login(ana), groups: ana.groups, standIn }
  return { ...eve, for: [absent] }
}

async function setStandIn(store: Store, id: string): Promise<void> {
  const now = await store.now()
  const until = now + 3_600_000
  const value: StandIn = {
    id,
    absent: login(ana),
    standIn: login(eve),
    from: now,
    until,
    by: login(ana),
    at: now,
  }
  await change(store, 'standin.set', { id, value: value as unknown as Json, expiresAt: until })
}

function change(
  store: Store,
  type: 'standin.set' | 'standin.ended',
  record: { id: string; value?: Json; expiresAt?: number },
): Promise<boolean> {
  return store.amend({
    commandId: crypto.randomUUID(),
    event: { type, by: { person: login(ana) }, assurance: 'signed-in', facts: { id: record.id } },
    changes: [{ kind: STAND_IN_RECORD, ...record }],
  })
}

/** Two of staff must say yes; Bo did, and nobody but Ana, or who stands in for her, is left. */
async function halfApproved(store: Store) {
  const approval = await asked(store, { yeses: 2 })
  await store.apply(approval.id, deciding(approval, approverNamed('bo')))
  return approval
}

promise.each(
  ['CS-STANDIN-4'],
  'an answer by another process comes before the end of the stand-in, or is refused',
  [
    ['SQLite', twoOnSqlite],
    ['Postgres', twoOnPostgres],
  ],
  async (_, places) => {
    const [one, two] = await places()
    let came = 0
    for (let round = 0; round < 8; round += 1) {
      const id = `away-${round}`
      await setStandIn(one, id)
      const [racing, later] = [await halfApproved(one), await halfApproved(one)]
      // The other process looked her up before the end: what it knows is older.
      const answer = () => two.apply(racing.id, deciding(racing, eveFor(id)))
      const early = round % 2 === 0 ? answer() : undefined
      // From at once to later than any answer takes, so that both come first in some rounds.
      if (early) await Promise.race([early.catch(() => {}), sleep(round * round)])
      const ending = change(one, 'standin.ended', { id })
      const { accepted, refused } = await tally([early ?? answer()])
      await ending
      came += accepted
      expect(refused).toEqual(accepted === 1 ? [] : ['not_an_approver'])
      expect((await current(one, racing)).status).toBe(accepted === 1 ? 'approved' : 'pending')
      const after = await tally([two.apply(later.id, deciding(later, eveFor(id)))])
      expect(after).toEqual({ accepted: 0, refused: ['not_an_approver'] })
      expect((await current(two, later)).status).toBe('pending')
    }
    expect(came).toBeGreaterThan(0)
  },
)

promise(
  ['CS-STANDIN-4'],
  'an answer waits for an end that is being written, and is refused by it',
  async () => {
    const url = await freshDatabase()
    const store = await openPostgres(url)
    await setStandIn(store, 'away')
    const approval = await halfApproved(store)
    const [ender, onlooker] = [await rawClient(url), await rawClient(url)]
    await ender.query('begin')
    await ender.query('select pg_advisory_xact_lock(hashtextextended($1, 4748))', [store.tenant])
    const answer = store.apply(approval.id, deciding(approval, eveFor('away')))
    answer.catch(() => {})
    await vi.waitFor(
      async () => expect((await onlooker.query(WAITS_FOR_LOCK)).rowCount).toBe(1),
      5_000,
    )
    await ender.query('delete from countersign.records where tenant = $1 and kind = $2', [
      store.tenant,
      STAND_IN_RECORD,
    ])
    await ender.query('commit')
    await expect(answer).rejects.toMatchObject({ code: 'not_an_approver' })
    expect((await current(store, approval)).status).toBe('pending')
  },
)
