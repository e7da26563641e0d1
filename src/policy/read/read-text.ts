import type { Place } from '../document.ts'
import type { Report } from './read-report.ts'

const MAX_FILE_BYTES = 1_048_576

/**
 * Bytes → text that every reader sees alike, or undefined after a report. Checked before YAML
 * looks at it: size, encoding, and characters that show one thing and mean another.
 */
export function readText(
  file: string,
  source: string | Uint8Array,
  report: Report,
): string | undefined {
  const whole: Place = { file, line: 1, column: 1 }
  if (byteLength(source) > MAX_FILE_BYTES) {
    report.mistake(
      whole,
      '',
      'too_large',
      'the file is larger than 1 MB; a policy is a few pages of text',
    )
    return undefined
  }
  const decoded = typeof source === 'string' ? wellFormed(source) : decode(source)
  if (typeof decoded !== 'string') {
    report.mistake({ file, ...decoded.at }, '', 'not_utf8', decoded.problem)
    return undefined
  }
  const text = decoded.startsWith('\uFEFF') ? decoded.slice(1) : decoded
  const odd = STRANGE.exec(text)
  if (odd) {
    report.mistake({ file, ...position(text, odd.index) }, '', ...strangeness(odd[0]))
    return undefined
  }
  return text
}

interface Unreadable {
  readonly at: { readonly line: number; readonly column: number }
  readonly problem: string
}

function byteLength(source: string | Uint8Array): number {
  if (typeof source !== 'string') return source.byteLength
  // A UTF-16 unit takes at most three bytes in UTF-8, so most texts need no counting.
  if (source.length > MAX_FILE_BYTES || source.length * 3 <= MAX_FILE_BYTES) return source.length
  return new TextEncoder().encode(source).length
}

function wellFormed(text: string): string | Unreadable {
  if (text.isWellFormed()) return text
  const index = text.search(/\p{Cs}/u)
  return { at: position(text, index), problem: 'the text holds half of a surrogate pair' }
}

function decode(bytes: Uint8Array): string | Unreadable {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return { at: { line: 1, column: 1 }, problem: 'the file is UTF-16; save it as UTF-8' }
  }
  const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    return strict.decode(bytes)
  } catch {
    const problem = bytes.includes(0)
      ? 'the file is binary, not text'
      : 'the file is not UTF-8 text; save it as UTF-8'
    return { at: badByte(bytes, strict), problem }
  }
}

/** The first line that does not decode. A line feed is never part of a longer character. */
function badByte(bytes: Uint8Array, strict: TextDecoder): Unreadable['at'] {
  const lenient = new TextDecoder('utf-8', { ignoreBOM: true })
  let line = 1
  let start = 0
  for (;;) {
    const feed = bytes.indexOf(10, start)
    const part = bytes.subarray(start, feed < 0 ? bytes.length : feed)
    try {
      strict.decode(part)
    } catch {
      return { line, column: lenient.decode(part).indexOf('\uFFFD') + 1 }
    }
    if (feed < 0) return { line, column: 1 }
    line++
    start = feed + 1
  }
}

// Control characters; a carriage return that ends no line; separators and direction marks that an
// editor shows as a new line or in another order, while YAML reads straight on.
const STRANGE = /(?![\t\n\r])\p{Cc}|\r(?!\n)|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

function strangeness(char: string): [kind: string, message: string] {
  const code = char.charCodeAt(0)
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  if (char === '\r') {
    return ['lone_return', 'a carriage return stands alone; end lines with LF or CR LF']
  }
  if (code >= 0x2028) {
    return [
      'hidden_character',
      `the character ${name} makes an editor show something else than is read; remove it`,
    ]
  }
  return ['binary', `the character ${name} does not belong in a text file; is this a binary file?`]
}

function position(text: string, index: number): { line: number; column: number } {
  const before = text.slice(0, Math.max(index, 0))
  const line = before.split('\n').length
  return { line, column: before.length - (before.lastIndexOf('\n') + 1) + 1 }
}
