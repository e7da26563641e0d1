/**
 * What eyes would miss about a value: letters that imitate others, characters that cannot be seen,
 * text below many blank lines, words of a statement that write. Browser and terminal both warn by it.
 */
import { splitUnseen } from '../invisible-characters.ts'
import { inEnglish, type Tell } from '../tell.ts'
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
  tell: Tell = inEnglish,
  letter: Shown = (char) => char,
): readonly Remark[] {
  const name = keys.at(-1) ?? ''
  const inName = countUnseen(name) > 0 || findLookAlikes(name).length > 0
  const remarks: Remark[] = inName
    ? [
        {
          keys,
          tone: 'warn',
          text: tell.text('The name has characters that are hidden or look like others'),
          alert: {
            title: tell.text('An argument’s name is not what it looks like'),
            text: tell.text('Look at {place}.', { place: pathText(keys, shown) }),
          },
        },
      ]
    : []
  if (typeof value !== 'string') return remarks
  return [
    ...remarks,
    ...findLookAlikes(value).map((one) => lookAlikeRemark(keys, one, shown, tell, letter)),
    ...hidden(keys, value, shown, tell),
  ]
}

function lookAlikeRemark(
  keys: Keys,
  { kind, text, alphabets, odd, real }: LookAlike,
  shown: Shown,
  tell: Tell,
  letter: Shown,
): Remark {
  const letters = [...new Set(odd.map(({ char }) => char))].slice(0, 4).map(letter).join(' ')
  if (kind === 'word') {
    return {
      keys,
      tone: 'warn',
      text: tell.text('“{text}” has letters that look like others: {letters} ({alphabets})', {
        text: shown(text),
        letters,
        alphabets,
      }),
    }
  }
  return {
    keys,
    tone: 'bad',
    text: tell.text('{letters}: {alphabets}. Really', { letters, alphabets }),
    ...(real === undefined ? {} : { code: real }),
    alert: {
      title: tell.text('A domain imitates another one'),
      text: alphabets.includes('letters')
        ? tell.text('{place} is written with {alphabets}.', {
            place: pathText(keys, shown),
            alphabets,
          })
        : tell.text('{place} is written with {alphabets} letters.', {
            place: pathText(keys, shown),
            alphabets,
          }),
    },
  }
}

function hidden(keys: Keys, value: string, shown: Shown, tell: Tell): Remark[] {
  const unseen = countUnseen(value.replaceAll('\n', ''))
  const { before, after } = edgeSpaces(value)
  const gap = longestGap(value)
  const parts = [
    ...(unseen > 0 ? [tell.plural(unseen, '{n} hidden character', '{n} hidden characters')] : []),
    ...(before > 0 ? [tell.plural(before, '{n} leading space', '{n} leading spaces')] : []),
    ...(after > 0 ? [tell.plural(after, '{n} trailing space', '{n} trailing spaces')] : []),
  ]
  const remarks: Remark[] = parts.length > 0 ? [{ keys, tone: 'warn', text: parts.join(', ') }] : []
  if (gap === 0) return remarks
  return [
    ...remarks,
    {
      keys,
      tone: 'warn',
      text: tell.text('Goes on after {gap} blank lines', { gap }),
      alert: {
        title: tell.text('Text after {gap} blank lines', { gap }),
        text: tell.text('{place} goes on below them. It is shown in full.', {
          place: pathText(keys, shown),
        }),
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

/** Arguments that hold a command for a shell. */
export const COMMAND_NAMES: readonly string[] = ['command', 'cmd', 'script', 'shell']

/** The warnings about one argument that may hold a statement. */
export function sqlRemarks(
  name: string,
  value: unknown,
  tell: Tell = inEnglish,
): readonly string[] {
  const isSql = SQL_NAMES.includes(name) && typeof value === 'string' && looksLikeSql(value)
  return isSql ? sqlWarnings(sqlTokens(value), tell) : []
}

/** What a statement writes, and what only seems to stand inside of a text or a comment. */
function sqlWarnings(tokens: readonly SqlToken[], tell: Tell): readonly string[] {
  const { plain, inside } = sqlWriting(tokens)
  return [
    ...(plain.length > 0 ? [tell.text('Writes: {words}.', { words: wordsAt(plain, tell) })] : []),
    ...(inside.length > 0
      ? [
          tell.text('Inside a text or a comment: {words}. Databases differ in where those end.', {
            words: wordsAt(inside, tell),
          }),
        ]
      : []),
  ]
}

function wordsAt(found: readonly SqlWriting[], tell: Tell): string {
  // Each once before it is worded: a text made to be hard to read holds a word thousands of times.
  const once = new Map(found.map((one) => [`${one.word} ${one.line}`, one]))
  return [...once.values()]
    .map(({ word, line }) => tell.text('{word} in line {line}', { word, line }))
    .join(', ')
}

/** `recipient.email`, `to[2]`. */
export function pathText(keys: Keys, shown: Shown): string {
  return keys
    .map((key, at) =>
      /^\d+$/.test(key) && at > 0 ? `[${key}]` : `${at > 0 ? '.' : ''}${shown(key)}`,
    )
    .join('')
}
