/** Writes the cases of `ownValue`: the same line as often as there are sites. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { SITES } from '../src/policy/compiled/own-value.ts'
import { root } from './tool.ts'

export const FILE = path.join(root, 'src/policy/compiled/own-value.ts')
const START = '    // Cases written by scripts/own-value.ts.\n'
const END = '    default:\n'
const READ =
  '      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)\n'

export function withCases(source: string): string {
  const start = source.indexOf(START)
  const end = source.indexOf(END, start)
  if (start < 0 || end < 0) throw new Error('own-value.ts has no place for the cases')
  const cases = Array.from({ length: SITES }, (_, at) => `    case ${at + 1}:\n${READ}`)
  return `${source.slice(0, start)}${START}${cases.join('')}${source.slice(end)}`
}

if (import.meta.main) writeFileSync(FILE, withCases(readFileSync(FILE, 'utf8')))
