import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { HOOK_AGENTS } from '../../adapters/coding-agents/agent.ts'
import { findCodingAgent } from '../../adapters/coding-agents/agents.ts'
import { CountersignError } from '../../base/errors.ts'
import { usage } from '../failure.ts'
import { POLICY_FILE, whyNotWritten } from '../files.ts'
import { installHooks, starterPolicy } from '../hook/install.ts'
import { printable } from '../print/printable.ts'
import type { Run, Shell } from '../shell.ts'
import { SCHEMA_FILE, STARTER } from '../starter.ts'
import { databasePlace, leftBehind, placeWords } from '../state/database.ts'
import { schemaText } from './policy/schema.ts'

interface Options {
  readonly dir: string
  readonly json?: boolean
}

export function addInit(program: Command, run: Run): void {
  program
    .command('init')
    .description(`Write a first ${POLICY_FILE} that explains itself.`)
    .argument(
      '[agent]',
      `a coding agent that is to ask, with its settings: ${HOOK_AGENTS.join(', ')}`,
    )
    .option('--dir <folder>', 'where to write it', '.')
    .option('--json', 'print { created }')
    .addHelpText('after', '\nExample:\n  $ countersign init && countersign policy test')
    .action((agent: string | undefined, options: Options) =>
      run((shell) =>
        agent === undefined ? init(options, shell) : initAgent(agent, options, shell),
      ),
    )
}

function init({ dir, json = false }: Options, { cwd, env, out }: Shell): number {
  const folder = path.resolve(cwd, dir)
  const shown = (name: string) => path.join(dir, name)
  createFile(folder, POLICY_FILE, STARTER, shown(POLICY_FILE))
  const created = [shown(POLICY_FILE)]
  if (writeSchema(folder)) created.push(shown(SCHEMA_FILE))
  if (json) out.json({ created })
  else for (const line of [...nextSteps(created, dir), ...dataLines(folder, env)]) out.line(line)
  return 0
}

/** A policy makes the folder beside it the place of the data, so that is said where it happens. */
function dataLines(cwd: string, env: Shell['env']): string[] {
  const place = databasePlace(undefined, { cwd, env })
  const left = leftBehind(undefined, { cwd, env })
  return [
    '',
    `From here on, commands in this folder keep their data in ${printable(placeWords(place))}.`,
    ...(left === undefined
      ? []
      : [
          `What is in ${printable(left)} stays there; --db sqlite:${printable(left)} goes on with it.`,
        ]),
  ]
}

/**
 * Beside the policy and meant to be committed: an address on the web would need the network, and
 * node_modules is not there for every reader of the file.
 */
function writeSchema(folder: string): boolean {
  const schema = path.join(folder, SCHEMA_FILE)
  if (existsSync(schema) && !isOurs(schema)) return false
  writeFileSync(schema, schemaText())
  return true
}

/** Created in one step or not at all: an existing file is never overwritten. */
function createFile(folder: string, name: string, text: string, shown: string): void {
  try {
    mkdirSync(folder, { recursive: true })
    writeFileSync(path.join(folder, name), text, { flag: 'wx' })
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && syscall === 'open') {
      throw new CountersignError('file_exists', `${shown} is already there and was not touched`, {
        hint: 'Check it with `countersign policy check`, or name another folder with --dir.',
        cause: error,
      })
    }
    throw new CountersignError('usage', `${shown} cannot be written: ${whyNotWritten(error)}`, {
      hint: 'Name a folder that you may write to with --dir.',
      cause: error,
    })
  }
}

function isOurs(file: string): boolean {
  return readFileSync(file, 'utf8').includes('"title": "Countersign policy"')
}

function nextSteps(created: readonly string[], dir: string): string[] {
  const there = dir === '.' ? '' : ` ${path.join(dir, POLICY_FILE)}`
  const start = dir === '.' ? '' : ` --policy${there}`
  return [
    `Created ${created.join(' and ')}.`,
    '',
    'What to do next:',
    `  1. Open ${created[0] ?? POLICY_FILE} and put in your own tools and people.`,
    `  2. countersign policy check${there}    finds mistakes`,
    `  3. countersign policy test${there}     runs the tests in the file`,
    `  4. countersign start${start}           opens the inbox where people decide`,
  ]
}

/** The policy, unless there is one, and what makes the agent ask in this project. */
async function initAgent(name: string, { dir, json = false }: Options, { cwd, out }: Shell) {
  const agent = findCodingAgent(name)
  if (agent === undefined) {
    throw usage(
      `there is nothing to write for ${printable(name)}`,
      `The agents known here are ${HOOK_AGENTS.join(', ')}.`,
    )
  }
  const folder = path.resolve(cwd, dir)
  const shown = (file: string) => path.join(dir, file)
  // Read before anything is written: if the settings cannot be parsed, nothing is written at all.
  const settings = installHooks(agent.name, folder, shown)
  const created: string[] = []
  if (!existsSync(path.join(folder, POLICY_FILE))) {
    createFile(folder, POLICY_FILE, starterPolicy(agent.name), shown(POLICY_FILE))
    created.push(shown(POLICY_FILE))
    if (writeSchema(folder)) created.push(shown(SCHEMA_FILE))
  }
  settings.write()
  created.push(shown(settings.file))
  if (json) {
    out.json({ created })
    return 0
  }
  out.line(`Wrote ${created.join(', ')}.`)
  out.line('')
  out.line('What to do next:')
  out.line('  1. countersign start      opens the inbox where you decide')
  out.line(`  2. Start ${agent.title} in this folder; what is not free in the policy asks there.`)
  out.line('  3. countersign doctor     finds settings that would let calls through')
  for (const line of settings.notes) out.line(line)
  if (settings.starter.by === 'npx') {
    out.line('')
    out.line('The hook starts through npx, which takes about a second for every call. Faster:')
    out.line(`  npm install --save-dev countersign && npx countersign init ${agent.name}`)
  }
  return 0
}
