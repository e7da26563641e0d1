import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../../tool.ts'

/** With the engine of Workflows, which workerd alone has not. 220 MB: for this proof only. */
const WRANGLER = '4.158.0'

/** Where wrangler's program is. */
export function installWrangler(): string {
  const folder = path.join(root, 'node_modules', '.cache', 'countersign-wrangler')
  const done = path.join(folder, 'installed')
  if (!existsSync(done) || readFileSync(done, 'utf8') !== WRANGLER) {
    mkdirSync(folder, { recursive: true })
    const manifest = { private: true, dependencies: { wrangler: WRANGLER } }
    writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest))
    const args = ['install', '--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund']
    const windows = process.platform === 'win32'
    const { status } = spawnSync('npm', args, { cwd: folder, stdio: 'inherit', shell: windows })
    if (status !== 0) throw new Error('wrangler could not be installed')
    writeFileSync(done, WRANGLER)
  }
  return path.join(folder, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
}
