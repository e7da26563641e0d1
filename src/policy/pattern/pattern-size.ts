/*
 * How large a pattern is once its counts are spelled out, told from its text alone. Compiling takes
 * time with that size: `x{1000}` written 300 times takes seconds, and patterns come from agents.
 */

/** Tables of thousands of ranges, which are read anew each time. */
const UNICODE_CLASS = 200
const COUNT = /\{(\d+)(?:,(\d*))?\}/y
const BRACED = /\{[^}]*\}/y

/** About the number of instructions it compiles to, and never much less. */
export function patternSize(text: string): number {
  /** Size of each open group, and of the last thing inside of it, which a count would multiply. */
  const open = [{ size: 0, last: 0 }]
  let at = 0

  function group() {
    return open[open.length - 1] ?? { size: 0, last: 0 }
  }

  function add(size: number): void {
    const now = group()
    now.size += size
    now.last = size
  }

  function skip(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found) at += found[0].length
    return found
  }

  /** Behind a backslash. */
  function escaped(): number {
    const letter = text.charAt(at++)
    if (letter === 'Q') {
      const end = text.indexOf('\\E', at)
      const quoted = (end < 0 ? text.length : end) - at
      at = end < 0 ? text.length : end + 2
      return quoted
    }
    if (!/[pPxuk]/.test(letter)) return 1
    skip(BRACED)
    return letter === 'p' || letter === 'P' ? UNICODE_CLASS : 1
  }

  function characterClass(): number {
    let size = 1
    if (text.charAt(at) === '^') at += 1
    // The first bracket is a character.
    if (text.charAt(at) === ']') at += 1
    while (at < text.length && text.charAt(at) !== ']') {
      const isNamed = text.startsWith('[:', at)
      const end = isNamed ? text.indexOf(':]', at) : -1
      if (end >= 0) at = end + 2
      else if (text.charAt(at++) === '\\') size += escaped() - 1
    }
    at += 1
    return size
  }

  while (at < text.length) {
    const count = skip(COUNT)
    if (count) {
      const [, least = '', most = ''] = count
      const times = Math.max(1, Number(least), Number(most))
      const now = group()
      now.size += now.last * (times - 1)
      now.last *= times
      continue
    }
    const char = text.charAt(at++)
    if (char === '(') open.push({ size: 1, last: 0 })
    else if (char === ')' && open.length > 1) add(open.pop()?.size ?? 0)
    else if (char === '[') add(characterClass())
    else if (char === '\\') add(escaped())
    else if (char === '*' || char === '+' || char === '?') {
      const now = group()
      now.size += 1
      now.last += 1
    } else add(1)
  }
  return open.reduce((sum, { size }) => sum + size, 0)
}
