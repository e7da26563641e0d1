import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { isCountersignError } from '../../src/base/errors.ts'
import { claiming } from '../../src/testing/commands.ts'
import { newFolder, openSqlite } from '../stores/place.ts'

const WRITER = path.join(import.meta.dirname, 'disk/writer.ts')
const hasStrace = spawnSync('strace', ['-V']).status === 0

test.skipIf(!hasStrace)(
  'B10-02: nothing is acknowledged before the disk was told to keep it',
  () => {
    const folder = newFolder()
    const [file, head] = [path.join(folder, 'approvals.db'), path.join(folder, 'head.json')]
    const watched = 'trace=pwrite64,write,fsync,fdatasync'
    const { stderr } = spawnSync(
      'strace',
      ['-f', '-y', '-qq', '-s', '64', '-e', watched, process.execPath, WRITER, file, head, '5'],
      { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
    )
    let unsynced = 0
    let written = 0
    const acknowledged: number[] = []
    for (const line of stderr.split('\n')) {
      if (line.includes('approvals.db-wal>') && /pwrite64\(/.test(line)) {
        unsynced += 1
        written += 1
      } else if (line.includes('approvals.db-wal>') && /f(?:data)?sync\(/.test(line)) unsynced = 0
      else if (line.includes('"acknowledged')) acknowledged.push(unsynced)
    }
    expect(written).toBeGreaterThan(15)
    expect(acknowledged).toEqual(Array.from({ length: 15 }, () => 0))
  },
  60_000,
)

/** A claimed approval in a log that was never written back, and what remains of that log. */
function killedWriter() {
  const folder = newFolder()
  const [file, head] = [path.join(folder, 'approvals.db'), path.join(folder, 'head.json')]
  const { signal, stdout } = spawnSync(process.execPath, [WRITER, file, head], { encoding: 'utf8' })
  expect(signal).toBe('SIGKILL')
  const [, id = ''] = /claimed (\S+)/.exec(stdout) ?? []
  return { file, head, log: `${file}-wal`, id }
}

test.each([
  ['nothing is damaged', () => {}],
  ['half of the last page', (log: string) => truncateSync(log, statSync(log).size - 2_048)],
  ['all but the first page', (log: string) => truncateSync(log, 32 + 24 + 4_096)],
  ['one byte of the last page is another', (log: string) => flip(log, statSync(log).size - 100)],
  ['one byte in the middle is another', (log: string) => flip(log, statSync(log).size >> 1)],
  ['the head of the log is another', (log: string) => flip(log, 4)],
  ['the log is empty', (log: string) => truncateSync(log, 0)],
] as [string, (log: string) => void][])(
  'B10-03: a log that was torn starts no claimed call again: %s',
  async (_, tear) => {
    const { file, head, log, id } = killedWriter()
    expect(existsSync(log)).toBe(true)
    tear(log)
    const store = await openSqlite(file, { head })
    const found = await store.get(id)
    // Either the claim is still there, or with it went everything that could be claimed.
    expect([found?.status, found?.execution?.state]).toBeOneOf([
      ['approved', 'running'],
      ['invalidated', undefined],
      ['pending', undefined],
      [undefined, undefined],
    ])
    if (!found) return
    await expect(store.apply(id, claiming(found))).rejects.toSatisfy(isCountersignError)
  },
  30_000,
)

test('B10-03: a file that lost its second half is refused, or decides nothing', async () => {
  const { file, id } = killedWriter()
  const first = await openSqlite(file)
  await first.close()
  truncateSync(file, Math.floor(statSync(file).size / 2 / 4_096) * 4_096)
  const attempt = (async () => {
    const store = await openSqlite(file)
    const found = await store.get(id)
    if (!found) throw new Error('gone')
    await store.apply(id, claiming(found))
  })()
  await expect(attempt).rejects.toThrow()
})

function flip(file: string, at: number): void {
  const bytes = readFileSync(file)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(file, bytes)
}
