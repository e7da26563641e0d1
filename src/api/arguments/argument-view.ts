/**
 * Arguments of a known shape, as what they are: a letter, a statement, a change, a table. Only their
 * own names and values choose the view, never what an agent says of them. A view says what it shows
 * of each value by putting the value together again from what it draws; one that cannot give back
 * exactly what is bound is not offered. Whatever it does not show follows as a tree.
 */

import { SQL_NAMES } from '../../base/deception/remarks.ts'
import { looksLikeSql, type SqlToken, sqlTokens } from '../../base/deception/sql.ts'
import { isNested, type Json, type Keys, readAt } from './json-at.ts'
import { type ChangedLine, changedLines, sideOf } from './line-diff.ts'
import { looksLikePatch, type PatchLine, patchLines } from './patch-lines.ts'

export type Block =
  | { readonly kind: 'field'; readonly key: string; readonly value: string | readonly string[] }
  | { readonly kind: 'prose' | 'code'; readonly key: string; readonly text: string }
  | { readonly kind: 'sql'; readonly key: string; readonly tokens: readonly SqlToken[] }
  | {
      readonly kind: 'patch'
      readonly key: string
      readonly text: string
      readonly lines: readonly PatchLine[]
    }
  | {
      readonly kind: 'change'
      /** Where the old and the new text stand. */
      readonly from: Keys
      readonly to: Keys
      readonly lines: readonly ChangedLine[]
    }
  | {
      readonly kind: 'table'
      readonly key: string
      readonly columns: readonly string[]
      /** Undefined where a row has no such column. */
      readonly rows: readonly (readonly (Flat | undefined)[])[]
    }

export type Flat = string | number | boolean | null

export interface ArgumentView {
  readonly name: 'Message' | 'SQL' | 'Changes' | 'Command' | 'Code' | 'Table' | 'Text'
  readonly blocks: readonly Block[]
  /** Names of the arguments that the blocks show whole. */
  readonly covers: ReadonlySet<string>
}

type Given = ReadonlyMap<string, Json>
type Wanted = Pick<ArgumentView, 'name' | 'blocks'>

export function viewOf(args: Json | undefined, masked: readonly Keys[]): ArgumentView | undefined {
  if (args === undefined || !isNested(args) || Array.isArray(args)) return undefined
  const hidden = new Set(masked.map(([first]) => first))
  // What is masked is drawn in one place only, with its button to reveal it.
  const given: Given = new Map(Object.entries(args).filter(([key]) => !hidden.has(key)))
  const wanted =
    mail(given) ??
    sql(given) ??
    changes(given) ??
    command(given) ??
    code(given) ??
    table(given) ??
    longText(given)
  if (wanted === undefined || wanted.blocks.length === 0) return undefined
  const view = { ...wanted, covers: new Set(shownBy(wanted.blocks).map(([[key = '']]) => key)) }
  return isWhole(view, args) ? view : undefined
}

/** Each value that the blocks draw, put together from what they draw. */
export function shownBy(blocks: readonly Block[]): readonly (readonly [Keys, Json])[] {
  return blocks.flatMap((block): (readonly [Keys, Json])[] => {
    switch (block.kind) {
      case 'field':
        return [[[block.key], block.value]]
      case 'sql':
        return [[[block.key], block.tokens.map(({ text }) => text).join('')]]
      case 'change':
        return [
          [block.from, sideOf(block.lines, 'removed')],
          [block.to, sideOf(block.lines, 'added')],
        ]
      case 'table':
        return [[[block.key], block.rows.map((row) => rowObject(block.columns, row))]]
      default:
        return [[[block.key], block.text]]
    }
  })
}

function rowObject(columns: readonly string[], row: readonly (Flat | undefined)[]): Json {
  return Object.fromEntries(
    columns.flatMap((name, at): [string, Json][] => {
      const cell = row[at]
      return cell === undefined ? [] : [[name, cell]]
    }),
  )
}

/** Leaf by leaf: everything below the names it covers is drawn, and as it is. */
function isWhole({ blocks, covers }: ArgumentView, args: Json): boolean {
  const drawn = new Map(
    shownBy(blocks).flatMap(([keys, value]) => leavesOf(value, keys).map(([k, v]) => [k, v])),
  )
  const bound = [...covers].flatMap((key) => leavesOf(readAt(args, [key]) ?? null, [key]))
  return drawn.size === bound.length && bound.every(([place, value]) => drawn.get(place) === value)
}

function leavesOf(value: Json, keys: Keys): [place: string, value: string][] {
  const inner = isNested(value) ? Object.entries(value) : []
  if (inner.length === 0) return [[JSON.stringify(keys), JSON.stringify(value)]]
  return inner.flatMap(([key, child]) => leavesOf(child, [...keys, key]))
}

const HEAD = ['from', 'sender', 'to', 'cc', 'bcc', 'reply_to', 'replyTo', 'subject']
const BODY = ['body', 'text', 'html', 'message', 'content']

function mail(given: Given): Wanted | undefined {
  const body = BODY.flatMap((key) => textBlock(given, key, key === 'html' ? 'code' : 'prose'))
  if (!isAddressee(given.get('to')) || typeof given.get('subject') !== 'string') return undefined
  if (body.length === 0) return undefined
  const fields = HEAD.flatMap((key): Block[] => {
    const value = given.get(key)
    return isAddressee(value) ? [{ kind: 'field', key, value }] : []
  })
  return { name: 'Message', blocks: [...fields, ...body] }
}

function isAddressee(value: Json | undefined): value is string | readonly string[] {
  if (typeof value === 'string') return !value.includes('\n')
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

function textBlock(given: Given, key: string, kind: 'prose' | 'code'): Block[] {
  const text = given.get(key)
  return typeof text === 'string' ? [{ kind, key, text }] : []
}

function sql(given: Given): Wanted | undefined {
  const blocks = SQL_NAMES.flatMap((key): Block[] => {
    const text = given.get(key)
    return typeof text === 'string' && looksLikeSql(text)
      ? [{ kind: 'sql', key, tokens: sqlTokens(text) }]
      : []
  })
  return blocks.length === 0 ? undefined : { name: 'SQL', blocks }
}

const PAIRS = [
  ['old_string', 'new_string'],
  ['old_str', 'new_str'],
  ['old_text', 'new_text'],
  ['oldText', 'newText'],
] as const

function changes(given: Given): Wanted | undefined {
  const patches = [...given].flatMap(([key, text]): Block[] =>
    typeof text === 'string' && looksLikePatch(text)
      ? [{ kind: 'patch', key, text, lines: patchLines(text) }]
      : [],
  )
  const edits = given.get('edits')
  const listed = Array.isArray(edits)
    ? edits.flatMap((edit, at) => pairs(edit, ['edits', String(at)]))
    : []
  // Some of them in the view and some not would read as one change and a remark.
  const whole = Array.isArray(edits) && listed.length === edits.length ? listed : []
  const blocks = [...patches, ...pairs(Object.fromEntries(given), []), ...whole]
  return blocks.length === 0 ? undefined : { name: 'Changes', blocks }
}

function pairs(value: Json | undefined, keys: Keys): Block[] {
  if (value === undefined || !isNested(value)) return []
  return PAIRS.flatMap(([old, next]): Block[] => {
    const before = readAt(value, [old])
    const after = readAt(value, [next])
    if (typeof before !== 'string' || typeof after !== 'string') return []
    const lines = changedLines(before, after)
    return [{ kind: 'change', from: [...keys, old], to: [...keys, next], lines }]
  })
}

function command(given: Given): Wanted | undefined {
  const blocks = ['command', 'cmd', 'script', 'shell'].flatMap((key) =>
    textBlock(given, key, 'code'),
  )
  return blocks.length === 0 ? undefined : { name: 'Command', blocks }
}

const PLACES = ['path', 'file_path', 'filePath', 'filename', 'file']

function code(given: Given): Wanted | undefined {
  const source = ['code', 'source'].flatMap((key) => textBlock(given, key, 'code'))
  const file = PLACES.some((key) => typeof given.get(key) === 'string')
    ? ['content', 'contents', 'file_text'].flatMap((key) => textBlock(given, key, 'code'))
    : []
  const blocks = [...source, ...file]
  return blocks.length === 0 ? undefined : { name: 'Code', blocks }
}

/** More columns than this do not fit beside each other. */
const MOST_COLUMNS = 8

function table(given: Given): Wanted | undefined {
  const blocks = [...given].flatMap(([key, value]): Block[] => {
    if (!Array.isArray(value) || value.length < 2 || !value.every(isFlatObject)) return []
    const columns = [...new Set(value.flatMap((row) => Object.keys(row)))].toSorted(idFirst)
    if (columns.length === 0 || columns.length > MOST_COLUMNS) return []
    const rows = value.map((row) => columns.map((name) => readAt(row, [name]) as Flat | undefined))
    return [{ kind: 'table', key, columns, rows }]
  })
  return blocks.length === 0 ? undefined : { name: 'Table', blocks }
}

/** Canonical JSON has no order of its own: what tells rows apart comes first. */
function idFirst(one: string, two: string): number {
  const weight = (name: string) => (/^(?:id|key|name|title)$/i.test(name) ? 0 : 1)
  return weight(one) - weight(two)
}

function isFlatObject(value: Json): value is { readonly [key: string]: Flat } {
  if (!isNested(value) || Array.isArray(value)) return false
  const cells = Object.values(value)
  // A text of several lines has more room in the tree.
  return cells.length > 0 && cells.every((one) => !isNested(one) && !String(one).includes('\n'))
}

const LONG = 280

/** One text that is longer than all the rest together. */
function longText(given: Given): Wanted | undefined {
  const sizes = [...given].map(([key, value]) => ({ key, size: JSON.stringify(value).length }))
  const all = sizes.reduce((sum, { size }) => sum + size, 0)
  const [found] = sizes.filter(({ size }) => size > LONG && size * 2 > all)
  const blocks = found === undefined ? [] : textBlock(given, found.key, 'prose')
  return blocks.length === 0 ? undefined : { name: 'Text', blocks }
}
