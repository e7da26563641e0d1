/**
 * Runs cycles on a store as fast as it can and says on standard output what was acknowledged, right
 * after it was. Never ends by itself: it is killed.
 */
import { writeSync } from 'node:fs'
import { postgresStore } from '../../src/store/postgres/index.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { asking, claiming, deciding, finishing } from '../../src/testing/commands.ts'

const [place = ''] = process.argv.slice(2)
const store = place.startsWith('postgres:') ? await postgresStore(place) : await sqliteStore(place)

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
