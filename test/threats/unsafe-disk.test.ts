import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { newFolder, openSqlite } from '../stores/place.ts'

/** What the machine says of itself. No test has such a library or such a disk. */
const machine = vi.hoisted(() => ({ version: '', disk: 0, ignores: '', instead: '' }))

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  const statfsSync = (at: string) => {
    const found = fs.statfsSync(at)
    return machine.disk === 0 ? found : { ...found, type: machine.disk }
  }
  return { ...fs, default: { ...fs, statfsSync }, statfsSync }
})

vi.mock('node:sqlite', async (original) => {
  const sqlite = await original<typeof import('node:sqlite')>()
  class DatabaseSync extends sqlite.DatabaseSync {
    override exec(sql: string): void {
      const { ignores, instead } = machine
      super.exec(ignores === '' ? sql : sql.replace(ignores, instead))
    }
    override prepare(sql: string) {
      const { version } = machine
      if (version === '' || !sql.includes('sqlite_version()')) return super.prepare(sql)
      return super.prepare(`select '${version}' as version`)
    }
  }
  return { ...sqlite, DatabaseSync }
})

async function opened(given: Partial<typeof machine>): Promise<unknown> {
  Object.assign(machine, { version: '', disk: 0, ignores: '', instead: '' }, given)
  return openSqlite(path.join(newFolder(), 'approvals.db'))
}

test.each([
  ['an old SQLite', { version: '3.51.2' }, '3.51.2 can lose commits'],
  ['a very old SQLite', { version: '3.9.9' }, '3.9.9 can lose commits'],
  ['NFS', { disk: 0x6969 }, 'on NFS'],
  ['SMB', { disk: 0xfe534d42 }, 'on SMB2'],
  ['9p', { disk: 0x01021997 }, 'on 9p'],
  ['no WAL', { ignores: 'pragma journal_mode = wal;' }, 'journal_mode delete'],
  [
    'less than full sync',
    { ignores: 'pragma synchronous = full;', instead: 'pragma synchronous = normal;' },
    'synchronous 1',
  ],
] as [string, Partial<typeof machine>, string][])(
  'B10-14: what could lose a commit is refused: %s',
  async (_, given, message) => {
    await expect(opened(given)).rejects.toMatchObject({
      code: 'store_unsafe',
      message: expect.stringContaining(message),
    })
  },
)

test('B10-14: what is safe is opened', async () => {
  await opened({})
  await opened({ version: '3.51.3' })
  await opened({ version: '4.0.0' })
})
