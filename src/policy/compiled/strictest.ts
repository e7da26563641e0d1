import type { Call } from '../../base/call.ts'
import type { Level } from '../evaluate/verdict.ts'
import { type Probe, saysNo } from './probe.ts'

/**
 * The groups that concern one tool, turned around: not group by group but value by value, so that
 * every value is read once. Each group is a bit, set until one of its tests says no.
 */
export interface Sheet {
  /** The answer when no group is left. */
  readonly least: Level
  readonly groups: number
  /** The lowest bit of the groups that demand `review`, and `deny`. Bits ascend by level. */
  readonly reviews: number
  readonly denies: number
  readonly first: Entry | undefined
  /** More groups than there are bits go on here. */
  readonly next: Sheet | undefined
}

/** One test of one value, and the way to the next: lists that are linked are read faster. */
export interface Entry extends Probe {
  /** The groups that are refuted when it says no. */
  readonly refutes: number
  /** Counts the values of a sheet; tests of the same value follow each other. */
  readonly nth: number
  /** Where the value lies in the arguments. */
  readonly step: Step | undefined
  /** For all that is not an argument. */
  readonly read: ((call: Call) => unknown) | undefined
  readonly next: Entry | undefined
}

/** One key of a path, read at a site of its own, and the way to the next. */
export interface Step {
  readonly key: string
  readonly site: number
  readonly deeper: Step | undefined
}

export type Readable = { readonly [key: string]: unknown }

/** How many sites there are, numbered from 1. */
export const SITES = 96

const PLAIN: object = Object.prototype
const FRESH: object = {}
/** No argument has this name, so asking for it only tells the engine the kind of the object. */
const NONE = '\0'
const protoOf: (value: object) => unknown = Object.getPrototypeOf

/**
 * The strictest level that is not refuted. `args`: those of the call, which are an object.
 *
 * Every site reads the same: the own property of a plain object, else undefined, as `readPath` does.
 * The JavaScript engine remembers for each place in the source which keys and kinds of objects it
 * met there, and reads those several times faster; a place that meets them all remembers none.
 * Where the engine knows the kind of the object, it knows its prototype too, without a call. Where
 * that is the usual one and has no such key, the key is the object's own.
 */
export function strictest(sheet: Sheet, call: Call, args: Readable): Level {
  let left = sheet.groups
  let nth = 0
  let value: unknown
  for (let entry = sheet.first; entry !== undefined; entry = entry.next) {
    if ((entry.refutes & left) === 0) continue
    if (entry.nth !== nth) {
      nth = entry.nth
      let step = entry.step
      if (step === undefined) value = entry.read?.(call)
      let from = args
      while (step !== undefined) {
        const { key, site, deeper } = step
        // biome-ignore format: one line for each site
        switch (site) {
          // Cases written by scripts/sites.ts.
          case 1: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 2: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 3: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 4: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 5: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 6: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 7: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 8: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 9: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 10: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 11: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 12: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 13: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 14: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 15: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 16: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 17: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 18: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 19: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 20: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 21: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 22: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 23: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 24: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 25: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 26: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 27: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 28: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 29: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 30: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 31: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 32: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 33: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 34: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 35: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 36: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 37: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 38: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 39: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 40: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 41: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 42: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 43: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 44: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 45: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 46: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 47: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 48: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 49: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 50: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 51: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 52: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 53: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 54: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 55: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 56: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 57: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 58: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 59: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 60: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 61: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 62: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 63: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 64: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 65: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 66: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 67: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 68: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 69: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 70: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 71: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 72: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 73: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 74: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 75: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 76: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 77: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 78: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 79: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 80: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 81: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 82: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 83: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 84: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 85: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 86: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 87: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 88: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 89: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 90: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 91: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 92: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 93: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 94: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 95: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          case 96: value = from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key); break
          default: value = ownValue(from, key)
        }
        step = deeper
        if (step === undefined) break
        if (typeof value !== 'object' || value === null) {
          value = undefined
          break
        }
        from = value as Readable
      }
    }
    if (saysNo(entry, value)) {
      left &= ~entry.refutes
      if (left === 0) break
    }
  }
  const level = left === 0 ? sheet.least : levelOf(left, sheet)
  return sheet.next === undefined ? level : stricter(level, strictest(sheet.next, call, args))
}

export function levelOf(left: number, { reviews, denies }: Sheet): Level {
  return left >= denies ? 3 : left >= reviews ? 2 : 1
}

export function stricter(one: Level, other: Level): Level {
  return one > other ? one : other
}

/** The own property of a plain object, else undefined. */
export function ownValue(from: Readable, key: string): unknown {
  if (!Object.hasOwn(from, key)) return undefined
  const proto = protoOf(from)
  return proto === PLAIN || proto === null ? from[key] : undefined
}
