/**
 * Patterns that only spell out texts, such as `.*@external\.com$` or `^https?://`, as those texts
 * and where they must stand. Most patterns in policies are of this kind, and comparing is fast.
 * Undefined for everything else; never a guess.
 */
export interface Spelled {
  readonly texts: readonly string[]
  readonly atStart: boolean
  readonly atEnd: boolean
}

// More than a few alternatives are found faster by searching for all of them at once.
const MAX_TEXTS = 8

export function spelledOut(pattern: string): Spelled | undefined {
  const atStart = pattern.startsWith('^')
  const atEnd = pattern.endsWith('$') && !pattern.endsWith('\\$')
  let body = pattern.slice(atStart ? 1 : 0, atEnd ? -1 : undefined)
  // A search may begin and end anywhere, so there `.*` adds nothing. Beside an anchor it does:
  // it does not cross a line break.
  if (!atStart && body.startsWith('.*')) body = body.slice(2)
  if (!atEnd && body.endsWith('.*') && !body.endsWith('\\.*')) body = body.slice(0, -2)
  const reader = { body, at: 0 }
  const texts = readTexts(reader, false)
  return texts && reader.at === body.length ? { texts, atStart, atEnd } : undefined
}

interface Reader {
  readonly body: string
  at: number
}

/** One text after the other; inside a group also `a|b`. */
function readTexts(reader: Reader, inGroup: boolean): string[] | undefined {
  const done: string[] = []
  let texts = ['']
  while (reader.at < reader.body.length) {
    const char = reader.body.charAt(reader.at)
    if (inGroup && char === ')') break
    if (inGroup && char === '|') {
      done.push(...texts)
      texts = ['']
      reader.at++
      continue
    }
    const ends = char === '(' ? readGroup(reader) : readCharacter(reader)
    if (ends === undefined) return undefined
    if (reader.body.charAt(reader.at) === '?') {
      ends.push('')
      reader.at++
    }
    if ('*+?{'.includes(reader.body.charAt(reader.at) || ' ')) return undefined
    texts = texts.flatMap((text) => ends.map((end) => text + end))
    if (texts.length + done.length > MAX_TEXTS) return undefined
  }
  return [...done, ...texts]
}

function readGroup(reader: Reader): string[] | undefined {
  reader.at += reader.body.startsWith('(?:', reader.at) ? 3 : 1
  const texts = readTexts(reader, true)
  if (reader.body.charAt(reader.at) !== ')') return undefined
  reader.at++
  return texts
}

/** A character that means itself. Half of a surrogate pair never does. */
function readCharacter(reader: Reader): string[] | undefined {
  const char = reader.body.charAt(reader.at++)
  if (char !== '\\') return /[\^$.[\]|()?*+{}\ud800-\udfff]/.test(char) ? undefined : [char]
  const escaped = reader.body.charAt(reader.at++)
  return /[!-/:-@[-`{-~]/.test(escaped) && escaped !== '_' ? [escaped] : undefined
}

/** The comparison as a function, one for each form so that each stays small. */
export function spelledTest({ texts, atStart, atEnd }: Spelled): (value: string) => boolean {
  const [only = ''] = texts
  if (texts.length > 1) {
    const tests = texts.map((text) => spelledTest({ texts: [text], atStart, atEnd }))
    return (value) => {
      for (const test of tests) if (test(value)) return true
      return false
    }
  }
  if (atStart && atEnd) return (value) => value === only
  if (atStart) return (value) => value.startsWith(only)
  if (atEnd) return (value) => value.endsWith(only)
  return (value) => value.includes(only)
}
