/** One line of what was and what is: gone, new, or the same in both. */
export interface ChangedLine {
  readonly mark: '-' | '+' | ' '
  readonly text: string
}

/** More than this is not compared: two files of a megabyte of line ends would take terabytes. */
const MOST_CELLS = 4_000_000

/** The fewest lines to take out and put in. Whole lines, in order: what only moved shows as well. */
export function changedLines(before: readonly string[], after: readonly string[]): ChangedLine[] {
  if (before.length * after.length > MOST_CELLS) {
    const all = (mark: '-' | '+') => (text: string) => ({ mark, text })
    return [...before.map(all('-')), ...after.map(all('+'))]
  }
  const common = lengths(before, after)
  const lines: ChangedLine[] = []
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    const [gone, here] = [before[i], after[j]]
    if (gone !== undefined && gone === here) {
      lines.push({ mark: ' ', text: gone })
      i++
      j++
    } else if (gone !== undefined && (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0)) {
      lines.push({ mark: '-', text: gone })
      i++
    } else {
      lines.push({ mark: '+', text: here ?? '' })
      j++
    }
  }
  return lines
}

/** How many lines the rests of both have in common, from each place on. */
function lengths(before: readonly string[], after: readonly string[]): number[][] {
  const table = Array.from({ length: before.length + 1 }, () =>
    new Array<number>(after.length + 1).fill(0),
  )
  for (let i = before.length - 1; i >= 0; i--) {
    const [row, next] = [table[i] ?? [], table[i + 1] ?? []]
    for (let j = after.length - 1; j >= 0; j--) {
      row[j] =
        before[i] === after[j] ? (next[j + 1] ?? 0) + 1 : Math.max(next[j] ?? 0, row[j + 1] ?? 0)
    }
  }
  return table
}
