import type { Decision } from '../../approval/approval.ts'
import { CountersignError } from '../../base/errors.ts'
import type { Write } from './plan.ts'

export interface VoteChanges {
  readonly given: readonly Decision[]
  /** A yes that became a no. */
  readonly turned: readonly Decision[]
}

const NONE: VoteChanges = { given: [], turned: [] }

/** The votes a change brings, for the table that holds one per person and digest. */
export function voteChanges({ before, after }: Write): VoteChanges {
  if (isSame(before?.decisions ?? [], after.decisions)) return NONE
  const earlier = new Map((before?.decisions ?? []).map((one) => [nameOf(one), one.verdict]))
  const names = new Set(after.decisions.map(nameOf))
  if (names.size !== after.decisions.length) {
    throw new CountersignError('internal', `approval ${after.id} counts one person twice`)
  }
  const changed = after.decisions.filter((one) => earlier.get(nameOf(one)) !== one.verdict)
  return {
    given: changed.filter((one) => !earlier.has(nameOf(one))),
    turned: changed.filter((one) => earlier.has(nameOf(one))),
  }
}

function isSame(one: readonly Decision[], two: readonly Decision[]): boolean {
  if (one.length !== two.length) return false
  return one.every((decision, index) => {
    const other = two[index]
    return (
      decision.verdict === other?.verdict &&
      decision.digest === other.digest &&
      decision.by.subject === other.by.subject &&
      decision.by.issuer === other.by.issuer
    )
  })
}

function nameOf({ by, digest }: Decision): string {
  return JSON.stringify([by.issuer, by.subject, digest])
}

export interface NewClaim {
  readonly claim: string
  readonly instance: string | null
  readonly at: number
}

/** The claim a change brings, for the table that holds one per approval. */
export function newClaim({ before, after }: Write): NewClaim | undefined {
  if (before?.execution !== undefined || after.execution === undefined) return undefined
  const { claim, instance, claimedAt } = after.execution
  return { claim, instance: instance ?? null, at: claimedAt }
}
