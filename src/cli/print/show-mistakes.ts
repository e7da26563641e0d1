import type { Mistake } from '../../policy/document.ts'
import type { Paint } from './colour.ts'
import { printable } from './printable.ts'

/** One line per mistake; with the text of the file, also the line it is about and a caret. */
export function showMistake(
  { place, path, message }: Mistake,
  word: 'mistake' | 'warning',
  paint: Paint,
  source?: string,
): string[] {
  const { file, line, column } = place
  const where = paint('bold', `${printable(file)}:${line}:${column}:`)
  const what = word === 'warning' ? paint('yellow', ' warning:') : ''
  const name = path === '' ? '' : ` ${printable(path)}:`
  const head = `${where}${what}${name} ${printable(message)}`
  return source === undefined ? [head] : [head, ...showSource(source, line, column, paint)]
}

const LONGEST = 110

function showSource(source: string, line: number, column: number, paint: Paint): string[] {
  const text = source.split('\n')[line - 1]?.replace(/\r$/, '')
  if (text === undefined || text.trim() === '') return []
  // A long line is cut around the place that matters.
  const start = column > LONGEST ? column - LONGEST / 2 : 0
  const gutter = paint('gray', `${String(line).padStart(5)} │ `)
  const before = printable(text.slice(start, column - 1))
  const after = printable(text.slice(column - 1, start + LONGEST))
  return [
    `${gutter}${before}${after}`,
    `${paint('gray', '      │ ')}${' '.repeat(before.length)}${paint('red', '^')}`,
  ]
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`
}
