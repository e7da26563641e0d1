/** Arguments as rows of a tree, and what is remarkable about each. */

import { isNested, type Json, type Keys, readAt } from '../../../../src/api/arguments/json-at.ts'
import {
  pathText as placeText,
  type Remark,
  remarksOn as remarksIn,
} from '../../../../src/base/deception/remarks.ts'
import { tell } from '../language/t.ts'
import { visibleText } from '../text/invisible-characters.ts'

export interface ValueRow {
  readonly keys: Keys
  readonly depth: number
  readonly value: Json
  /** How many are inside, for objects and lists. */
  readonly inside?: number
  readonly masked: boolean
}

/** Undefined where they were erased: the record outlives what it is about. */
export function parseArguments(text: string | undefined): Json | undefined {
  return text === undefined || text === '' ? undefined : (JSON.parse(text) as Json)
}

/** Depth first, in the order of the bytes. */
export function rowsOf(value: Json, masked: readonly Keys[]): readonly ValueRow[] {
  const hidden = new Set(masked.map((keys) => JSON.stringify(keys)))
  const rows: ValueRow[] = []
  const walk = (inner: Json, keys: Keys) => {
    for (const [key, child] of entriesOf(inner)) {
      const place = [...keys, key]
      const isMasked = hidden.has(JSON.stringify(place))
      const nested = !isMasked && isNested(child)
      rows.push({
        keys: place,
        depth: keys.length,
        value: child,
        masked: isMasked,
        ...(nested ? { inside: entriesOf(child).length } : {}),
      })
      if (nested) walk(child, place)
    }
  }
  walk(value, [])
  return rows
}

function entriesOf(value: Json): [string, Json][] {
  return isNested(value) ? Object.entries(value) : []
}

/** `recipient.email`, `to[2]`. */
export function pathText(keys: Keys): string {
  return placeText(keys, visibleText)
}

export function samePath(one: Keys, two: Keys): boolean {
  return one.length === two.length && one.every((key, at) => key === two[at])
}

/** A copy with one value replaced. Entries, so that a key called __proto__ stays an ordinary one. */
export function replaceAt(value: Json, [key, ...rest]: Keys, next: Json): Json {
  if (key === undefined) return next
  if (!isNested(value)) return value
  const entries = Object.entries(value).map(([name, inner]): [string, Json] => [
    name,
    name === key ? replaceAt(inner, rest, next) : inner,
  ])
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}

/** Everything about one value that eyes would miss. */
export function remarksOn(keys: Keys, value: Json): readonly Remark[] {
  return remarksIn(keys, value, visibleText, tell)
}

export { isNested, type Json, type Keys, readAt }
