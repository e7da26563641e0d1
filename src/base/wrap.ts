/** Characters that most terminals draw two columns wide. Too many is safe: lines break earlier. */
const WIDE =
  /[\u1100-\u115F\u2329\u232A\u2E80-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18DFF}\u{1AFF0}-\u{1B2FF}\u{1F000}-\u{1FBFF}\u{20000}-\u{3FFFD}]|\p{Extended_Pictographic}|\p{Emoji_Presentation}/u
const NARROW = /^[\x20-\x7e]*$/

/** How many columns a text takes. It has no control characters any more. */
export function columnsOf(text: string): number {
  if (NARROW.test(text)) return text.length
  let columns = 0
  for (const char of text) columns += WIDE.test(char) ? 2 : 1
  return columns
}

/** Marks a line that goes on from the one above, so that no text can start a line of its own. */
export const GOES_ON = '↳ '

/** Breaks a line at the edge of the screen, between words where it can, and loses nothing of it. */
export function wrap(line: string, width: number): string[] {
  if (NARROW.test(line) && line.length <= width) return [line]
  const lines: string[] = []
  let text = ''
  let used = 0
  for (const char of line) {
    const columns = WIDE.test(char) ? 2 : 1
    if (used + columns > width && text !== '') {
      const end = wordEnd(text)
      lines.push(text.slice(0, end))
      text = GOES_ON + text.slice(end)
      used = columnsOf(text)
    }
    text += char
    used += columns
  }
  return [...lines, text]
}

/** Behind the last space in the second half of a line; without one, a word is broken. */
function wordEnd(line: string): number {
  const space = line.lastIndexOf(' ')
  return space * 2 > line.length ? space + 1 : line.length
}

/** A text for a place where nothing is decided: exactly this wide, cut with a mark. */
export function cut(text: string, width: number): string {
  const columns = columnsOf(text)
  if (columns <= width) return text + ' '.repeat(width - columns)
  let start = ''
  let used = 0
  for (const char of text) {
    const next = WIDE.test(char) ? 2 : 1
    if (used + next > width - 1) break
    start += char
    used += next
  }
  return `${start}…${' '.repeat(Math.max(0, width - used - 1))}`
}
