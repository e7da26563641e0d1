/** The scope of a grant, as an approver chooses it on a card. */

import type { ApprovalCard } from '../../../../src/api/approval.ts'
import type { GrantWishBody } from '../../../../src/api/grant.ts'
import { type Json, parseArguments } from '../../lib/arguments/values.ts'
import { msg } from '../../lib/language/t.ts'

export type Reach = 'exact' | 'most' | 'any'

export interface GrantForm {
  readonly uses: number
  readonly lasts: string
  readonly anyRun: boolean
  /** By the name of the argument; what is left out is exactly equal. */
  readonly reach: { readonly [name: string]: Reach }
  /** The largest that is let through, by the name of the argument; the call's own unless set. */
  readonly most: { readonly [name: string]: number }
  /** What all uses together may come to, of one argument. */
  readonly budget: { readonly name: string; readonly most: number } | undefined
}

export const FIRST_FORM: GrantForm = {
  uses: 10,
  lasts: '1h',
  anyRun: false,
  reach: {},
  most: {},
  budget: undefined,
}

export const LASTS = [
  ['1h', msg('1 hour')],
  ['8h', msg('8 hours')],
  ['1d', msg('1 day')],
  ['7d', msg('7 days')],
] as const

export interface Loosenable {
  readonly name: string
  readonly value: string | number | boolean
}

/**
 * Arguments whose limit can be chosen: only where all of them are plain values, because a rule
 * cannot look into lists, and what it does not look at would be let through unseen.
 */
export function loosenable(card: ApprovalCard): readonly Loosenable[] {
  const args = parseArguments(card.arguments)
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return []
  if (card.masked.length > 0) return []
  const entries = Object.entries(args)
  return entries.every(([name, value]) => isPlain(value) && !RESERVED.has(name))
    ? entries.map(([name, value]) => ({ name, value: value as Loosenable['value'] }))
    : []
}

const RESERVED = new Set(['', '__proto__', 'constructor', 'prototype'])

function isPlain(value: Json): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

/** The spelling of policy files: a dot inside a name is escaped. */
const keyOf = (name: string) => name.replaceAll('\\', '\\\\').replaceAll('.', '\\.')

/** The request to the server. Every argument must match exactly unless the approver chose otherwise. */
export function wishOf(form: GrantForm, args: readonly Loosenable[]): GrantWishBody {
  const { uses, lasts, anyRun, reach, most, budget } = form
  const loose = args.some(({ name }) => (reach[name] ?? 'exact') !== 'exact')
  const limits = args.flatMap(({ name, value }): [string, unknown][] => {
    const key = keyOf(name)
    const how = reach[name] ?? 'exact'
    if (how === 'any') return []
    return [
      [
        key,
        how === 'most' && typeof value === 'number' ? { gte: 0, lte: most[name] ?? value } : value,
      ],
    ]
  })
  return {
    uses,
    for: lasts,
    ...(anyRun ? { any_run: true } : {}),
    ...(budget ? { budget: { path: keyOf(budget.name), most: budget.most } } : {}),
    ...(loose ? { condition: { args_match: Object.fromEntries(limits) } } : {}),
  }
}
