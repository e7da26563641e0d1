import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { CountersignError } from '../../base/errors.ts'
import { POLICY_FILE, whyNotWritten } from '../files.ts'
import type { Run, Shell } from '../shell.ts'
import { SCHEMA_FILE, STARTER } from '../starter.ts'
import { schemaText } from './schema.ts'

interface Options {
  readonly dir: string
  readonly json?: boolean
}

export function addInit(program: Command, run: Run): void {
  program
    .command('init')
    .description(`Write a first ${POLICY_FILE} that explains itself.`)
    .option('--dir <folder>', 'where to write it', '.')
    .option('--json', 'print { created }')
    .addHelpText('after', '\nExample:\n  $ countersign init && countersign policy test')
    .action((options: Options) => run((shell) => init(options, shell)))
}

function init({ dir, json = false }: Options, { cwd, out }: Shell): number {
  const folder = path.resolve(cwd, dir)
  const shown = (name: string) => path.join(dir, name)
  createFile(folder, POLICY_FILE, STARTER, shown(POLICY_FILE))
  const created = [shown(POLICY_FILE)]
  // Beside the policy and meant to be committed: an address on the web would need the network, and
  // a place in node_modules is not there for everybody who opens the file.
  const schema = path.join(folder, SCHEMA_FILE)
  if (!existsSync(schema) || isOurs(schema)) {
    writeFileSync(schema, schemaText())
    created.push(shown(SCHEMA_FILE))
  }
  if (json) out.json({ created })
  else for (const line of nextSteps(created, dir)) out.line(line)
  return 0
}

/** Created in one step or not at all: nobody's file is ever overwritten. */
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
