import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'

/** Tries again while the server is coming up. */
export async function query(url: string, statements: readonly string[]): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const client = new Client({ connectionString: url })
    client.on('error', () => {})
    try {
      await client.connect()
      for (const sql of statements) await client.query(sql)
      return
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      const isDown = code.startsWith('57P') || code.startsWith('E') || code === ''
      if (!isDown || attempt > 100) throw error
      await sleep(50)
    } finally {
      await client.end().catch(() => {})
    }
  }
}

/**
 * Waits until the server has noticed that a killed process is gone. Until then it may still carry
 * out what that process had sent: a lease that begins after the clock was set forward outlives it.
 */
export async function untilForgotten(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    for (let look = 0; look < 200; look += 1) {
      const { rows } = await client.query(
        `select 1 from pg_stat_activity
         where application_name = 'countersign' and datname = current_database()`,
      )
      if (rows.length === 0) return
      await sleep(25)
    }
  } finally {
    await client.end().catch(() => {})
  }
}
