/** Which language the page speaks, and what that language says. */
import { useSyncExternalStore } from 'react'

/** Of a text with a number in it: the word of each plural category, such as `one` and `other`. */
export type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>

type Catalogue = Readonly<Record<string, string | Forms>>

/** Each file is a language. Each is fetched when it is chosen. */
const FILES = import.meta.glob<Catalogue>('./catalogues/*.json', { import: 'default' })

const tagOf = (file: string) => file.slice(file.lastIndexOf('/') + 1, -'.json'.length)

const LOADERS = new Map(Object.entries(FILES).map(([file, load]) => [tagOf(file), load]))

/** What can be chosen, as tags: `en` needs no file. */
export const LANGUAGES: readonly string[] = ['en', ...LOADERS.keys()]

/** What a language calls itself. */
export const ownName = (tag: string): string =>
  new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag

interface Spoken {
  readonly tag: string
  readonly entries: ReadonlyMap<string, string | Forms>
}

const ENGLISH: Spoken = { tag: 'en', entries: new Map() }
const listeners = new Set<() => void>()
let spoken = ENGLISH
let wanted = 'en'
/** What the server says in English, in other words. */
let foreign: typeof import('./foreign.ts') | undefined

/** The first language of this browser that the page has; English otherwise. */
function ofBrowser(): string {
  const tags = navigator.languages.map((tag) => tag.split('-')[0] ?? '')
  return tags.find((tag) => LANGUAGES.includes(tag)) ?? 'en'
}

/**
 * Speaks the chosen language, or that of the browser, once its words are here. Words that cannot be
 * fetched leave the page in the language it has: nothing waits for them twice.
 */
export async function speak(chosen: string): Promise<void> {
  const tag = LANGUAGES.includes(chosen) ? chosen : ofBrowser()
  wanted = tag
  if (tag === spoken.tag) return
  const catalogue = await LOADERS.get(tag)?.().catch(() => undefined)
  // Another choice while these words were on their way: that one counts.
  if (wanted !== tag) return
  if (catalogue === undefined && tag !== 'en') return
  spoken = tag === 'en' ? ENGLISH : { tag, entries: new Map(Object.entries(catalogue ?? {})) }
  foreign = undefined
  if (tag !== 'en') fetchForeign(tag)
  document.documentElement.lang = tag
  for (const listener of listeners) listener()
}

/** Not waited for: its chunk may need the one that waits for the first words of the page. */
function fetchForeign(tag: string): void {
  import('./foreign.ts').then(
    (words) => {
      if (spoken.tag === tag) foreign = words
    },
    () => {},
  )
}

export const language = (): string => spoken.tag

export function useLanguage(): string {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, language)
}

/** For languages that the server does not speak; absent in English. */
export const foreignWords = () => foreign

export const entryFor = (text: string): string | Forms | undefined => spoken.entries.get(text)

export const pluralForm = (forms: Forms, n: number): string =>
  forms[new Intl.PluralRules(spoken.tag).select(n)] ?? forms.other ?? ''

/** `1,234` in English, `1.234` in German. */
export const number = (n: number, options?: Intl.NumberFormatOptions): string =>
  n.toLocaleString(spoken.tag, options)

/** `Ana, Cy and Dee`. British, because American English has a comma before the last one. */
export const andList = (names: readonly string[]): string =>
  new Intl.ListFormat(spoken.tag === 'en' ? 'en-GB' : spoken.tag).format(names)
