import path from 'node:path'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { aRequest } from './cycle.ts'

/** Acknowledges batches one after the other, for somebody outside to count the syncs. */
const store = await openSqlite(path.join(process.argv[2] ?? '.', 'batches.db'))
const batches = 200
for (let batch = 0; batch < batches; batch += 1) {
  await Promise.all(
    Array.from({ length: 8 }, () => {
      const request = aRequest()
      return store.apply(request.id, request)
    }),
  )
}
await store.close()
process.stdout.write(JSON.stringify({ batches }))
