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
