import type { Clause, Condition } from '../evaluate/condition.ts'
import { matcherWords } from './matcher-words.ts'
import { nameWords } from './quoted-words.ts'

/** `amount is over 10,000 and currency is "EUR", or urgent is true`; empty where it always holds. */
export function conditionWords({ form, groups }: Condition): string {
  if (form === 'always') return ''
  const words = groups.map((group) => group.map(clauseWords).join(' and '))
  // A group without clauses always holds, and so does the whole list.
  return words.includes('') ? '' : words.join(', or ')
}

function clauseWords({ path, matcher }: Clause): string {
  return `${nameWords(path.text)} ${matcherWords(matcher)}`
}
