import type { Command } from 'commander'
import type { Mistake, PolicyDocument } from '../../../policy/document.ts'
import { count, showMistake } from '../../print/show-mistakes.ts'
import type { Run, Shell } from '../../shell.ts'
import {
  namedFiles,
  type ReadPolicy,
  readPolicy,
  takesPolicyFiles,
} from '../../state/policy-files.ts'

interface Options {
  readonly governance?: readonly string[]
  readonly strict?: boolean
  readonly json?: boolean
}

export function addCheck(policy: Command, run: Run): void {
  takesPolicyFiles(policy.command('check'))
    .description('Report every mistake in policy files, with line and column.')
    .option('--strict', 'warnings fail the check as well')
    .option('--json', 'print { ok, mistakes, warnings }')
    .addHelpText(
      'after',
      '\nExample:\n  $ countersign policy check countersign.yaml --governance company.yaml --strict',
    )
    .action((owner: string | undefined, outside: string[], options: Options) =>
      run((shell) => check(owner, [...outside, ...(options.governance ?? [])], options, shell)),
    )
}

function check(
  owner: string | undefined,
  governance: readonly string[],
  { strict = false, json = false }: Options,
  shell: Shell,
): number {
  const read = readPolicy(namedFiles(owner, governance, shell), shell.cwd)
  const { mistakes, warnings } = read
  const ok = mistakes.length === 0 && (!strict || warnings.length === 0)
  if (json) shell.out.json({ ok, mistakes: mistakes.map(flat), warnings: warnings.map(flat) })
  else print(read, shell)
  return ok ? 0 : 1
}

function flat({ place: { file, line, column }, path, kind, message }: Mistake): object {
  return { file, line, column, path, kind, message }
}

function print({ files, documents, mistakes, warnings }: ReadPolicy, { out }: Shell): void {
  const texts = new Map(files.map(({ file, bytes }) => [file, new TextDecoder().decode(bytes)]))
  const show = (word: 'mistake' | 'warning') => (mistake: Mistake) => {
    const source = out.terminal ? texts.get(mistake.place.file) : undefined
    for (const line of showMistake(mistake, word, out.paint, source)) out.line(line)
  }
  mistakes.forEach(show('mistake'))
  warnings.forEach(show('warning'))
  if (mistakes.length + warnings.length > 0) out.line('')
  const found = `${count(mistakes.length, 'mistake')}, ${count(warnings.length, 'warning')}`
  const style = mistakes.length > 0 ? 'red' : warnings.length > 0 ? 'yellow' : 'green'
  out.line(`${out.paint(['bold', style], found)} in ${count(files.length, 'file')}`)
  if (mistakes.length === 0) out.line(contents(documents))
}

function contents(documents: readonly PolicyDocument[]): string {
  const sum = (size: (document: PolicyDocument) => number) =>
    documents.reduce((total, document) => total + size(document), 0)
  return [
    count(
      sum(({ tools }) => tools.size),
      'tool',
    ),
    count(
      sum(({ servers }) => servers.size),
      'server',
    ),
    count(
      sum(({ localAgents, remoteAgents }) => localAgents.size + remoteAgents.size),
      'agent',
    ),
    count(
      sum(({ governance }) => governance.length),
      'governance rule',
    ),
    count(
      sum(({ tests }) => tests.length),
      'test',
    ),
  ].join(', ')
}
