import { CountersignError, type ErrorCode } from '../errors.ts'
import { isSafeNumber } from './canonical.ts'
import type { Json, JsonObject } from './json.ts'

export interface ParseLimits {
  readonly depth: number
  /** Length of the text in UTF-8 bytes. */
  readonly bytes: number
  /** Members of all objects together. */
  readonly keys: number
}

export const PARSE_LIMITS: ParseLimits = { depth: 64, bytes: 1_048_576, keys: 10_000 }

/**
 * JSON as every reader understands it, or an error with a code. `JSON.parse` keeps the last of two
 * equal keys, rounds numbers it cannot hold and lets halves of surrogate pairs through; another
 * reader of the same bytes may see something else, and then a person approves one call and
 * another one runs.
 */
export function parseStrict(source: string | Uint8Array, limits: Partial<ParseLimits> = {}): Json {
  const all = { ...PARSE_LIMITS, ...limits }
  const text = decode(source, all.bytes)
  return quickly(text, all) ?? new Parser(text, all).document()
}

/**
 * What `JSON.stringify` would write just so holds no key twice and no number that is kept otherwise
 * than it is written. Most programs write like that, and then two native passes do. Undefined says
 * nothing; `null` is a document too, and left to the parser.
 */
function quickly(text: string, { depth, keys }: ParseLimits): Json | undefined {
  // Only an escape can make half of a surrogate pair here.
  if (text.includes('\\u')) return undefined
  try {
    const value = JSON.parse(text) as Json
    if (JSON.stringify(value) !== text) return undefined
    return isWithin(value, depth, { left: keys }) ? (value ?? undefined) : undefined
  } catch {
    return undefined
  }
}

function isWithin(value: Json, depth: number, keys: { left: number }): boolean {
  if (typeof value === 'number') return isSafeNumber(value)
  if (typeof value !== 'object' || value === null) return true
  if (depth === 0) return false
  if (Array.isArray(value)) return value.every((item) => isWithin(item, depth - 1, keys))
  for (const key in value) {
    if (--keys.left < 0 || !isWithin((value as JsonObject)[key] ?? null, depth - 1, keys)) {
      return false
    }
  }
  return true
}

function decode(source: string | Uint8Array, bytes: number): string {
  const text = typeof source === 'string' ? checked(source, bytes) : decodeBytes(source, bytes)
  if (text.charCodeAt(0) === 0xfeff) {
    throw new CountersignError('invalid_json', 'the text starts with a byte order mark; remove it')
  }
  return text
}

function checked(text: string, bytes: number): string {
  // A UTF-16 unit takes one to three bytes in UTF-8, so most texts need no counting.
  const fits =
    text.length <= bytes &&
    (text.length * 3 <= bytes || new TextEncoder().encode(text).length <= bytes)
  if (!fits) throw tooLarge(bytes)
  if (!text.isWellFormed()) {
    throw new CountersignError('invalid_unicode', 'the text holds half of a surrogate pair')
  }
  return text
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeBytes(source: Uint8Array, bytes: number): string {
  if (source.byteLength > bytes) throw tooLarge(bytes)
  try {
    return UTF8.decode(source)
  } catch {
    throw new CountersignError('invalid_unicode', 'the bytes are not UTF-8')
  }
}

function tooLarge(bytes: number): CountersignError {
  return new CountersignError('too_large', `the text is larger than ${bytes} bytes`)
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const MINUS = 0x2d
const DOT = 0x2e
const ZERO = 0x30

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])

class Parser {
  readonly #text: string
  readonly #limits: ParseLimits
  #at = 0
  #depth = 0
  #keys = 0

  constructor(text: string, limits: ParseLimits) {
    this.#text = text
    this.#limits = limits
  }

  document(): Json {
    const value = this.#value()
    this.#blanks()
    if (this.#at < this.#text.length) throw this.#unexpected('the end of the text')
    return value
  }

  #value(): Json {
    this.#blanks()
    const code = this.#text.charCodeAt(this.#at)
    switch (code) {
      case QUOTE:
        return this.#string()
      case OPEN_OBJECT:
        return this.#object()
      case OPEN_LIST:
        return this.#list()
      case 0x74:
        return this.#word('true', true)
      case 0x66:
        return this.#word('false', false)
      case 0x6e:
        return this.#word('null', null)
      default:
        if (code === MINUS || isDigit(code)) return this.#number()
        throw this.#unexpected('a value')
    }
  }

  #object(): Json {
    this.#enter()
    const object: Record<string, Json> = {}
    this.#blanks()
    if (this.#skip(CLOSE_OBJECT)) return this.#leave(object)
    do {
      this.#blanks()
      const start = this.#at
      if (this.#text.charCodeAt(start) !== QUOTE) throw this.#unexpected('a key in quotes')
      const key = this.#string()
      if (Object.hasOwn(object, key)) {
        throw this.#error(
          'duplicate_key',
          `the key ${JSON.stringify(key)} stands here twice`,
          start,
        )
      }
      if (++this.#keys > this.#limits.keys) {
        throw new CountersignError('too_large', `there are more than ${this.#limits.keys} keys`)
      }
      this.#blanks()
      if (!this.#skip(COLON)) throw this.#unexpected('a colon')
      const value = this.#value()
      if (key === '__proto__') defineOwn(object, key, value)
      else object[key] = value
      this.#blanks()
    } while (this.#skip(COMMA))
    if (!this.#skip(CLOSE_OBJECT)) throw this.#unexpected('a comma or }')
    return this.#leave(object)
  }

  #list(): Json {
    this.#enter()
    const list: Json[] = []
    this.#blanks()
    if (this.#skip(CLOSE_LIST)) return this.#leave(list)
    do {
      list.push(this.#value())
      this.#blanks()
    } while (this.#skip(COMMA))
    if (!this.#skip(CLOSE_LIST)) throw this.#unexpected('a comma or ]')
    return this.#leave(list)
  }

  #string(): string {
    const text = this.#text
    const start = ++this.#at
    let at = start
    let code = text.charCodeAt(at)
    while (code !== QUOTE && code !== BACKSLASH && code >= 0x20) code = text.charCodeAt(++at)
    this.#at = at
    if (code === QUOTE) {
      this.#at++
      return text.slice(start, at)
    }
    return this.#longString(start)
  }

  /** From the first escape on, piece by piece. */
  #longString(start: number): string {
    const text = this.#text
    let value = text.slice(start, this.#at)
    for (;;) {
      const code = text.charCodeAt(this.#at)
      if (code === QUOTE) {
        this.#at++
        break
      }
      if (code === BACKSLASH) {
        value += this.#escape()
      } else if (code >= 0x20) {
        const from = this.#at
        let at = from
        let next = code
        while (next !== QUOTE && next !== BACKSLASH && next >= 0x20) next = text.charCodeAt(++at)
        value += text.slice(from, at)
        this.#at = at
      } else {
        throw this.#unexpected('the end of the string; control characters are written as escapes')
      }
    }
    if (!value.isWellFormed()) {
      throw this.#error('invalid_unicode', 'an escape makes half of a surrogate pair', start)
    }
    return value
  }

  #escape(): string {
    const letter = this.#text.charAt(this.#at + 1)
    const plain = ESCAPES.get(letter)
    if (plain !== undefined) {
      this.#at += 2
      return plain
    }
    const hex = this.#text.slice(this.#at + 2, this.#at + 6)
    if (letter !== 'u' || !/^[0-9A-Fa-f]{4}$/.test(hex)) throw this.#unexpected('a known escape')
    this.#at += 6
    return String.fromCharCode(Number.parseInt(hex, 16))
  }

  #number(): number {
    const text = this.#text
    const start = this.#at
    if (text.charCodeAt(start) === MINUS) this.#at++
    if (text.charCodeAt(this.#at) === ZERO) this.#at++
    else this.#digits()
    if (text.charCodeAt(this.#at) === DOT) {
      this.#at++
      this.#digits()
    }
    const exponent = text.charCodeAt(this.#at) | 0x20
    if (exponent === 0x65) {
      const sign = text.charCodeAt(++this.#at)
      if (sign === MINUS || sign === 0x2b) this.#at++
      this.#digits()
    }
    return this.#judge(text.slice(start, this.#at), start)
  }

  #digits(): void {
    if (!isDigit(this.#text.charCodeAt(this.#at))) throw this.#unexpected('a digit')
    do this.#at++
    while (isDigit(this.#text.charCodeAt(this.#at)))
  }

  /** By what is written, not by what is left of it: 1e-400 is not zero, though it becomes zero. */
  #judge(literal: string, start: number): number {
    const value = Number(literal)
    if (value === 0) {
      if (/^[^eE]*[1-9]/.test(literal)) throw this.#unsafe(start)
      return 0
    }
    if (!isSafeNumber(value)) throw this.#unsafe(start)
    return value
  }

  /** Its place and not the number itself: it is not known yet whether it is a secret. */
  #unsafe(start: number): CountersignError {
    return this.#error('unsafe_number', 'this number is not kept exactly by every reader', start)
  }

  #word<T extends Json>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) throw this.#unexpected('a value')
    this.#at += word.length
    return value
  }

  #enter(): void {
    if (++this.#depth > this.#limits.depth) {
      throw this.#error('too_deep', `nested deeper than ${this.#limits.depth}`, this.#at)
    }
    this.#at++
  }

  #leave<T>(value: T): T {
    this.#depth--
    return value
  }

  #skip(code: number): boolean {
    if (this.#text.charCodeAt(this.#at) !== code) return false
    this.#at++
    return true
  }

  #blanks(): void {
    const text = this.#text
    let code = text.charCodeAt(this.#at)
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      code = text.charCodeAt(++this.#at)
    }
  }

  #unexpected(wanted: string): CountersignError {
    const found = this.#text.codePointAt(this.#at)
    const what = found === undefined ? 'the text ends' : JSON.stringify(String.fromCodePoint(found))
    return this.#error('invalid_json', `${what} where ${wanted} is needed`, this.#at)
  }

  #error(code: ErrorCode, message: string, at: number): CountersignError {
    return new CountersignError(code, `position ${at}: ${message}`, { details: { position: at } })
  }
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= 0x39
}

// Assigning to __proto__ would change the object's prototype instead of adding a member.
function defineOwn(object: object, key: string, value: Json): void {
  Object.defineProperty(object, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  })
}
