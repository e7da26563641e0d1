/** A text in lines. Long runs of blank ones are counted: they push what follows off the screen. */
export type Line =
  | {
      readonly kind: 'line'
      readonly number: number
      readonly text: string
      readonly last: boolean
    }
  | {
      readonly kind: 'gap'
      readonly number: number
      readonly count: number
      readonly more: boolean
    }

const MOST_BLANK = 2
const BLANK = /^[\s\p{Default_Ignorable_Code_Point}]*$/u

export function splitLines(text: string, open: ReadonlySet<number> = new Set()): readonly Line[] {
  const lines = text.split('\n')
  const shown: Line[] = []
  for (let at = 0; at < lines.length; at += 1) {
    let end = at
    while (end < lines.length && BLANK.test(lines[end] ?? '')) end += 1
    const number = at + 1
    if (end - at > MOST_BLANK && !open.has(number)) {
      shown.push({ kind: 'gap', number, count: end - at, more: end < lines.length })
      at = end - 1
      continue
    }
    const stop = Math.max(end, at + 1)
    for (; at < stop; at += 1) {
      shown.push({
        kind: 'line',
        number: at + 1,
        text: lines[at] ?? '',
        last: at === lines.length - 1,
      })
    }
    at -= 1
  }
  return shown
}

/** The longest run of blank lines that has text after it. */
export function longestGap(text: string): number {
  return splitLines(text).reduce(
    (most, line) => (line.kind === 'gap' && line.more ? Math.max(most, line.count) : most),
    0,
  )
}
