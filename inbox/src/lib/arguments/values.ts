/** Arguments as rows of a tree, and what is remarkable about each. */

import { countUnseen, edgeSpaces, visibleText } from '../text/invisible-characters.ts'
import { longestGap } from '../text/lines.ts'
import { findLookAlikes, type LookAlike } from '../text/look-alike.ts'

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json }
export type Keys = readonly string[]

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

export function isNested(value: Json): value is readonly Json[] | { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null
}

function entriesOf(value: Json): [string, Json][] {
  return isNested(value) ? Object.entries(value) : []
}

/** `recipient.email`, `to[2]`. */
export function pathText(keys: Keys): string {
  return keys
    .map((key, at) =>
      /^\d+$/.test(key) && at > 0 ? `[${key}]` : `${at > 0 ? '.' : ''}${visibleText(key)}`,
    )
    .join('')
}

export function samePath(one: Keys, two: Keys): boolean {
  return one.length === two.length && one.every((key, at) => key === two[at])
}

export function readAt(value: Json | undefined, keys: Keys): Json | undefined {
  let at: Json | undefined = value
  for (const key of keys) {
    if (at === undefined || !isNested(at) || !Object.hasOwn(at, key)) return undefined
    at = (at as { readonly [key: string]: Json })[key]
  }
  return at
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

export interface Remark {
  readonly keys: Keys
  readonly tone: 'bad' | 'warn'
  readonly text: string
  readonly code?: string
  /** For the line over all arguments: what to look at, before anything is read. */
  readonly alert?: { readonly title: string; readonly text: string }
}

/** Everything about one value that eyes would miss. */
export function remarksOn(keys: Keys, value: Json): readonly Remark[] {
  const name = keys.at(-1) ?? ''
  const inName = countUnseen(name) > 0 || findLookAlikes(name).length > 0
  const remarks: Remark[] = inName
    ? [
        {
          keys,
          tone: 'warn',
          text: 'The name has characters that are hidden or look like others',
          alert: {
            title: 'An argument’s name is not what it looks like',
            text: `Look at ${pathText(keys)}.`,
          },
        },
      ]
    : []
  if (typeof value !== 'string') return remarks
  return [
    ...remarks,
    ...findLookAlikes(value).map((one) => lookAlikeRemark(keys, one)),
    ...hidden(keys, value),
  ]
}

function lookAlikeRemark(keys: Keys, { kind, text, alphabets, odd, real }: LookAlike): Remark {
  const letters = [...new Set(odd.map(({ char }) => char))].slice(0, 4).join(' ')
  if (kind === 'word') {
    return {
      keys,
      tone: 'warn',
      text: `“${visibleText(text)}” has letters that look like others: ${letters} (${alphabets})`,
    }
  }
  return {
    keys,
    tone: 'bad',
    text: `${letters}: ${alphabets}. Really`,
    ...(real === undefined ? {} : { code: real }),
    alert: {
      title: 'A domain imitates another one',
      text: `${pathText(keys)} is written with ${alphabets}${alphabets.includes('letters') ? '' : ' letters'}.`,
    },
  }
}

function hidden(keys: Keys, value: string): Remark[] {
  const unseen = countUnseen(value.replaceAll('\n', ''))
  const { before, after } = edgeSpaces(value)
  const gap = longestGap(value)
  const parts = [
    ...(unseen > 0 ? [plural(unseen, 'hidden character')] : []),
    ...(before > 0 ? [plural(before, 'leading space')] : []),
    ...(after > 0 ? [plural(after, 'trailing space')] : []),
  ]
  const remarks: Remark[] = parts.length > 0 ? [{ keys, tone: 'warn', text: parts.join(', ') }] : []
  if (gap === 0) return remarks
  return [
    ...remarks,
    {
      keys,
      tone: 'warn',
      text: `Goes on after ${gap} blank lines`,
      alert: {
        title: `Text after ${gap} blank lines`,
        text: `${pathText(keys)} goes on below them. It is shown in full.`,
      },
    },
  ]
}

export function plural(count: number, word: string): string {
  return `${count.toLocaleString('en-US')} ${word}${count === 1 ? '' : 's'}`
}
