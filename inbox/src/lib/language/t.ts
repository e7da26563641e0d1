/**
 * The words of the page. The English text is its own id, so English needs no catalogue; another
 * language maps these texts to its own. Values are put in last, and nothing is looked for in them.
 */
import type { Tell } from '../../../../src/base/tell.ts'
import { entryFor, language, number, pluralForm } from './language.ts'

/** The names between braces in a text: `'n' | 'total'` of `{n} of {total} agreed`. */
export type Names<S extends string> = S extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never

type Given<S extends string, V> = [Names<S>] extends [never]
  ? []
  : [values: Readonly<Record<Names<S>, V>>]

declare const marked: unique symbol

/** A text that was marked with `msg` and is shown by `say`. Not a string: it is never shown by itself. */
export interface Message {
  readonly [marked]: true
}

const PLACE = /\{(\w+)\}/g

const fill = (text: string, values: Readonly<Record<string, string | number>> = {}): string =>
  text.replace(PLACE, (_, name: string) => String(values[name]))

const wordsFor = (text: string): string => {
  const entry = entryFor(text)
  return typeof entry === 'string' ? entry : text
}

function formFor(n: number, one: string, many: string): string {
  const entry = entryFor(many)
  return typeof entry === 'object' ? pluralForm(entry, n) : n === 1 ? one : many
}

/** A text in the language of the page. The first argument is a literal: a test reads it from there. */
export function t<S extends string>(text: S, ...[values]: Given<S, string | number>): string {
  return fill(wordsFor(text), values)
}

/** Marks a text where no language is chosen yet, as in a table. `say` shows it. */
export const msg = (text: string): Message => text as unknown as Message

/** A marked text in the language of the page. */
export const say = (message: Message): string => wordsFor(message as unknown as string)

/** A text by how many there are. `{n}` is the number; the form of many is the id. */
export function plural<S extends string>(
  n: number,
  one: string,
  many: S,
  ...[values]: Given<S extends `${infer A}{n}${infer B}` ? `${A}${B}` : S, string | number>
): string {
  return fill(formFor(n, one, many), { ...values, n: number(n) })
}

/** The parts of a text in the language of the page: words and, at odd places, names of values. */
export const partsOf = (text: string): readonly string[] => wordsFor(text).split(PLACE)

/** A text that begins with a capital, inside a sentence. German keeps the capitals of its nouns. */
export const midSentence = (text: string): string =>
  language() === 'en' ? text.toLowerCase() : text

/** A sentence that a module below both wrote, where the catalogue has it; as it is otherwise. */
export const translated = (text: string): string => wordsFor(text)

/** For the sentences that browser and terminal share: the texts stand where both have them from. */
export const tell: Tell = {
  text: (text, values) => fill(wordsFor(text), values),
  plural: (n, one, many) => fill(formFor(n, one, many), { n: number(n) }),
}
