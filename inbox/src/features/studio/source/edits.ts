/** What a key does to the source beyond typing itself. Positions are those of the text before. */
export interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
  /** What is selected afterwards. */
  readonly select: readonly [number, number]
}

export interface Selected {
  readonly text: string
  readonly from: number
  readonly to: number
}

const STEP = 2
const OPENERS = '([{'
const CLOSERS = ')]}'

/** Undefined: the browser does what it always does. */
export function editFor(
  { key, shiftKey }: { readonly key: string; readonly shiftKey: boolean },
  at: Selected,
): Edit | undefined {
  if (key === 'Tab') return shiftKey ? outdent(at) : indent(at)
  if (key === 'Enter' && !shiftKey) return newLine(at)
  if (key.length === 1 && CLOSERS.includes(key)) return closing(key, at)
  return undefined
}

function indent(at: Selected): Edit {
  const { text, from, to } = at
  if (!text.slice(from, to).includes('\n')) {
    const column = from - lineStart(text, from)
    const spaces = ' '.repeat(STEP - (column % STEP))
    return { from, to, text: spaces, select: [from + spaces.length, from + spaces.length] }
  }
  return eachLine(at, (line) => (line === '' ? line : `${' '.repeat(STEP)}${line}`))
}

function outdent(at: Selected): Edit {
  return eachLine(at, (line) => line.replace(/^(?:\t| {1,2})/, ''))
}

function eachLine({ text, from, to }: Selected, change: (line: string) => string): Edit {
  const start = lineStart(text, from)
  // A selection that ends before the first character of a line does not hold that line.
  const last = to > from && text[to - 1] === '\n' ? to - 1 : to
  const end = lineEnd(text, last)
  const lines = text.slice(start, end).split('\n')
  const changed = lines.map(change)
  const [first = '', firstNow = ''] = [lines[0], changed[0]]
  const all = changed.join('\n')
  const grown = all.length - (end - start)
  const begin = Math.max(start, from + firstNow.length - first.length)
  return { from: start, to: end, text: all, select: [begin, Math.max(begin, to + grown)] }
}

/** As deep as the line before, one step deeper after an opening bracket. */
function newLine({ text, from, to }: Selected): Edit {
  const start = lineStart(text, from)
  const indentation = /^[ \t]*/.exec(text.slice(start, from))?.[0] ?? ''
  const before = text.slice(start, from).trimEnd().at(-1) ?? ''
  const opened = OPENERS.indexOf(before)
  if (before === '' || opened === -1) return typed(from, to, `\n${indentation}`)
  const inner = `\n${indentation}${' '.repeat(STEP)}`
  if (text[to] !== CLOSERS[opened]) return typed(from, to, inner)
  const caret = from + inner.length
  return { from, to, text: `${inner}\n${indentation}`, select: [caret, caret] }
}

/** A closing bracket that begins a line stands one step further left. */
function closing(key: string, { text, from, to }: Selected): Edit | undefined {
  const start = lineStart(text, from)
  const before = text.slice(start, from)
  if (from !== to || before.length < STEP || !/^ +$/.test(before)) return undefined
  return typed(from - STEP, to, key)
}

function typed(from: number, to: number, text: string): Edit {
  return { from, to, text, select: [from + text.length, from + text.length] }
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}

/** Where a line begins and ends; the first line is 1. */
export function lineRange(text: string, line: number): readonly [number, number] {
  let start = 0
  for (let nth = 1; nth < line; nth++) {
    const next = text.indexOf('\n', start)
    if (next === -1) break
    start = next + 1
  }
  return [start, lineEnd(text, start)]
}
