import { inject } from 'vitest'

/** The connection URL of a new, empty database in the run's own real Postgres. */
export async function freshDatabase(): Promise<string> {
  const response = await fetch(inject('databaseMaker'), { method: 'POST' })
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return text
}
