import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { lacksDisk, newDisk } from '../../faults/disk/disk.ts'

const EIO = 5
const reason = lacksDisk()

test.skipIf(reason !== undefined)(
  `after a failed sync no acknowledged commit is lost with the power${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'countersign-failed-sync-'))
    const disk = newDisk(path.join(folder, 'disk'))
    onTestFinished(() => {
      disk.remove()
      rmSync(folder, { recursive: true })
    })
    const file = path.join(disk.root, 'a.db')
    const script = path.join(import.meta.dirname, 'failed-sync-process.ts')
    const child = spawn(process.execPath, ['--conditions=countersign-source', script, file], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...disk.env },
    })
    let said = ''
    child.stdout.on('data', (chunk) => {
      said += chunk
      if (!said.endsWith('ready\n')) return
      disk.failNext({ of: 'syncs', after: 0, count: 1, errno: EIO })
      child.stdin.write('go\n')
    })
    await new Promise((resolve) => child.once('close', resolve))
    expect(said.split('\n').filter(Boolean)).toEqual([
      '1 acknowledged',
      'ready',
      '2 acknowledged',
      '3 refused',
      '4 acknowledged',
    ])
    disk.cut(
      { pick: ([first]) => first, below: () => 0, chance: () => false, shuffle: (all) => [...all] },
      'ordered',
    )
    const rows = new DatabaseSync(file).prepare('select x from t').all()
    expect(rows.map(({ x }) => x)).toEqual([1, 2, 4])
  },
)
