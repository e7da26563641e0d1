import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { make } from '../support/make.ts'

/** The command, built from the source for this run. */
export const BIN = await make('command')

/** The command of the checkout, which runs the source as it is. */
export const SOURCE_BIN = path.resolve(import.meta.dirname, '../../bin/countersign.js')

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd: string
  readonly stdin?: string | Uint8Array
  readonly env?: Readonly<Record<string, string>>
}

/** The real command, as a process of its own. */
export function countersign(args: readonly string[], options: RunOptions): Promise<Ran> {
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: options.cwd,
    env: { ...cleanEnv(), ...options.env },
  })
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  child.stdout.on('data', (chunk) => stdout.push(chunk))
  child.stderr.on('data', (chunk) => stderr.push(chunk))
  // A command that does not read its input has closed it; that is not what is tested.
  child.stdin.on('error', () => {})
  child.stdin.end(options.stdin ?? '')
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      resolve({
        code,
        stdout: Buffer.concat(stdout).toString(),
        stderr: Buffer.concat(stderr).toString(),
      })
    })
  })
}

const OF_THE_MACHINE = [
  ...['FORCE_COLOR', 'NO_COLOR', 'COUNTERSIGN_GOVERNANCE'],
  // Set where the tests are started by a hook of Claude Code.
  ...['CLAUDE_PROJECT_DIR', 'CLAUDE_CONFIG_DIR'],
]

/** Nothing of the machine the tests run on: no colours, no governance or project of its own. */
export function cleanEnv(): NodeJS.ProcessEnv {
  const env = { ...process.env }
  for (const name of OF_THE_MACHINE) delete env[name]
  return env
}

/** A folder with these files, gone after the test. */
export function folder(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const place = mkdtempSync(path.join(tmpdir(), 'countersign-cli-'))
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(place, name)), { recursive: true })
    writeFileSync(path.join(place, name), content)
  }
  return place
}

export const OWNER = `version: 1
people:
  groups: { finance: [ana@example.com, bo@example.com] }
tools:
  pay:
    approval:
      message_template: "Pay {{tool_args.amount}} to {{tool_args.to}}?"
      condition: { args_match: { amount: { gt: 100 } } }
      quorum: [{ group: finance, n: 2 }]
      decide_by: 2h
  read:
    approval: false
tests:
  - { name: small payments run, call: { tool: pay, args: { amount: 5, to: Lena } }, expect: allow }
`

export const GOVERNANCE = `version: 1
governance:
  - id: no-production
    match: { tool: "*" }
    condition: { args_match: { environment: production } }
    deny: Not in production.
tests:
  - { name: production is closed, call: { tool: read, args: { environment: production } }, expect: deny }
`
