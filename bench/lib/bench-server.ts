import { combinePolicy } from '../../src/policy/load/combine.ts'
import { loadOwner } from '../../src/policy/load/load.ts'
import { createServer, type Server } from '../../src/server/server.ts'
import type { Store } from '../../src/store/store.ts'

/** The whole server on this store, with no bound on how much a token may ask. */
export function benchServer(store: Store, policy: string): Server {
  const loaded = loadOwner({ file: 'countersign.yaml', text: policy })
  if (!loaded.ok) throw new Error('the policy of the benchmark does not load')
  return createServer({
    store,
    running: {
      version: '0.0.0',
      loadedAt: new Date(),
      policy: combinePolicy({ owner: loaded.document }),
      documents: [loaded.document],
      warnings: [],
      files: () => [],
    },
    callsPerSecond: 999_999,
  })
}
