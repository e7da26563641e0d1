/**
 * `npm run saboteurs [-- --jobs 2] [--green] [NAME…]`: breaks one line at a time in a copy of the checkout and
 * expects a test to go red. A NAME is a part of a saboteur's name or of the file it breaks. A breakage that no test notices is a test that is missing.
 *
 * `--green` says that `npm test` has just passed on this commit: their tests are not run unbroken first.
 */
import { spawn } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { SABOTEURS } from '../faults/saboteurs/all.ts'
import type { Saboteur } from '../faults/saboteurs/saboteur.ts'
import { closingLine } from './closing-line.ts'
import { root } from './tool.ts'

const { values, positionals: wanted } = parseArgs({
  options: { jobs: { type: 'string', default: '1' }, green: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const saboteurs = SABOTEURS.filter(
  ({ name, file }) =>
    wanted.length === 0 || wanted.some((part) => name.includes(part) || file.includes(part)),
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
  linkPackages(path.join(root, 'node_modules'), path.join(copy, 'node_modules'))
  return copy
}

/** One by one: a sandbox may read the packages it needs, and not a whole folder of them. */
function linkPackages(from: string, to: string): void {
  mkdirSync(to)
  for (const name of readdirSync(from)) {
    if (name.startsWith('@')) linkPackages(path.join(from, name), path.join(to, name))
    else symlinkSync(path.join(from, name), path.join(to, name))
  }
}

/** Undefined when all is green; otherwise the first thing that went red. */
async function firstRed(copy: string, caughtBy: Saboteur['caughtBy']): Promise<string | undefined> {
  const vitest = path.join(copy, 'node_modules', 'vitest', 'vitest.mjs')
  const args =
    'tests' in caughtBy
      ? [vitest, 'run', '--bail=1', '--reporter=dot', ...caughtBy.tests]
      : [
          '--conditions=countersign-source',
          path.join(copy, 'faults', 'main.ts'),
          ...caughtBy.faults,
        ]
  const child = spawn(process.execPath, args, {
    cwd: copy,
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PATIENCE_MS,
    killSignal: 'SIGKILL',
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk
    })
  }
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve))
  if (status === 0) return undefined
  const lines = said.split('\n').map((line) => line.trim())
  return lines.find((line) => /^FAIL(ED)? /.test(line))?.slice(0, 160) ?? `exit ${status}`
}

interface Report {
  readonly isCaught: boolean
  readonly by: string
}

/** Puts the breakage in, asks, and takes it out again. */
async function tryOut(copy: string, { file, before, after, caughtBy }: Saboteur): Promise<Report> {
  const target = path.join(copy, file)
  const source = readFileSync(target, 'utf8')
  const count = source.split(before).length - 1
  if (count !== 1) return { isCaught: false, by: `its line stands in ${file} ${count} times` }
  writeFileSync(
    target,
    source.replace(before, () => after),
  )
  try {
    const red = await firstRed(copy, caughtBy)
    return { isCaught: red !== undefined, by: red ?? 'all green' }
  } finally {
    writeFileSync(target, source)
  }
}

let failed = 0

async function checkUnbroken(copy: string, caughtBy: Saboteur['caughtBy']): Promise<void> {
  // A machine that was busy for a moment gets a second chance; a breakage gets none.
  const red = (await firstRed(copy, caughtBy)) && (await firstRed(copy, caughtBy))
  if (red === undefined) return
  process.stdout.write(`FAILED without any breakage: ${red}\n`)
  failed += 1
}

async function checkBroken(copy: string, saboteur: Saboteur): Promise<void> {
  const { isCaught, by } = await tryOut(copy, saboteur)
  if (!isCaught) failed += 1
  process.stdout.write(`${isCaught ? 'caught  ' : 'SURVIVED'} ${saboteur.name}\n         ${by}\n`)
}

/** Each copy takes the next piece of work, so that no two breakages are in one copy. */
async function share<T>(work: readonly T[], one: (copy: string, item: T) => Promise<void>) {
  const left = [...work]
  await Promise.all(
    copies.map(async (copy) => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await one(copy, item)
    }),
  )
}

const copies = Array.from({ length: Math.max(1, Number(values.jobs)) }, copyCheckout)
try {
  const whole = new Map(saboteurs.map(({ caughtBy }) => [JSON.stringify(caughtBy), caughtBy]))
  if (!values.green) await share([...whole.values()], checkUnbroken)
  await share(saboteurs, checkBroken)
} finally {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true })
}
process.exitCode = closingLine({
  passed: saboteurs.length - Math.min(failed, saboteurs.length),
  failed,
})
