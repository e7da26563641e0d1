/*
 * How long Claude Code waits for its hook. `npm run bench:hook` (add `-- --json FILE`).
 *
 * From starting the process to its end, for a call that needs no person, with `countersign start`
 * running: the command that `init claude-code` writes, before a call and after it; the same without a
 * server; the same through npx; and a Node that does nothing. Everybody runs once in each round.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { bundleCommand } from '../scripts/bundle-command.ts'
import { root, runTool } from '../scripts/tool.ts'
import { median } from './lib/rounds.ts'

const GOAL_MS = 150
const { values } = parseArgs({
  options: { json: { type: 'string' }, rounds: { type: 'string', default: '15' } },
})
const rounds = Number(values.rounds)

/** A project with the package installed as npm would: built, with its dependencies. */
async function makeProject(name: string): Promise<string> {
  const project = path.join(place, name)
  const installed = path.join(project, 'node_modules/countersign')
  mkdirSync(path.join(project, 'node_modules/.bin'), { recursive: true })
  symlinkSync(built, installed, 'junction')
  symlinkSync(path.join(built, 'bin/countersign.js'), `${project}/node_modules/.bin/countersign`)
  writeFileSync(path.join(project, 'package.json'), '{ "private": true }')
  const init = spawnSync(
    process.execPath,
    [`${installed}/bin/countersign.js`, 'init', 'claude-code'],
    {
      cwd: project,
    },
  )
  if (init.status !== 0) throw new Error(String(init.stderr))
  return project
}

async function buildPackage(): Promise<void> {
  const run = await runTool('tsc', ['-p', 'tsconfig.build.json', '--outDir', `${built}/dist`])
  if (!run.ok) throw new Error(run.output)
  await bundleCommand(`${built}/dist`)
  for (const name of ['bin', 'package.json']) {
    cpSync(path.join(root, name), path.join(built, name), { recursive: true })
  }
  symlinkSync(path.join(root, 'node_modules'), path.join(built, 'node_modules'), 'junction')
}

function startServer(project: string): Promise<ChildProcess> {
  const bin = path.join(project, 'node_modules/countersign/bin/countersign.js')
  const child = spawn(process.execPath, [bin, 'start', '--port', '0', '--json'], { cwd: project })
  return new Promise((resolve, reject) => {
    let said = ''
    child.stderr.on('data', (chunk) => reject(new Error(String(chunk))))
    child.stdout.on('data', (chunk) => {
      said += chunk
      if (said.includes('"url"')) resolve(child)
    })
  })
}

function hookInput(project: string, event: string): string {
  return JSON.stringify({
    session_id: 'bench',
    cwd: project,
    hook_event_name: event,
    tool_name: 'Read',
    tool_input: { file_path: 'notes.txt' },
    tool_use_id: 'toolu_1',
    ...(event === 'PreToolUse' ? {} : { tool_response: { file: 'x'.repeat(20_000) } }),
  })
}

function timed(line: readonly string[], project: string, input: string): number {
  const [command = '', ...args] = line
  const env = { ...process.env, CLAUDE_PROJECT_DIR: project }
  const start = performance.now()
  const ran = spawnSync(command, args, { cwd: project, env, input })
  const ms = performance.now() - start
  if (ran.status !== 0) throw new Error(`${line.join(' ')} ended with ${ran.status}: ${ran.stderr}`)
  return ms
}

const place = mkdtempSync(path.join(tmpdir(), 'bench-hook-'))
const built = path.join(place, 'package')
mkdirSync(built)
let server: ChildProcess | undefined
try {
  await buildPackage()
  const served = await makeProject('served')
  const alone = await makeProject('alone')
  server = await startServer(served)
  const bin = 'node_modules/countersign/bin/countersign.js'
  const node = [process.execPath, bin, 'hook', 'claude-code']
  const npx = ['npx', 'countersign', 'hook', 'claude-code']
  const before = 'PreToolUse'
  const contestants: [name: string, run: () => number][] = [
    ['node, nothing to do', () => timed([process.execPath, '-e', '0'], served, '')],
    ['hook before a call, server', () => timed(node, served, hookInput(served, before))],
    ['hook after a call, server', () => timed(node, served, hookInput(served, 'PostToolUse'))],
    ['hook before a call, no server', () => timed(node, alone, hookInput(alone, before))],
    ['npx hook before a call, server', () => timed(npx, served, hookInput(served, before))],
    ['npx hook before a call, no server', () => timed(npx, alone, hookInput(alone, before))],
  ]
  const times = new Map(contestants.map(([name]) => [name, [] as number[]]))
  // The first round fills the caches of the disk.
  for (let round = 0; round <= rounds; round++) {
    for (const [name, run] of contestants) {
      const ms = run()
      if (round > 0) times.get(name)?.push(ms)
    }
  }
  const medians = Object.fromEntries(
    [...times].map(([name, all]) => [name, Math.round(median(all) * 10) / 10]),
  )
  const measured = medians['hook before a call, server'] ?? Number.NaN
  const report = { goalMs: GOAL_MS, reached: measured <= GOAL_MS, rounds, medianMs: medians }
  for (const [name, ms] of Object.entries(medians)) console.log(`${name.padEnd(36)} ${ms} ms`)
  console.log(`Goal: at most ${GOAL_MS} ms with a server: ${report.reached ? 'reached' : 'MISSED'}`)
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify(report, undefined, 2)}\n`)
} finally {
  server?.kill()
  rmSync(place, { recursive: true, force: true })
}
