/** Writes the cases of `strictest` and the readers of chains: the same line as often as there are sites. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { SITES } from '../src/policy/compiled/strictest.ts'
import { root } from './tool.ts'

const READ =
  'from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key)'

interface Written {
  readonly file: string
  readonly start: string
  readonly end: string
  readonly lines: readonly string[]
}

/** How many chains read arguments at places of their own: two or three values each. */
const READERS = 128

export const FILES: readonly Written[] = [
  {
    file: path.join(root, 'src/policy/compiled/strictest.ts'),
    start: '          // Cases written by scripts/sites.ts.\n',
    end: '          default: ',
    lines: Array.from(
      { length: SITES },
      (_, at) => `          case ${at + 1}: value = ${READ}; break\n`,
    ),
  },
  {
    file: path.join(root, 'src/policy/compiled/chain.ts'),
    start: '  // Readers written by scripts/sites.ts.\n',
    end: ']\n',
    lines: Array.from(
      { length: READERS },
      () => `  (key, then) => (from, args, left) => then(${READ}, args, left),\n`,
    ),
  },
]

export function withLines(source: string, { file, start, end, lines }: Written): string {
  const from = source.indexOf(start)
  const to = source.indexOf(end, from + start.length)
  if (from < 0 || to < 0) throw new Error(`${file} has no place for the lines`)
  return `${source.slice(0, from)}${start}${lines.join('')}${source.slice(to)}`
}

if (import.meta.main) {
  for (const one of FILES) {
    writeFileSync(one.file, withLines(readFileSync(one.file, 'utf8'), one))
  }
}
