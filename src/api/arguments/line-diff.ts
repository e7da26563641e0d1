/** What a change takes out and puts in, line by line. Every line of both sides is kept. */
export interface ChangedLine {
  readonly kind: 'same' | 'removed' | 'added'
  /** With its line end, where it has one: two texts differ by that as well. */
  readonly text: string
}

/** More than this is not compared: everything goes out, everything comes in. */
const MOST_CELLS = 1_000_000

export function changedLines(before: string, after: string): readonly ChangedLine[] {
  const old = linesOf(before)
  const next = linesOf(after)
  let start = 0
  while (start < Math.min(old.length, next.length) && old[start] === next[start]) start += 1
  let end = 0
  while (
    end < Math.min(old.length, next.length) - start &&
    old[old.length - 1 - end] === next[next.length - 1 - end]
  ) {
    end += 1
  }
  return [
    ...marked('same', old.slice(0, start)),
    ...middle(old.slice(start, old.length - end), next.slice(start, next.length - end)),
    ...marked('same', old.slice(old.length - end)),
  ]
}

/** One of the two texts, put together again. */
export function sideOf(lines: readonly ChangedLine[], side: 'removed' | 'added'): string {
  return lines
    .filter(({ kind }) => kind === 'same' || kind === side)
    .map(({ text }) => text)
    .join('')
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}

function marked(kind: ChangedLine['kind'], lines: readonly string[]): ChangedLine[] {
  return lines.map((text) => ({ kind, text }))
}

/** By the longest lines that both have in the same order. */
function middle(old: readonly string[], next: readonly string[]): ChangedLine[] {
  if (old.length * next.length > MOST_CELLS) {
    return [...marked('removed', old), ...marked('added', next)]
  }
  const width = next.length + 1
  const longest = new Uint32Array((old.length + 1) * width)
  const at = (row: number, column: number) => longest[row * width + column] ?? 0
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = next.length - 1; column >= 0; column -= 1) {
      longest[row * width + column] =
        old[row] === next[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  const lines: ChangedLine[] = []
  let row = 0
  let column = 0
  while (row < old.length || column < next.length) {
    const out = old[row]
    const into = next[column]
    if (out !== undefined && out === into) {
      lines.push({ kind: 'same', text: out })
      row += 1
      column += 1
    } else if (
      into === undefined ||
      (out !== undefined && at(row + 1, column) >= at(row, column + 1))
    ) {
      lines.push({ kind: 'removed', text: out ?? '' })
      row += 1
    } else {
      lines.push({ kind: 'added', text: into })
      column += 1
    }
  }
  return lines
}
