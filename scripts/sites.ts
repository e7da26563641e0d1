/** Writes the cases of `strictest`: the same line as often as there are sites. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { SITES } from '../src/policy/compiled/strictest.ts'
import { root } from './tool.ts'

export const FILE = path.join(root, 'src/policy/compiled/strictest.ts')
const START = '          // Cases written by scripts/sites.ts.\n'
const END = '          default: '
const READ =
  'value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break'

export function withCases(source: string): string {
  const start = source.indexOf(START)
  const end = source.indexOf(END, start)
  if (start < 0 || end < 0) throw new Error('strictest.ts has no place for the cases')
  const cases = Array.from({ length: SITES }, (_, at) => `          case ${at + 1}: ${READ}\n`)
  return `${source.slice(0, start)}${START}${cases.join('')}${source.slice(end)}`
}

if (import.meta.main) writeFileSync(FILE, withCases(readFileSync(FILE, 'utf8')))
