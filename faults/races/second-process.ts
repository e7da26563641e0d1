/** The other side of a race: a process of its own with a store of its own on the same database. */
import { setImmediate as turn } from 'node:timers/promises'
import { isCountersignError } from '../../src/base/errors.ts'
import { isGrantCommand } from '../../src/store/engine/ledgers.ts'
import { openPostgres } from '../../src/store/postgres/open-store.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import type { AnyCommand, Store } from '../../src/store/store.ts'
import type { Sent } from './interleavings.ts'

export interface Sending {
  readonly id: string
  readonly command: AnyCommand | Sent
  readonly delay: number
}

export function openSide(kind: 'sqlite' | 'postgres', database: string): Promise<Store> {
  return kind === 'sqlite' ? openSqlite(database) : openPostgres(database)
}

/** Sends all of them at once, each after its own delay. */
export function sendAll(store: Store, sendings: readonly Sending[]): Promise<string[]> {
  return Promise.all(
    sendings.map(async ({ id, command, delay }) => {
      for (let count = 0; count < delay; count += 1) await turn()
      try {
        if ('changes' in command) await store.amend(command)
        else if (isGrantCommand(command)) await store.grants.apply(id, command)
        else await store.apply(id, command)
        return 'ok'
      } catch (error) {
        return isCountersignError(error) ? error.code : String(error)
      }
    }),
  )
}

if (import.meta.main) {
  const [kind, database] = process.argv.slice(2)
  const store = await openSide(kind === 'sqlite' ? 'sqlite' : 'postgres', database ?? '')
  process.on('message', (sendings: Sending[]) => {
    void sendAll(store, sendings).then((answers) => process.send?.(answers))
  })
  process.on('disconnect', () => void store.close().then(() => process.exit(0)))
  process.send?.('ready')
}
