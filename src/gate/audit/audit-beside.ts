import type { Approval } from '../../approval/approval.ts'
import type { Grant } from '../../approval/grants/grant.ts'
import { addDecimal } from '../../base/json/decimal.ts'
import type { LoggedApproval, LoggedGrant } from '../../store/audit/audit-log.ts'
import { AuditProblem } from './audit-problem.ts'

/** A use of a grant, as the entry about it says. */
export interface RecordedUse {
  readonly grant: string
  readonly n: number
  readonly at: number
}

type Cells = Readonly<Record<string, unknown>>

/**
 * Holds votes and claims against the body of their approval, which is known to be what was recorded,
 * and the use of a grant against its own entry.
 */
export function besideApproval(
  { votes, claims, uses }: LoggedApproval,
  { id, decisions, edited, execution }: Approval,
  use: RecordedUse | undefined,
): AuditProblem | undefined {
  const given = decisions.map(({ by: { issuer, subject }, digest, verdict, at }) => {
    return { issuer, subject, digest, verdict, at }
  })
  const claim = execution && {
    claim: execution.claim,
    instance: execution.instance ?? null,
    at: execution.claimedAt,
  }
  return (
    compared(
      votes.map((one) => answeredAgain(one, given, edited.length > 0)),
      given,
      ['issuer', 'subject', 'digest'],
      ({ subject }) => `vote of ${String(subject)} on approval ${id}`,
    ) ??
    compared(claims, claim ? [claim] : [], [], () => `claim of approval ${id}`) ??
    compared(uses, use ? [{ ...use }] : [], [], () => `use of a grant by approval ${id}`)
  )
}

/** The first vote stays when an edit made it void and the same person answered the same call again. */
function answeredAgain(vote: Cells, given: readonly Cells[], isEdited: boolean): Cells {
  if (!isEdited) return vote
  const same = given.find((one) =>
    ['issuer', 'subject', 'digest', 'verdict'].every((name) => one[name] === vote[name]),
  )
  return same && Number(vote.at) < Number(same.at) ? { ...vote, at: same.at } : vote
}

/** What the uses took is not in the entries, because amounts are arguments; their sum is in the row. */
export function besideGrant({ taken }: LoggedGrant, grant: Grant): AuditProblem | undefined {
  const { id, spent, limits, erased } = grant
  if (erased) return undefined
  const sum = taken.reduce<string>((total, amount) => addDecimal(total, amount ?? 0), '0')
  const fits = limits.budget ? sum === spent : taken.every((amount) => amount === null)
  if (fits) return undefined
  return new AuditProblem('row_changed', `grant ${id}`, 'its uses took another sum than it says')
}

/** Rows that should be there, and those that are; `names` tell one from another. */
function compared(
  found: readonly Cells[],
  expected: readonly Cells[],
  names: readonly string[],
  placeOf: (row: Cells) => string,
): AuditProblem | undefined {
  const isSame = (one: Cells, other: Cells) => names.every((name) => one[name] === other[name])
  for (const row of expected) {
    const there = found.find((one) => isSame(one, row))
    if (!there) {
      return new AuditProblem('row_missing', placeOf(row), 'entries tell of it, and it is gone')
    }
    const other = Object.keys(row).find((name) => there[name] !== row[name])
    if (other === undefined) continue
    return new AuditProblem('row_changed', placeOf(row), `its column ${other} says something else`)
  }
  const stranger = found.find((one) => !expected.some((row) => isSame(one, row)))
  return stranger && new AuditProblem('row_unknown', placeOf(stranger), 'no entry tells of it')
}
