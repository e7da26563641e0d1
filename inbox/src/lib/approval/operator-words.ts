import type { RuleClause } from '../../../../src/api/policy/rules.ts'
import { type Message, msg } from '../language/t.ts'

export type Operator = RuleClause['op']

/** Operators as people say them, in the order they are offered. */
export const OPERATOR_WORDS: Readonly<Record<Operator, Message>> = {
  eq: msg('is'),
  ne: msg('is not'),
  gt: msg('is over'),
  gte: msg('is at least'),
  lt: msg('is under'),
  lte: msg('is at most'),
  in: msg('is one of'),
  not_in: msg('is none of'),
  pattern: msg('matches'),
}
