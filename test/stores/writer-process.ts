/**
 * Runs cycles on a store as fast as it can and says on standard output what was acknowledged, right
 * after it was. Never ends by itself: it is killed.
 */
import { writeSync } from 'node:fs'
import { openPostgres } from '../../src/store/postgres/open-store.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { asking, claiming, deciding, finishing } from '../../src/testing/commands.ts'

const [place = ''] = process.argv.slice(2)
const store = place.startsWith('postgres:') ? await openPostgres(place) : await openSqlite(place)

async function caller(): Promise<never> {
  for (;;) {
    const request = asking()
    let { approval } = await store.apply(request.id, request)
    acknowledge()
    for (const next of [deciding, claiming, finishing]) {
      approval = (await store.apply(approval.id, next(approval))).approval
      acknowledge()
    }

    function acknowledge(): void {
      writeSync(1, `${approval.id} ${approval.revision}\n`)
    }
  }
}

await Promise.all(Array.from({ length: 16 }, caller))
