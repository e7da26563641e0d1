import { CountersignError, type ErrorCode, isCountersignError } from '../errors.ts'
import type { Json } from './json.ts'

export interface CanonicalLimits {
  readonly depth: number
  /** Length of the canonical text in UTF-8 bytes. */
  readonly bytes: number
  /** Members of all objects together; 10,000 when absent. */
  readonly keys?: number
}

export const CANONICAL_LIMITS: CanonicalLimits = { depth: 64, bytes: 1_048_576 }

const MAX_KEYS = 10_000

/**
 * RFC 8785: one text for each value, so equal calls have equal bytes. Anything two readers could
 * understand differently (unsafe numbers, lone surrogates, objects that are not plain) is refused.
 * Every member is read exactly once: what was written is what is hashed, shown and run, whatever
 * the object may say when it is asked again.
 */
export function canonicalJson(value: unknown, limits: CanonicalLimits = CANONICAL_LIMITS): string {
  try {
    return new Writer(limits).text(value)
  } catch (cause) {
    if (isCountersignError(cause)) throw cause
    // A proxy, or an object with a mind of its own. Whatever it throws, it is not JSON.
    throw new CountersignError('invalid_value', 'the value cannot be read as plain JSON', { cause })
  }
}

/** Finite, and if integral then within ±(2^53−1): what every JSON reader understands alike. */
export function isSafeNumber(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
}

/** A fresh copy that shares nothing with the original. */
export function freshParse(canonical: string): Json {
  return JSON.parse(canonical) as Json
}

class Writer {
  readonly #limits: CanonicalLimits
  readonly #path: (string | number)[] = []
  #text = ''
  #keys = 0

  constructor(limits: CanonicalLimits) {
    this.#limits = limits
  }

  text(value: unknown): string {
    this.#write(value)
    const { bytes } = this.#limits
    // A UTF-16 unit takes at most three bytes in UTF-8, so most texts need no counting.
    if (this.#text.length * 3 > bytes && new TextEncoder().encode(this.#text).length > bytes) {
      throw this.#tooLarge()
    }
    return this.#text
  }

  #write(value: unknown): void {
    switch (typeof value) {
      case 'string':
        this.#add(this.#string(value))
        break
      case 'number':
        this.#add(this.#number(value))
        break
      case 'boolean':
        this.#add(value ? 'true' : 'false')
        break
      case 'object':
        if (value === null) this.#add('null')
        else this.#container(value)
        break
      default:
        throw this.#refuse('invalid_value', `is a ${typeof value}, which JSON cannot hold`)
    }
  }

  /** Counted as it grows: one object in two places, nested, would double with every level. */
  #add(piece: string): void {
    this.#text += piece
    if (this.#text.length > this.#limits.bytes) throw this.#tooLarge()
  }

  #string(value: string): string {
    if (!value.isWellFormed()) {
      throw this.#refuse('invalid_unicode', 'holds half of a surrogate pair')
    }
    return JSON.stringify(value)
  }

  #number(value: number): string {
    if (!isSafeNumber(value)) {
      throw this.#refuse('unsafe_number', 'is a number that not every reader keeps exactly')
    }
    return value === 0 ? '0' : `${value}`
  }

  #container(value: object): void {
    if (this.#path.length >= this.#limits.depth) {
      throw this.#refuse('too_deep', 'is nested too deeply, or holds itself')
    }
    const prototype: unknown = Object.getPrototypeOf(value)
    if (Array.isArray(value)) {
      if (prototype !== Array.prototype) throw this.#refuse('invalid_value', 'is not a plain list')
      this.#list(value)
    } else if (prototype === Object.prototype || prototype === null) {
      this.#object(value)
    } else {
      throw this.#refuse('invalid_value', 'is not a plain object')
    }
  }

  #list(list: readonly unknown[]): void {
    this.#add('[')
    const { length } = list
    for (let index = 0; index < length; index++) {
      if (index > 0) this.#add(',')
      this.#path.push(index)
      this.#write(list[index])
      this.#path.pop()
    }
    this.#add(']')
  }

  #object(object: object): void {
    // RFC 8785 sorts by UTF-16 code units, which is what the default order of sort() compares.
    const keys = Object.keys(object).sort()
    this.#keys += keys.length
    const most = this.#limits.keys ?? MAX_KEYS
    if (this.#keys > most) {
      throw new CountersignError('too_large', `the value has more than ${most} keys`)
    }
    let separator = '{'
    for (const key of keys) {
      this.#path.push(key)
      this.#add(`${separator}${this.#string(key)}:`)
      this.#write(this.#member(object, key))
      this.#path.pop()
      separator = ','
    }
    this.#add(keys.length === 0 ? '{}' : '}')
  }

  #member(object: object, key: string): unknown {
    const member = Object.getOwnPropertyDescriptor(object, key)
    if (!member || !('value' in member)) {
      throw this.#refuse('invalid_value', 'is computed when it is read; give plain values')
    }
    return member.value
  }

  #refuse(code: ErrorCode, what: string): CountersignError {
    const at = this.#path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    return new CountersignError(code, `$${at.join('')} ${what}`)
  }

  #tooLarge(): CountersignError {
    return new CountersignError('too_large', `the value is larger than ${this.#limits.bytes} bytes`)
  }
}
