/** The condition of a grant for people, made from the same JSON that is saved. */
import { OPERATOR_WORDS, type Operator } from '../../lib/approval/operator-words.ts'
import { say, t } from '../../lib/language/t.ts'

type Bag = Readonly<Record<string, unknown>>

const isBag = (value: unknown): value is Bag =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * `amount from 0 to 50, currency is "EUR"`. Undefined where a part of it is not known here: half a
 * rule in words would be another rule.
 */
export function conditionWords(condition: unknown): string | undefined {
  const groups = (Array.isArray(condition) ? condition : [condition]).map(groupWords)
  const isKnown = groups.length > 0 && groups.every((group) => group !== undefined)
  return isKnown ? groups.join(t(', or ')) : undefined
}

function groupWords(group: unknown): string | undefined {
  if (!isBag(group) || Object.keys(group).join() !== 'args_match') return undefined
  const { args_match: args } = group
  if (!isBag(args)) return undefined
  const clauses = Object.entries(args).map(([name, matcher]) => clauseWords(name, matcher))
  return clauses.length > 0 && clauses.every((one) => one !== undefined)
    ? clauses.join(', ')
    : undefined
}

/** A name comes from a call: one that could read as the rest of the sentence is quoted. */
const nameWords = (name: string) =>
  /^[\p{L}\p{N}_.\\-]+$/u.test(name) ? name : JSON.stringify(name)

function clauseWords(key: string, matcher: unknown): string | undefined {
  const name = nameWords(key)
  if (!isBag(matcher)) {
    const value = valueWords(matcher)
    return value === undefined ? undefined : `${name} ${say(OPERATOR_WORDS.eq)} ${value}`
  }
  const { gte, lte } = matcher
  if (Object.keys(matcher).length === 2 && typeof gte === 'number' && typeof lte === 'number') {
    return t('{name} from {least} to {most}', { name, least: gte, most: lte })
  }
  const tests = Object.entries(matcher).map(([op, wanted]) => {
    const value = valueWords(wanted)
    return Object.hasOwn(OPERATOR_WORDS, op) && value !== undefined
      ? `${say(OPERATOR_WORDS[op as Operator])} ${value}`
      : undefined
  })
  return tests.length > 0 && tests.every((test) => test !== undefined)
    ? `${name} ${tests.join(t(' and '))}`
    : undefined
}

/** Texts keep their quotation marks, so that `"10"` does not read like `10`. */
function valueWords(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    const items = value.map((item) => (Array.isArray(item) ? undefined : valueWords(item)))
    return items.every((item) => item !== undefined) ? items.join(', ') : undefined
  }
  return isBag(value) || value === undefined ? undefined : JSON.stringify(value)
}
