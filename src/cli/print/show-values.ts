import { isNested, type Json } from '../../api/arguments/json-at.ts'
import { columnsOf } from '../../base/wrap.ts'
import { printable, printableJson, printableQuoted } from './printable.ts'

/*
 * Arguments without a view of their own, one line for each value: `recipient.name: "Northwind"`.
 * They stand behind a bar, so that no argument's name can begin a line like one of ours.
 */

/** In front of every line from a call. */
export const BAR = '  │ '

/** More than this below one argument, or longer names, read better as JSON; and names repeat. */
const MOST_LEAVES = 40
const LONGEST_NAME = 60
/** Values are aligned behind names up to this wide. */
const NAME_COLUMNS = 28

/** An agent names arguments, too: what could pass for words of ours, or for two names, is quoted. */
const NAME = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u
export const named = (key: string) =>
  NAME.test(key) ? printable(key) : printableJson(JSON.stringify(key))

/** Every member of an object, to the character. */
export function valueLines(args: Json): string[] {
  if (!isNested(args) || Array.isArray(args)) return jsonLines(args)
  if (Object.keys(args).length === 0) return ['  (no arguments)']
  const entries = Object.entries(args).map(([key, value]) => ({
    key,
    value,
    leaves: leavesOf(value, named(key)),
  }))
  const width = entries
    .flatMap(({ leaves = [] }) => leaves)
    .map(({ name }) => columnsOf(name))
    .filter((columns) => columns <= NAME_COLUMNS)
    .reduce((most, columns) => Math.max(most, columns), 0)
  return entries.flatMap(({ key, value, leaves }) =>
    leaves
      ? leaves.map(({ name, text }) => {
          const space = ' '.repeat(Math.max(0, width - columnsOf(name)))
          return `${BAR}${name}: ${space}${text}`
        })
      : [`${BAR}${named(key)}:`, ...indented(value).map((line) => `${BAR}  ${line}`)],
  )
}

interface Leaf {
  readonly name: string
  readonly text: string
}

/** All values below one argument; undefined where there are too many of them. */
function leavesOf(value: Json, name: string): readonly Leaf[] | undefined {
  const leaves: Leaf[] = []
  const open: (readonly [name: string, value: Json])[] = [[name, value]]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const [at, inner] = one
    const members = isNested(inner) ? Object.entries(inner) : []
    if (members.length + open.length + leaves.length > MOST_LEAVES) return undefined
    if (members.length === 0) leaves.push({ name: at, text: leafText(inner) })
    else if (at.length > LONGEST_NAME) return undefined
    for (const [key, child] of members.toReversed() as [string, Json][]) {
      open.push([Array.isArray(inner) ? `${at}[${key}]` : `${at}.${named(key)}`, child])
    }
  }
  return leaves
}

function leafText(value: Json): string {
  return typeof value === 'string' ? printableQuoted(value) : JSON.stringify(value)
}

/** A value as it is, to the character, with nothing that could steer a terminal. */
export function jsonLines(value: unknown): string[] {
  return indented(value).map((line) => `  ${line}`)
}

function indented(value: unknown): string[] {
  return JSON.stringify(value, null, 2)
    .split('\n')
    .map((line) => {
      // Our own indentation may be deep; spaces inside of a value are not ours.
      const text = line.trimStart()
      return line.slice(0, line.length - text.length) + printableJson(text)
    })
}
