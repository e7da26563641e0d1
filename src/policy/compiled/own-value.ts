const PLAIN: object = Object.prototype
const protoOf: (value: object) => unknown = Object.getPrototypeOf
const hasOwn: (value: object, key: string) => boolean = Object.hasOwn

type Readable = { readonly [key: string]: unknown }

/** How many sites `ownValue` has, numbered from 1. */
export const SITES = 32

/**
 * The value of an own property of a plain object, else undefined: one step of `readPath`.
 *
 * Every case does the same. The JavaScript engine remembers for each place in the source which
 * keys and kinds of objects it met, and reads those several times faster; a place that meets them
 * all remembers none. So a rule that is asked often gets a place of its own. Where a key is there,
 * the prototype is the usual one and that has no such key, the key is the object's own.
 */
export function ownValue(from: Readable, key: string, site: number): unknown {
  switch (site) {
    // Cases written by scripts/own-value.ts.
    case 1:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 2:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 3:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 4:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 5:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 6:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 7:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 8:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 9:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 10:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 11:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 12:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 13:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 14:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 15:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 16:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 17:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 18:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 19:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 20:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 21:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 22:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 23:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 24:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 25:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 26:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 27:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 28:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 29:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 30:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 31:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    case 32:
      return key in from && protoOf(from) === PLAIN && !(key in PLAIN) ? from[key] : read(from, key)
    default:
      return read(from, key)
  }
}

function read(from: Readable, key: string): unknown {
  if (!hasOwn(from, key)) return undefined
  const proto = protoOf(from)
  return proto === PLAIN || proto === null ? from[key] : undefined
}

/** Hands out the sites; 0, the shared one, when all are taken. */
export function siteSource(): () => number {
  let used = 0
  return () => (used < SITES ? ++used : 0)
}
