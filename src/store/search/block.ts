import type { Content } from '../../approval/transition.ts'
import { EVERY_WORD, MOST_PREFIXES } from './search.ts'
import {
  digestPrefixes,
  prefixesOf,
  type SearchedApproval,
  searchedText,
  wordsOf,
} from './words.ts'

/** A row of a block as the databases give it: the approval's body, and its questions in order. */
export interface BlockRow {
  readonly body: string
  readonly questions: readonly string[]
}

/** What the index holds of a block. Without rows, nothing. */
export function blockPrefixes(rows: Iterable<BlockRow>): readonly string[] {
  const prefixes = new Set<string>()
  for (const { body, questions } of rows) {
    const approval = JSON.parse(body) as SearchedApproval
    const asked = questions.map((text) => JSON.parse(text) as Content['value'])
    for (const prefix of digestPrefixes(approval.digest)) prefixes.add(prefix)
    prefixesOf(wordsOf(searchedText(approval, asked)), prefixes)
    if (prefixes.size > MOST_PREFIXES) return [EVERY_WORD]
  }
  return [...prefixes].sort()
}
