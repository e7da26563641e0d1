import type { Approval } from '../../approval/approval.ts'
import type { Content } from '../../approval/transition.ts'
import { foldAddress } from '../../base/address.ts'
import { isPlainObject } from '../../base/json/json.ts'
import type { Filter } from '../store.ts'

/*
 * What a search matches, the same in every store: each word of the search begins a word of the
 * approval's text, in any order. Case and accents do not count.
 */

// Scripts written without spaces: every character is a word of its own.
const UNSPACED = String.raw`[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]`
const WORD = new RegExp(`${UNSPACED}|[[\\p{L}\\p{M}\\p{N}]--${UNSPACED}]+`, 'gv')
const ACCENTS = /[\u0300-\u036f]/g

/** The words of a text, each once. */
export function wordsOf(text: string): Set<string> {
  const folded = text.normalize('NFKD').replace(ACCENTS, '').normalize('NFC').toLowerCase()
  return new Set(folded.match(WORD))
}

/** Longer beginnings are not told apart by the index; the text itself is compared in the end. */
const LONGEST_PREFIX = 12

/** Everything that a search for one of these words could begin with. */
export function prefixesOf(words: Iterable<string>, into = new Set<string>()): Set<string> {
  for (const word of words) {
    let prefix = ''
    let length = 0
    for (const letter of word) {
      prefix += letter
      into.add(prefix)
      length += 1
      if (length === LONGEST_PREFIX) break
    }
  }
  return into
}

/** As the index holds it. */
export function indexedPrefix(word: string): string {
  return [...word].slice(0, LONGEST_PREFIX).join('')
}

/** As much of an approval as is searched. */
export type SearchedApproval = Pick<Approval, 'call' | 'digest' | 'decisions'>

/**
 * The text that is searched: names, who decided, and the question as people read it, in
 * which secret values are masked. Arguments, reasons and results are not part of it.
 */
export function searchedText(
  { call, decisions }: SearchedApproval,
  questions: readonly Content['value'][],
): string {
  const { tool, server, agent, alias, principal, run } = call
  const newest = questions.at(-1)
  const message = isPlainObject(newest) && typeof newest.message === 'string' ? newest.message : ''
  const people = [principal, ...decisions.map(({ by }) => by)]
  const named = people.map((person) => person?.email ?? person?.subject)
  return [tool, server, agent, alias, run, ...named, message]
    .filter((part) => part !== undefined)
    .join('\n')
}

export interface Wanted {
  /** An approval whose id or digest begins like this is meant as well. */
  readonly id: string
  readonly words: readonly string[]
  /** Only approvals that this person answered. */
  readonly person?: string
}

/** Undefined when everything is wanted. */
export function wantedBy({
  text = '',
  person,
}: Pick<Filter, 'text' | 'person'>): Wanted | undefined {
  const id = text.trim().toLowerCase()
  if (id === '' && person === undefined) return undefined
  return { id, words: [...wordsOf(text)], ...(person === undefined ? {} : { person }) }
}

/** What the index is asked for: the person's own words are among those of what they answered. */
export function indexedWords({ words, person = '' }: Wanted): readonly string[] {
  return [...new Set([...words, ...wordsOf(person)])]
}

/** By the address that lists show; one that was taken back or made void is an answer, too. */
export function hasAnswered({ decisions }: Pick<Approval, 'decisions'>, person: string): boolean {
  const wanted = foldAddress(person)
  return decisions.some(({ by }) => foldAddress(by.email ?? by.subject) === wanted)
}

/** An id is recognised by as much of it as says when it was made, and a digest by as much. */
const SHORTEST_ID = 9

/** How a search for a digest can begin. */
export function digestPrefixes(digest: string): string[] {
  const lengths = [...Array(LONGEST_PREFIX - SHORTEST_ID + 1).keys()]
  return lengths.map((more) => digest.slice(0, SHORTEST_ID + more))
}

export function isIdPrefix({ id }: Wanted): boolean {
  return id.length >= SHORTEST_ID && /^[0-9a-z]+$/.test(id)
}

export function isWanted(
  wanted: Wanted,
  approval: Approval,
  questions: readonly Content['value'][],
): boolean {
  if (wanted.person !== undefined && !hasAnswered(approval, wanted.person)) return false
  if (wanted.id === '') return true
  const named = isIdPrefix(wanted) ? [approval.id, approval.digest] : []
  if (named.some((one) => one.startsWith(wanted.id))) return true
  // Nothing but punctuation matches nothing.
  if (wanted.words.length === 0) return false
  const words = [...wordsOf(searchedText(approval, questions))]
  return wanted.words.every((one) => words.some((word) => word.startsWith(one)))
}
