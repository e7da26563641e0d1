import { inEnglish, type Tell } from '../tell.ts'
import { COMMAND_NAMES } from './remarks.ts'
import { type Pipeline, type ShellCommand, shellPipelines } from './shell.ts'

/** Run the words behind them. */
const BEFORE = new Set(
  'sudo doas env command exec nohup nice time xargs busybox then do else if !'.split(' '),
)
const DOWNLOADS = new Set(['curl', 'wget'])
const SHELLS = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'ash', 'fish'])
const RUNS_INPUT = new Set([...SHELLS, 'python', 'python3', 'perl', 'ruby', 'node', 'php'])
const RUNS_TEXT = new Set([...SHELLS, 'eval', 'source', '.'])

/** A text for a shell inside of a text for a shell is read this often. */
const DEEPEST = 3

/** What is about one argument that may hold a command: it deletes, or runs what it downloads. */
export function commandRemarks(
  name: string,
  value: unknown,
  tell: Tell = inEnglish,
): readonly string[] {
  if (!COMMAND_NAMES.includes(name) || typeof value !== 'string') return []
  const { runs, deletes } = found(shellPipelines(value), 0)
  const placed = ({ code, line }: Deed) => tell.text('{word} in line {line}', { word: code, line })
  const listed = (deeds: Found['runs']) => [...deeds.values()].map(placed).join(', ')
  return [
    ...(runs.size > 0
      ? [tell.text('Runs what it downloads: {commands}.', { commands: listed(runs) })]
      : []),
    ...(deletes.size > 0
      ? [tell.text('Deletes files: {commands}.', { commands: listed(deletes) })]
      : []),
  ]
}

/** A part of the command that does something, and the line it stands in. */
interface Deed {
  readonly code: string
  readonly line: number
}

interface Found {
  readonly runs: Map<string, Deed>
  readonly deletes: Map<string, Deed>
}

const add = (deeds: Map<string, Deed>, deed: Deed) => deeds.set(`${deed.code} ${deed.line}`, deed)

function found(pipelines: readonly Pipeline[], depth: number): Found {
  const all: Found = { runs: new Map(), deletes: new Map() }
  for (const pipeline of pipelines) {
    let source: string | undefined
    for (const command of pipeline) {
      const { name, rest } = programOf(command)
      const { line } = command
      const inner = command.words.flatMap((word) => word.inner)
      const fetched = sourceIn(inner)
      if (source !== undefined && RUNS_INPUT.has(name)) {
        add(all.runs, { code: `${source} … | ${name}`, line })
      }
      if (fetched !== undefined && RUNS_TEXT.has(name)) {
        add(all.runs, { code: `${name} … ${fetched}`, line })
      }
      const flags = deletingFlags(name, rest)
      if (flags !== undefined) add(all.deletes, { code: `${name} ${flags}`, line })
      if (DOWNLOADS.has(name)) source = name
      join(all, found(inner, depth))
      if (depth < DEEPEST && SHELLS.has(name)) {
        for (const text of textsFor(command)) join(all, found(shellPipelines(text), depth + 1))
      }
    }
  }
  return all
}

function join(all: Found, more: Found): void {
  for (const one of more.runs.values()) add(all.runs, one)
  for (const one of more.deletes.values()) add(all.deletes, one)
}

function sourceIn(pipelines: readonly Pipeline[]): string | undefined {
  return pipelines
    .flat()
    .map(programOf)
    .find(({ name }) => DOWNLOADS.has(name))?.name
}

/** The program that runs, without its folder, and what follows it. */
function programOf({ words }: ShellCommand): { readonly name: string; readonly rest: string[] } {
  const texts = words.map(({ text }) => text)
  let at = 0
  let isBehind = false
  for (; at < texts.length; at += 1) {
    const text = texts[at] ?? ''
    const isSkipped = /^\w+=/.test(text) || (isBehind && text.startsWith('-'))
    if (BEFORE.has(baseName(text))) isBehind = true
    else if (!isSkipped) break
  }
  return { name: baseName(texts[at] ?? ''), rest: texts.slice(at + 1) }
}

const baseName = (text: string) => text.slice(text.lastIndexOf('/') + 1)

/** `-rf` of `rm -r -f x`: deletes whole folders. */
function deletingFlags(name: string, rest: readonly string[]): string | undefined {
  if (name === 'find') return rest.includes('-delete') ? '-delete' : undefined
  if (name !== 'rm') return undefined
  const end = rest.indexOf('--')
  const flags = (end < 0 ? rest : rest.slice(0, end)).filter((text) => text.startsWith('-'))
  const has = (short: RegExp, long: string) =>
    flags.some((flag) => flag === long || (/^-[^-]/.test(flag) && short.test(flag)))
  if (!has(/r/i, '--recursive')) return undefined
  return has(/f/, '--force') ? '-rf' : '-r'
}

/** What a shell is given to run: behind `-c`, or as its input. */
function textsFor(command: ShellCommand): readonly string[] {
  const texts = command.words.map(({ text }) => text)
  const flag = texts.findIndex((text) => /^-[a-z]*c$/.test(text))
  return [...(flag < 0 ? [] : texts.slice(flag + 1, flag + 2)), ...command.input]
}
