import { isPlainObject } from '../base/json/json.ts'

/** Reads a value as a fresh copy of exactly the shape asked for, or throws a `Mismatch`. */
export type Reader<T> = (value: unknown) => T

/** What was wrong, and where. Never leaves this folder: `step` answers it as a refusal. */
export class Mismatch extends Error {
  /** Filled in on the way out, so that reading what is right costs nothing for it. */
  path = ''

  get sentence(): string {
    return `${this.path.replace(/^\./, '')}: ${this.message}`
  }
}

function inside<T>(error: T, name: string): T {
  if (error instanceof Mismatch) error.path = name + error.path
  return error
}

/** Text that every database and every reader keeps as it is. */
export function text(max: number, pattern?: RegExp): Reader<string> {
  return (value) => {
    if (typeof value !== 'string' || value.length > max) {
      throw new Mismatch(`text of at most ${max} characters is needed`)
    }
    if (pattern ? !pattern.test(value) : value.includes('\0')) {
      throw new Mismatch(
        pattern ? `text like ${pattern.source} is needed` : 'text without NUL is needed',
      )
    }
    if (!value.isWellFormed()) throw new Mismatch('halves of surrogate pairs are not text')
    return value
  }
}

export function oneOf<const T extends string>(words: readonly T[]): Reader<T> {
  return (value) => {
    if (!words.includes(value as T)) throw new Mismatch(`one of ${words.join(', ')} is needed`)
    return value as T
  }
}

export function whole(min: number, max: number): Reader<number> {
  return (value) => {
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min || value > max) {
      throw new Mismatch(`a whole number from ${min} to ${max} is needed`)
    }
    return value
  }
}

export const flag: Reader<boolean> = (value) => {
  if (typeof value !== 'boolean') throw new Mismatch('true or false is needed')
  return value
}

export const yes: Reader<true> = (value) => {
  if (value !== true) throw new Mismatch('true is needed, or nothing')
  return true
}

export function list<T>(item: Reader<T>, min: number, max: number): Reader<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value) || value.length < min || value.length > max) {
      throw new Mismatch(`a list of ${min} to ${max} items is needed`)
    }
    const copy: T[] = []
    try {
      for (const one of value as readonly unknown[]) copy.push(item(one))
    } catch (error) {
      throw inside(error, `[${copy.length}]`)
    }
    return copy
  }
}

/** An object with any names, each holding the same kind of thing. */
export function named<T>(item: Reader<T>, max: number): Reader<{ readonly [name: string]: T }> {
  return (value) => {
    if (!isPlainObject(value)) throw new Mismatch('an object is needed')
    const names = Object.keys(value)
    if (names.length > max) throw new Mismatch(`an object of at most ${max} members is needed`)
    return Object.fromEntries(names.map((name) => [name, item(value[name])]))
  }
}

const optionals = new WeakSet<object>()

/** A member that may be missing. Present but undefined is the same as missing. */
export function optional<T>(reader: Reader<T>): Reader<T> {
  const marked: Reader<T> = (value) => reader(value)
  optionals.add(marked)
  return marked
}

/** An object with these members and no others: an unknown name is refused, not ignored. */
export function members<T extends object>(
  readers: {
    readonly [K in keyof T]-?: Reader<Exclude<T[K], undefined>>
  },
): Reader<T> {
  const known = Object.entries<Reader<unknown>>(readers).map(([name, read]) => ({
    name,
    read,
    optional: optionals.has(read),
  }))
  const names = new Set(Object.keys(readers))
  return (value) => {
    if (!isPlainObject(value)) throw new Mismatch('an object is needed')
    const copy: Record<string, unknown> = {}
    let at = ''
    try {
      for (at of Object.keys(value)) {
        if (!names.has(at)) throw new Mismatch('no such member is known')
      }
      for (const { name, read, optional: mayMiss } of known) {
        at = name
        const member = Object.hasOwn(value, name) ? value[name] : undefined
        if (member !== undefined || !mayMiss) copy[name] = read(member)
      }
    } catch (error) {
      throw inside(error, `.${at}`)
    }
    return copy as T
  }
}

/** Tells kinds of objects apart by which of two members they have. */
export function either<A, B>(has: string, one: Reader<A>, other: Reader<B>): Reader<A | B> {
  return (value) => (isPlainObject(value) && Object.hasOwn(value, has) ? one(value) : other(value))
}
