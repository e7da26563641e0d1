import { isPlainObject } from '../../base/json/json.ts'
import { failure, type Result, success } from '../../base/result.ts'

/** Where a value lies inside arguments: `order.details.amount`, one entry per key. */
export interface Path {
  /** As written, for messages. */
  readonly text: string
  readonly keys: readonly string[]
}

// Names that reach into every object's prototype. No argument a rule should trust is called this.
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype'])

/** `a.b` walks, `a\.b` is one key with a dot in it, `\\` is a backslash. */
export function parsePath(text: string): Result<Path> {
  const keys: string[] = []
  let key = ''
  for (let index = 0; index < text.length; index++) {
    const char = text.charAt(index)
    if (char === '\\') {
      const escaped = text.charAt(++index)
      if (escaped !== '.' && escaped !== '\\') {
        return failure(
          `"\\${escaped}" is not an escape in a path; use "\\." for a dot, "\\\\" for a backslash`,
        )
      }
      key += escaped
    } else if (char === '.') {
      keys.push(key)
      key = ''
    } else {
      key += char
    }
  }
  keys.push(key)
  if (keys.includes(''))
    return failure('a path has no empty parts; write names with single dots between')
  const forbidden = keys.find((name) => FORBIDDEN.has(name))
  if (forbidden !== undefined) return failure(`"${forbidden}" is never read from arguments`)
  return success({ text, keys })
}

/**
 * The value at a path, or undefined. Own properties of plain objects only: an inherited `length`,
 * an array index or a getter on a class instance is not an argument the caller sent.
 */
export function readPath(root: unknown, keys: readonly string[]): unknown {
  let value = root
  for (const key of keys) {
    if (!isPlainObject(value) || !Object.hasOwn(value, key)) return undefined
    value = value[key]
  }
  return value
}

/** True when `path` names the same place as `cover`, or one inside it. */
export function liesUnder(path: Path, cover: Path): boolean {
  return cover.keys.every((key, index) => path.keys[index] === key)
}
