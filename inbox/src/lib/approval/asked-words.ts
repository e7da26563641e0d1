/** What the server says of rules and people, said by the page in its own language. */
import type { WireTests } from '../../../../src/api/policy/rules.ts'
import { number } from '../language/language.ts'
import { type Message, msg, say, t } from '../language/t.ts'
import { OPERATOR_WORDS } from './operator-words.ts'

/** `is over 10,000 and is at most 50,000` */
export function testsWords(tests: WireTests): string {
  if (tests.length === 0) return t('is anything')
  return tests
    .map(
      ({ op, values }) =>
        `${say(OPERATOR_WORDS[op])} ${values.map(op === 'pattern' ? patternWords : valueWords).join(', ')}`,
    )
    .join(` ${t('and')} `)
}

/** Texts in quotation marks, so that `"10"` does not read like `10`; patterns as they are. */
function valueWords(value: string | number | boolean): string {
  if (typeof value !== 'number') return JSON.stringify(value)
  // Years and ports stay as people write them, and no digit is rounded away.
  return Number.isSafeInteger(value) && Math.abs(value) >= 10_000 ? number(value) : String(value)
}

/** What the server says of rules that no file words. */
const FIXED: ReadonlyMap<string, Message> = new Map([
  ['always asks', msg('always asks')],
  ['asks because an operator switched it on', msg('asks because an operator switched it on')],
  ['asks because no rule names it', msg('asks because no rule names it')],
  ['asks because of its risk', msg('asks because of its risk')],
  ['asks because of the mode the gate runs in', msg('asks because of the mode the gate runs in')],
  ['asks because its definition changed', msg('asks because its definition changed')],
])

/** A rule in words: those of a file stay as the server puts them. */
export function ruleWords(says = 'always asks'): string {
  const known = FIXED.get(says)
  return known === undefined ? says : say(known)
}

/** Spaces and commas would read as the rest of the sentence. */
function patternWords(pattern: string | number | boolean): string {
  const text = String(pattern)
  return /^[^\s,"]+$/u.test(text) ? text : JSON.stringify(text)
}

/** `group finance`; an address stays as it is: it has no space. */
export function approverWords(approver: string): string {
  if (approver === 'anyone with the approver role') return t('anyone with the approver role')
  if (approver === 'the person the agent works for') return t('the person the agent works for')
  const [, group] = /^group (.+)$/su.exec(approver) ?? []
  return group === undefined ? approver : t('group {group}', { group })
}
