/**
 * What eyes would miss about a value: letters that imitate others, characters that cannot be seen,
 * text below many blank lines, words of a statement that write. Browser and terminal both warn by it.
 */
import { splitUnseen } from '../invisible-characters.ts'
import { longestGap } from './blank-lines.ts'
import { findLookAlikes, type LookAlike } from './look-alike.ts'
import { looksLikeSql, type SqlToken, type SqlWriting, sqlTokens, sqlWriting } from './sql.ts'

type Keys = readonly string[]

export interface Remark {
  readonly keys: Keys
  readonly tone: 'bad' | 'warn'
  readonly text: string
  readonly code?: string
  /** For the line over all arguments: what to look at, before anything is read. */
  readonly alert?: { readonly title: string; readonly text: string }
}

/** How foreign text may stand on the surface that asks. */
type Shown = (text: string) => string

/** Everything about one value, and about its name. `letter` is how a single odd letter is named. */
export function remarksOn(
  keys: Keys,
  value: unknown,
  shown: Shown,
  letter: Shown = (char) => char,
): readonly Remark[] {
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
            text: `Look at ${pathText(keys, shown)}.`,
          },
        },
      ]
    : []
  if (typeof value !== 'string') return remarks
  return [
    ...remarks,
    ...findLookAlikes(value).map((one) => lookAlikeRemark(keys, one, shown, letter)),
    ...hidden(keys, value, shown),
  ]
}

function lookAlikeRemark(
  keys: Keys,
  { kind, text, alphabets, odd, real }: LookAlike,
  shown: Shown,
  letter: Shown,
): Remark {
  const letters = [...new Set(odd.map(({ char }) => char))].slice(0, 4).map(letter).join(' ')
  if (kind === 'word') {
    return {
      keys,
      tone: 'warn',
      text: `“${shown(text)}” has letters that look like others: ${letters} (${alphabets})`,
    }
  }
  return {
    keys,
    tone: 'bad',
    text: `${letters}: ${alphabets}. Really`,
    ...(real === undefined ? {} : { code: real }),
    alert: {
      title: 'A domain imitates another one',
      text: `${pathText(keys, shown)} is written with ${alphabets}${alphabets.includes('letters') ? '' : ' letters'}.`,
    },
  }
}

function hidden(keys: Keys, value: string, shown: Shown): Remark[] {
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
        text: `${pathText(keys, shown)} goes on below them. It is shown in full.`,
      },
    },
  ]
}

/** An emoji that consists of several characters is one picture, and hides nothing. */
const EMOJI = /\p{RGI_Emoji}/gv

export function countUnseen(text: string): number {
  return splitUnseen(text.replace(EMOJI, '')).filter(({ unseen }) => unseen).length
}

/** How many ordinary spaces stand before and after everything else. */
export function edgeSpaces(text: string): { readonly before: number; readonly after: number } {
  let before = 0
  while (text[before] === ' ') before += 1
  let after = 0
  while (after < text.length - before && text[text.length - 1 - after] === ' ') after += 1
  return { before, after }
}

/** Arguments that hold a statement, where their text begins like one. */
export const SQL_NAMES: readonly string[] = ['sql', 'query', 'statement']

/** The warnings about one argument that may hold a statement. */
export function sqlRemarks(name: string, value: unknown): readonly string[] {
  const isSql = SQL_NAMES.includes(name) && typeof value === 'string' && looksLikeSql(value)
  return isSql ? sqlWarnings(sqlTokens(value)) : []
}

/** What a statement writes, and what only seems to stand inside of a text or a comment. */
export function sqlWarnings(tokens: readonly SqlToken[]): readonly string[] {
  const { plain, inside } = sqlWriting(tokens)
  return [
    ...(plain.length > 0 ? [`Writes: ${wordsAt(plain)}.`] : []),
    ...(inside.length > 0
      ? [`Inside a text or a comment: ${wordsAt(inside)}. Databases differ in where those end.`]
      : []),
  ]
}

function wordsAt(found: readonly SqlWriting[]): string {
  return [...new Set(found.map(({ word, line }) => `${word} in line ${line}`))].join(', ')
}

/** `recipient.email`, `to[2]`. */
export function pathText(keys: Keys, shown: Shown): string {
  return keys
    .map((key, at) =>
      /^\d+$/.test(key) && at > 0 ? `[${key}]` : `${at > 0 ? '.' : ''}${shown(key)}`,
    )
    .join('')
}

export function plural(count: number, word: string): string {
  return `${count.toLocaleString('en-US')} ${word}${count === 1 ? '' : 's'}`
}
