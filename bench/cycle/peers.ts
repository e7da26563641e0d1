import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'

const folder = path.join(import.meta.dirname, '../peers')

export function installPeers(): void {
  if (existsSync(path.join(folder, 'node_modules'))) return
  process.stderr.write('Installing what is measured beside us, once.\n')
  const flags = ['ci', '--ignore-scripts', '--no-audit', '--no-fund']
  const done = spawnSync('npm', flags, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  if (done.status !== 0) throw new Error('the peers could not be installed')
}
