import type { Command } from 'commander'
import type { GrantWishBody } from '../../api/grant.ts'
import { isCountersignError } from '../../base/errors.ts'
import { parseStrict } from '../../base/json/strict-json.ts'
import { usage } from '../failure.ts'

export interface GrantOptions {
  readonly uses?: string
  readonly for?: string
  readonly when?: string
  readonly budget?: string
  readonly anyRun?: boolean
}

/** How far a grant reaches, on the command line. */
export function takesGrant(command: Command): Command {
  return command
    .option('--uses <n>', 'how often the grant may be used; 10 unless set')
    .option('--for <duration>', 'how long the grant lasts, such as 1h or "7 days"; 1h unless set')
    .option(
      '--when <json>',
      'what arguments the grant covers: {"args_match": {"amount": {"lte": 50}}}',
    )
    .option('--budget <path=most>', 'the most one argument may add up to, such as amount=400')
}

export function grantWish({
  uses,
  for: lasting,
  when,
  budget,
  anyRun,
}: GrantOptions): GrantWishBody {
  return {
    ...(uses === undefined ? {} : { uses: numberOf('--uses', uses) }),
    ...(lasting === undefined ? {} : { for: lasting }),
    ...(when === undefined ? {} : { condition: conditionOf(when) }),
    ...(budget === undefined ? {} : { budget: budgetOf(budget) }),
    ...(anyRun === undefined ? {} : { any_run: anyRun }),
  }
}

function conditionOf(text: string): unknown {
  try {
    return parseStrict(text)
  } catch (error) {
    if (!isCountersignError(error)) throw error
    throw usage(`--when: ${error.message}`, 'Write JSON, such as {"args_match": {"to": "rent"}}.')
  }
}

function budgetOf(text: string): { path: string; most: number } {
  const at = text.lastIndexOf('=')
  if (at < 1) throw usage(`--budget: ${text} has no limit`, 'Write it as amount=400.')
  return { path: text.slice(0, at), most: numberOf('--budget', text.slice(at + 1)) }
}

function numberOf(option: string, text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  if (Number.isFinite(value) && value >= 0) return value
  throw usage(`${option}: ${text} is not a number`, 'Write a number from 0.')
}
