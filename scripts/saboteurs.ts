/**
 * `npm run saboteurs [NAME…]`: breaks one line at a time in a copy of the checkout and expects a
 * test to go red. A breakage that nobody notices is a test that is missing.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { SABOTEURS } from '../faults/saboteurs/all.ts'
import type { Saboteur } from '../faults/saboteurs/saboteur.ts'
import { closingLine } from './closing-line.ts'
import { root } from './tool.ts'

const wanted = process.argv.slice(2)
const saboteurs = SABOTEURS.filter(
  ({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
)

const LEFT_OUT = new Set(['node_modules', '.git', 'dist'])
// A breakage that makes a test wait for ever is noticed as well, only later.
const PATIENCE_MS = 240_000

function copyCheckout(): string {
  const copy = mkdtempSync(path.join(tmpdir(), 'countersign-saboteurs-'))
  cpSync(root, copy, {
    recursive: true,
    filter: (source) => !LEFT_OUT.has(path.relative(root, source)),
  })
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'))
  return copy
}

/** Undefined when all is green; otherwise the first thing that went red. */
function firstRed(copy: string, caughtBy: Saboteur['caughtBy']): string | undefined {
  const vitest = path.join(copy, 'node_modules', 'vitest', 'vitest.mjs')
  const args =
    'tests' in caughtBy
      ? [vitest, 'run', '--bail=1', '--reporter=dot', ...caughtBy.tests]
      : [
          '--conditions=countersign-source',
          path.join(copy, 'faults', 'main.ts'),
          ...caughtBy.faults,
        ]
  const run = spawnSync(process.execPath, args, {
    cwd: copy,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
    timeout: PATIENCE_MS,
    killSignal: 'SIGKILL',
  })
  if (run.status === 0) return undefined
  const said = `${run.stdout}${run.stderr}`.split('\n').map((line) => line.trim())
  return said.find((line) => /^FAIL(ED)? /.test(line))?.slice(0, 160) ?? `exit ${run.status}`
}

interface Report {
  readonly isCaught: boolean
  readonly by: string
}

/** Puts the breakage in, asks, and takes it out again. */
function tryOut(copy: string, { file, before, after, caughtBy }: Saboteur): Report {
  const target = path.join(copy, file)
  const source = readFileSync(target, 'utf8')
  const count = source.split(before).length - 1
  if (count !== 1) return { isCaught: false, by: `its line stands in ${file} ${count} times` }
  writeFileSync(
    target,
    source.replace(before, () => after),
  )
  try {
    const red = firstRed(copy, caughtBy)
    return { isCaught: red !== undefined, by: red ?? 'all green' }
  } finally {
    writeFileSync(target, source)
  }
}

const copy = copyCheckout()
let failed = 0
try {
  const whole = new Map(saboteurs.map(({ caughtBy }) => [JSON.stringify(caughtBy), caughtBy]))
  for (const caughtBy of whole.values()) {
    // A machine that was busy for a moment gets a second chance; a breakage gets none.
    const red = firstRed(copy, caughtBy) && firstRed(copy, caughtBy)
    if (red === undefined) continue
    process.stdout.write(`FAILED without any breakage: ${red}\n`)
    failed += 1
  }
  for (const saboteur of saboteurs) {
    const { isCaught, by } = tryOut(copy, saboteur)
    if (!isCaught) failed += 1
    process.stdout.write(`${isCaught ? 'caught  ' : 'SURVIVED'} ${saboteur.name}\n         ${by}\n`)
  }
} finally {
  rmSync(copy, { recursive: true, force: true })
}
process.exitCode = closingLine({
  passed: saboteurs.length - Math.min(failed, saboteurs.length),
  failed,
})
