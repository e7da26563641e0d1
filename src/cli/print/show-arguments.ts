import { type Block, type Flat, shownBy, viewOf } from '../../api/arguments/argument-view.ts'
import type { Json, Keys } from '../../api/arguments/json-at.ts'
import type { ChangedLine } from '../../api/arguments/line-diff.ts'
import { columnsOf } from '../../base/wrap.ts'
import type { Paint, Style } from './colour.ts'
import { printable, printableQuoted, printableValue } from './printable.ts'
import { BAR, named, valueLines } from './show-values.ts'

/*
 * Arguments of a known shape as what they are, as the card in a browser shows them. A text stands
 * behind a bar, line by line, so that no line of it can pass for one of ours, and nothing of it is
 * lost: what an eye would miss at the end of a line, or between lines, is written out.
 */

/** A table that is wider than this is written row by row. */
const TABLE_COLUMNS = 76

/** The arguments, line by line. What no view shows follows value by value. */
export function argumentLines(args: Json, masked: readonly Keys[], paint: Paint): string[] {
  const view = viewOf(args, masked)
  if (view === undefined) return valueLines(args)
  const rest = Object.entries(args as object).filter(([key]) => !view.covers.has(key))
  return [
    paint('dim', `  as ${VIEW_WORDS[view.name]}`),
    ...view.blocks.flatMap((block) => blockLines(block, paint)),
    ...(rest.length === 0 ? [] : valueLines(Object.fromEntries(rest) as Json)),
  ]
}

const VIEW_WORDS = {
  Message: 'a message',
  SQL: 'a statement',
  Changes: 'a change',
  Command: 'a command',
  Code: 'code',
  Table: 'a table',
  Text: 'a text',
} as const

function blockLines(block: Block, paint: Paint): string[] {
  switch (block.kind) {
    case 'field':
      return [`  ${printable(block.key)}: ${quoted(block.value)}`]
    case 'patch':
      return [title(block.key), ...patchedLines(block, paint)]
    case 'change':
      return [`  ${place(block.from)} → ${place(block.to)}:`, ...changeLines(block.lines, paint)]
    case 'table':
      return [title(block.key), ...tableLines(block.columns, block.rows)]
    default: {
      const [[, text] = []] = shownBy([block])
      return [title(block.key), ...textLines(String(text))]
    }
  }
}

const title = (key: string) => `  ${named(key)}:`
const place = (keys: Keys) => printable(keys.join('.'))

/** In quotes, so that an empty one is seen as well. */
function quoted(value: string | readonly string[]): string {
  return [value].flat().map(printableQuoted).join(', ')
}

const GAP = 3

/** Every line behind the bar. Blank lines that push the rest out of sight are counted instead. */
export function textLines(text: string): string[] {
  const lines: string[] = []
  let blank = 0
  const flush = () => {
    if (blank > GAP) lines.push(`${BAR}‹${blank} blank lines›`)
    else lines.push(...Array.from({ length: blank }, () => BAR.trimEnd()))
    blank = 0
  }
  for (const line of text.split('\n')) {
    if (line === '') blank += 1
    else {
      flush()
      lines.push(barred(line))
    }
  }
  flush()
  return lines
}

const barred = (line: string) => BAR + printableValue(line)

/** Each line behind the number that it has in the file: of what goes out the old one, else the new. */
function patchedLines({ text, lines }: Extract<Block, { kind: 'patch' }>, paint: Paint): string[] {
  const numbers = lines.map(({ before, after }) => String(after ?? before ?? ''))
  const width = numbers.reduce((most, one) => Math.max(most, one.length), 0)
  return text.split('\n').map((line, at) => {
    const number = (numbers[at] ?? '').padStart(width)
    return styled(lines[at]?.kind ?? 'same', `${BAR}${number} ${printableValue(line)}`, paint)
  })
}

const SIGNS = { same: ' ', removed: '-', added: '+' } as const

export function changeLines(lines: readonly ChangedLine[], paint: Paint): string[] {
  const isEnded = (side: 'removed' | 'added') =>
    lines.findLast(({ kind }) => kind === 'same' || kind === side)?.text.endsWith('\n') ?? false
  // The two texts may differ by the last line end alone.
  const isTelling = isEnded('removed') !== isEnded('added')
  return lines.map(({ kind, text }) => {
    const isOpen = !text.endsWith('\n')
    const line = barred(`${SIGNS[kind]} ${isOpen ? text : text.slice(0, -1)}`)
    return styled(kind, isOpen && isTelling ? `${line}‹no line end›` : line, paint)
  })
}

const STYLES: Readonly<Record<string, Style>> = { removed: 'red', added: 'green', hunk: 'cyan' }

function styled(kind: string, line: string, paint: Paint): string {
  const style = STYLES[kind]
  return style === undefined ? line : paint(style, line)
}

type Row = readonly (Flat | undefined)[]

export function tableLines(columns: readonly string[], rows: readonly Row[]): string[] {
  const cells = [columns.map(named), ...rows.map((row) => columns.map((_, at) => cell(row[at])))]
  // Not spread: a call may bring more rows than a function takes arguments.
  const widths = columns.map((_, at) =>
    cells.reduce((most, row) => Math.max(most, columnsOf(row[at] ?? '')), 0),
  )
  const total = widths.reduce((sum, width) => sum + width + GAP, 0)
  if (total > TABLE_COLUMNS) return rows.flatMap((row, at) => rowLines(columns, row, at))
  const isNumber = columns.map((_, at) => rows.every((row) => typeof row[at] !== 'string'))
  return cells.map((row) => {
    const padded = row.map((text, at) => {
      const space = ' '.repeat((widths[at] ?? 0) - columnsOf(text))
      return isNumber[at] ? space + text : text + space
    })
    return `${BAR}${padded.join(' │ ')}`.trimEnd()
  })
}

function rowLines(columns: readonly string[], row: Row, at: number): string[] {
  const shown = columns.map((name, column) => `${named(name)}: ${cell(row[column])}`)
  return [`${BAR}${at + 1}. ${shown.join(' · ')}`]
}

/** Bare where it can be nothing else: a text that reads as a number or hides its edges is quoted. */
const BARE = /^[\p{L}_][^"│·\s]*(?: [^"│·\s]+)*$/u
const WORDS = new Set(['true', 'false', 'null'])
const NONE = '–'

function cell(value: Flat | undefined): string {
  if (value === undefined) return NONE
  if (typeof value !== 'string') return String(value)
  const isBare = BARE.test(value) && !WORDS.has(value)
  return isBare ? printable(value) : printableQuoted(value)
}
