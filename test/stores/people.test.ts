import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { OPERATOR } from '../../src/approval/transition.ts'
import { createMembership } from '../../src/server/identity/membership.ts'
import { accountKey } from '../../src/server/identity/people.ts'
import type { Store } from '../../src/store/store.ts'
import { approverNamed, claiming } from '../../src/testing/commands.ts'
import { approved, current, tally } from '../../src/testing/store-cases/expect.ts'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'
import { newFolder, openPostgres, openSqlite } from './place.ts'

async function twoOnSqlite(): Promise<[Store, Store]> {
  const file = `${newFolder()}/approvals.db`
  return [await openSqlite(file), await openSqlite(file)]
}

async function twoOnPostgres(): Promise<[Store, Store]> {
  const url = await freshDatabase()
  return [await openPostgres(url), await openPostgres(url)]
}

const { issuer, subject, roles } = approverNamed('ana')
const ana = { issuer, subject, roles }

promise.each(
  ['CS-PEOPLE-2'],
  'a claim of another process comes before a removal, or not at all',
  [
    ['SQLite', twoOnSqlite],
    ['Postgres', twoOnPostgres],
  ],
  async (_, places) => {
    const [one, two] = await places()
    const membership = createMembership(one)
    let came = 0
    for (let round = 0; round < 8; round += 1) {
      await membership.set(OPERATOR, ana)
      const [racing, later] = [await approved(one), await approved(one)]
      // The gate of the other process still believes in everybody: what it knows is older.
      const claim = () => two.apply(racing.id, claiming(racing))
      const early = round % 2 === 0 ? claim() : undefined
      // From at once to later than any claim takes, so that both come first in some rounds.
      if (early) await Promise.race([early.catch(() => {}), sleep(round * round)])
      const removing = membership.remove(OPERATOR, accountKey(ana))
      const { accepted, refused } = await tally([early ?? claim()])
      await removing
      came += accepted
      expect(refused).toEqual(accepted === 1 ? [] : ['invalidated'])
      expect((await current(one, racing)).execution !== undefined).toBe(accepted === 1)
      const after = await tally([two.apply(later.id, claiming(later))])
      expect(after).toEqual({ accepted: 0, refused: ['invalidated'] })
    }
    expect(came).toBeGreaterThan(0)
  },
)
