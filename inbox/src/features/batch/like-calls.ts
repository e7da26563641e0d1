/** Calls of one tool with the same few plain arguments: they fit a table, a line for each. */
import type { ApprovalCard } from '../../../../src/api/approval.ts'
import { type Json, parseArguments, remarksOn } from '../../lib/arguments/values.ts'

export type Plain = string | number | boolean | null

export interface LikeCall {
  readonly card: ApprovalCard
  readonly values: Readonly<Record<string, Plain>>
}

export interface LikeCalls {
  readonly calls: readonly LikeCall[]
  /** Arguments with one value in all of them, in the order of the bytes. */
  readonly same: readonly string[]
  /** Arguments that differ: what tells the calls apart before numbers, which stand right-aligned. */
  readonly columns: readonly string[]
}

/** Wider tables are harder to read than one call below the other. */
const MOST_COLUMNS = 5
const LONGEST_TEXT = 60

/**
 * Splits what was picked, in its order: calls that fit a table together, and calls that are shown
 * whole. Anything that needs a second look is shown whole: masked, edited, nested or long values,
 * and those with a warning.
 */
export function groupCalls(cards: readonly ApprovalCard[]): readonly (LikeCalls | ApprovalCard)[] {
  const plain = new Map(
    cards.flatMap((card): [string, LikeCall][] => {
      const values = plainValues(card)
      return values === undefined ? [] : [[card.id, { card, values }]]
    }),
  )
  const groups = Map.groupBy(plain.values(), likeness)
  const drawn = new Set<string>()
  return cards.flatMap((card): (LikeCalls | ApprovalCard)[] => {
    if (drawn.has(card.id)) return []
    const own = plain.get(card.id)
    const group = own === undefined ? undefined : tableOf(groups.get(likeness(own)) ?? [])
    if (group === undefined) return [card]
    for (const call of group.calls) drawn.add(call.card.id)
    return [group]
  })
}

function plainValues(card: ApprovalCard): LikeCall['values'] | undefined {
  if (card.masked.length > 0 || card.askedArguments !== undefined || card.form !== undefined) {
    return undefined
  }
  const args = parseArguments(card.arguments)
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return undefined
  const entries = Object.entries(args)
  const isPlain = entries.every(
    ([key, value]) => isShort(value) && remarksOn([key], value).length === 0,
  )
  return isPlain && entries.length > 0 ? (args as LikeCall['values']) : undefined
}

function isShort(value: Json): value is Plain {
  if (typeof value === 'string') return value.length <= LONGEST_TEXT && !value.includes('\n')
  return typeof value !== 'object' || value === null
}

/** What a table says once, above its lines, must be true of each of them. */
function likeness({ card, values }: LikeCall): string {
  const { kind, server, tool, agent, principal, risk, riskGuessed } = card
  const head = [kind, server, tool, agent, principal, risk, riskGuessed]
  return JSON.stringify([head, Object.keys(values)])
}

function tableOf(calls: readonly LikeCall[]): LikeCalls | undefined {
  const [first] = calls
  if (first === undefined || calls.length < 2) return undefined
  const isSame = (key: string) => calls.every(({ values }) => values[key] === first.values[key])
  const keys = Object.keys(first.values)
  const columns = keys.filter((key) => !isSame(key))
  if (columns.length > MOST_COLUMNS) return undefined
  const isNumber = (key: string) => typeof first.values[key] === 'number'
  return {
    calls,
    same: keys.filter(isSame),
    columns: [...columns.filter((key) => !isNumber(key)), ...columns.filter(isNumber)],
  }
}

/** Words of a name whose numbers mean something when they are added up, and words that say otherwise. */
const ADDS_UP = new Set('amount,total,price,cost,sum,fee,quantity,qty,count'.split(','))
const COUNTS_NOTHING = new Set(
  'id,ids,no,nr,number,code,key,per,unit,max,min,limit,rate'.split(','),
)
const UNITS = new Set('currency,curr,cur,ccy,unit,units,uom,asset,coin,token,symbol'.split(','))

/** `unitPrice` and `unit_price` are the words unit and price; `account` is one word, not a count. */
function wordsOf(name: string): readonly string[] {
  return name
    .split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/)
    .map((word) => word.toLowerCase().replace(/(?<=[^s])s$/, ''))
}

/** A currency or another unit: where it differs, numbers beside it are of different things. */
function isUnit({ calls }: LikeCalls, column: string): boolean {
  if (wordsOf(column).some((word) => UNITS.has(word))) return true
  return calls.every(({ values }) => /^(?:[A-Z]{3}|\p{Sc})$/u.test(String(values[column])))
}

/** The total of a column for some of its calls; undefined where it would not mean anything. */
export function totalOf(
  like: LikeCalls,
  column: string,
  calls: readonly LikeCall[],
): number | undefined {
  if (like.columns.some((one) => one !== column && isUnit(like, one))) return undefined
  return sumOf(
    column,
    calls.map(({ values }) => values[column]),
  )
}

/** What all of the calls come to, by the first argument that adds up. */
export function togetherOf(like: LikeCalls): number | undefined {
  return [...like.columns, ...like.same]
    .map((key) => totalOf(like, key, like.calls))
    .find((total) => total !== undefined)
}

/** Of a column whose values are all numbers to add up, without the dust of binary fractions. */
export function sumOf(column: string, values: readonly (Plain | undefined)[]): number | undefined {
  const words = wordsOf(column)
  const isSummed = words.some((word) => ADDS_UP.has(word))
  if (!isSummed || words.some((word) => COUNTS_NOTHING.has(word))) return undefined
  if (!values.every((value) => typeof value === 'number')) return undefined
  // Of `1e-7` the places cannot be read off; what comes in and what goes out would hide each other.
  if (values.some((value) => /e/.test(String(value)))) return undefined
  if (values.some((value) => value < 0) && values.some((value) => value > 0)) return undefined
  const places = Math.max(0, ...values.map((value) => String(value).split('.')[1]?.length ?? 0))
  const sum = values.reduce((total, value) => total + value, 0)
  // Beyond fifteen digits the last one is a guess.
  const isExact = Math.abs(sum) * 10 ** places < 1e15
  return isExact ? Number(sum.toFixed(places)) : undefined
}
