import { PassThrough, Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'

/** A terminal in memory: what a program draws on it can be read, and keys can be typed. */
export interface TerminalScreen {
  readonly stdin: NodeJS.ReadableStream
  readonly stdout: NodeJS.WritableStream
  /** Resolves when the program has read them; without waiting, keys arrive as if pasted. */
  type(keys: string): Promise<void>
  resize(columns: number, rows: number): void
  /** Lines as a person sees them now. */
  lines(): string[]
  text(): string
  /** Every byte the program sent. */
  raw(): string
  /** The screen that was there before, with its cursor, is there again. */
  restored(): boolean
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the control characters are the point.
const TOKEN = /\u001b\[(?<args>[?>=]?[\d;]*)(?<end>[A-Za-z])|\n|\r|[^\u001b\n\r]/gu

export function terminalScreen(columns = 110, rows = 30): TerminalScreen {
  let raw = ''
  let cells: string[] = []
  let row = 0
  let column = 0
  let isAlternate = false
  let isHidden = false

  function put(text: string): void {
    const line = [...(cells[row] ?? '').padEnd(column)]
    line[column] = text
    cells[row] = line.join('')
    column += 1
  }

  function steer(end: string, args: string): void {
    const [first = 0, second = 0] = args.replace(/^\?/, '').split(';').map(Number)
    if (end === 'A') row = Math.max(0, row - (first || 1))
    else if (end === 'B') row += first || 1
    else if (end === 'C') column += first || 1
    else if (end === 'D') column = Math.max(0, column - (first || 1))
    else if (end === 'E') [row, column] = [row + (first || 1), 0]
    else if (end === 'G') column = Math.max(0, first - 1)
    else if (end === 'H') [row, column] = [Math.max(0, first - 1), Math.max(0, second - 1)]
    else if (end === 'J') {
      if (first >= 2) cells = []
      else {
        cells = cells.slice(0, row + 1)
        cells[row] = (cells[row] ?? '').slice(0, column)
      }
    } else if (end === 'K') cells[row] = first === 0 ? (cells[row] ?? '').slice(0, column) : ''
    else if (args === '?1049') {
      isAlternate = end === 'h'
      cells = []
      row = 0
      column = 0
    } else if (args === '?25') isHidden = end === 'l'
    else if (end !== 'm' && end !== 'h' && end !== 'l' && end !== 'u' && end !== 'c') {
      throw new Error(`the screen does not know ${args}${end}`)
    }
  }

  const stdout = Object.assign(
    new Writable({
      write(chunk, _, done) {
        const text = String(chunk)
        raw += text
        for (const { 0: token, groups } of text.matchAll(TOKEN)) {
          if (groups?.end !== undefined) steer(groups.end, groups.args ?? '')
          else if (token === '\n') [row, column] = [row + 1, 0]
          else if (token === '\r') column = 0
          else put(token)
        }
        done()
      },
    }),
    { isTTY: true, columns, rows },
  )
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: () => stdin,
    ref: () => stdin,
    unref: () => stdin,
  })
  const lines = () => cells.map((line) => (line ?? '').trimEnd())
  return {
    stdin,
    stdout,
    async type(keys) {
      stdin.write(keys)
      do await setImmediate()
      while (stdin.readableLength > 0)
    },
    resize(wide, high) {
      Object.assign(stdout, { columns: wide, rows: high })
      stdout.emit('resize')
    },
    lines,
    text: () => lines().join('\n'),
    raw: () => raw,
    restored: () => !isAlternate && !isHidden,
  }
}
