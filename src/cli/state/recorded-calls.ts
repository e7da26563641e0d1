import type { Shell } from '../shell.ts'
import { assertThere, databasePlace } from './database.ts'
import { type DatabaseOptions, openStore } from './open-store.ts'

const PAGE = 100

/** What was let through while observing, oldest first, as lines that `policy replay` reads. */
export async function* recordedCalls(
  options: DatabaseOptions,
  shell: Shell,
): AsyncGenerator<Uint8Array> {
  const place = databasePlace(options.db, shell)
  assertThere(place)
  const store = await openStore(place, options)
  try {
    for (let after: number | undefined = 0; after !== undefined; ) {
      const { observed, next } = await store.observations.list({ after, limit: PAGE })
      const text = observed.map(({ call }) => `${JSON.stringify(call)}\n`).join('')
      yield Buffer.from(text)
      after = next
    }
  } finally {
    await store.close()
  }
}
