import type { ClientBase, Pool } from 'pg'
import { type CountersignError, isCountersignError } from '../../../base/errors.ts'
import { assertNotOutgrown } from './migrate.ts'

const LOOK_MS = 2_000

interface SchemaWatch {
  /** Throws `store_newer` when this release must not go on. */
  look(client: Pick<ClientBase, 'query'>): Promise<void>
  stop(): void
}

/**
 * A newer release may bring the schema up to date while this one runs. What this one writes from
 * then on could be wrong there, unless the step says that it is not.
 */
export function watchSchema(pool: Pool, refuse: (error: CountersignError) => void): SchemaWatch {
  async function look(client: Pick<ClientBase, 'query'>): Promise<void> {
    try {
      await assertNotOutgrown(client)
    } catch (error) {
      if (isCountersignError(error, 'store_newer')) refuse(error)
      throw error
    }
  }
  // A server that does not answer is looked at again.
  const timer = setInterval(() => look(pool).catch(() => {}), LOOK_MS).unref()
  return { look, stop: () => clearInterval(timer) }
}
