import type { WireGrant, WireGrantUse } from '../../api/grant.ts'
import type { Paint } from './colour.ts'
import { printable } from './printable.ts'
import { nameOf, timeLeft } from './show-approval.ts'

/** One line of the list. */
export function grantLine(grant: WireGrant, now: number, paint: Paint): string {
  const { id, rule, counts, state, usesLeft, budgetLeft, endsAt, by } = grant
  const left = budgetLeft === undefined ? '' : `, ${budgetLeft} of ${rule.budget?.path} left`
  return [
    paint('bold', id.slice(-8)),
    (counts
      ? timeLeft(endsAt - now)
      : state === 'live'
        ? 'not now'
        : state.replace('_', ' ')
    ).padEnd(10),
    printable(`${nameOf(rule)} by ${rule.agent}: ${usesLeft} of ${rule.uses} uses${left}`),
    paint('dim', printable(`made by ${by.email ?? by.subject}`)),
  ].join('  ')
}

/** The whole rule, and what is left of it. */
export function grantLines(
  grant: WireGrant,
  uses: readonly WireGrantUse[],
  paint: Paint,
): string[] {
  const { id, rule, counts, why, by, reason, from, used, spent, endsAt, revokedBy } = grant
  return [
    `${paint('bold', id)}  ${counts ? paint('green', 'counts') : paint('yellow', printable(why ?? ''))}`,
    ...rule.words.map((words) => `  ${printable(words)}`),
    `  made by ${printable(by.email ?? by.subject)}${reason === undefined ? '' : `: ${printable(reason)}`}`,
    ...(from === undefined ? [] : [`  from approval ${printable(from)}`]),
    `  ${used === 1 ? '1 use' : `${used} uses`}${spent === undefined ? '' : `, ${spent} spent`}; ends ${new Date(endsAt).toISOString()}`,
    ...(revokedBy ? [`  revoked by ${printable(revokedBy.email ?? revokedBy.subject)}`] : []),
    ...uses.map(
      ({ n, approval, at, amount }) =>
        `  use ${n}  ${new Date(at).toISOString()}  ${printable(approval)}${amount === undefined ? '' : `  ${amount}`}`,
    ),
  ]
}
