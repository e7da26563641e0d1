import type { Approval } from '../../approval/approval.ts'
import type { Scalar } from '../../base/json/json.ts'
import { leavesOf, pathText } from '../../base/json/leaves.ts'
import type { RecordedCall } from '../admin/recorded-calls.ts'

/** What people made of one recorded call. */
export interface Evidence {
  readonly recorded: RecordedCall
  /** As asked, they never let it run: they denied it, or approved other arguments. */
  readonly answer: 'approved' | 'denied' | 'edited'
  /** Who answered, each once. */
  readonly people: readonly string[]
  /** Approved, and it did not fail, get lost or end unknown. */
  readonly isSound: boolean
  /** Decided faster than the call can be read. */
  readonly isHasty: boolean
  /** Visible values that a condition can test, by path. */
  readonly values: ReadonlyMap<string, Scalar>
}

/** Agents choose how many arguments there are, and each of them is looked at in every call. */
const MOST_VALUES = 100

/** As *Insights* counts quick answers. */
const HASTE_MS = 3_000

/** Only what people themselves answered counts, and each approval once. */
export function evidenceOf(recorded: RecordedCall): Evidence | undefined {
  const { approval, call, masked } = recorded
  const answer = answerOf(approval)
  if (answer === undefined) return undefined
  const said = approval.decisions.filter((one) => !one.grant && !one.void)
  const hidden = new Set(masked.map((keys) => JSON.stringify(keys)))
  const isHidden = (keys: readonly string[]) =>
    keys.some((_, depth) => hidden.has(JSON.stringify(keys.slice(0, depth + 1))))
  const leaves = leavesOf(call.args)
    .filter(({ keys }) => !isHidden(keys))
    .slice(0, MOST_VALUES)
  const took = (approval.decidedAt ?? approval.askedAt) - approval.askedAt
  const state = approval.execution?.state
  return {
    recorded,
    answer,
    people: [...new Set(said.map(({ by }) => JSON.stringify([by.issuer, by.subject])))],
    isSound: state !== 'failed' && state !== 'unknown',
    isHasty: took < HASTE_MS,
    values: new Map(leaves.map(({ keys, value }) => [pathText(keys), value])),
  }
}

function answerOf(approval: Approval): Evidence['answer'] | undefined {
  const { status, decisions, grant, digest, askedDigest, decidedAt } = approval
  const isByPeople = decisions.some((one) => !one.grant && !one.void)
  if (grant !== undefined || decidedAt === undefined || !isByPeople) return undefined
  if (status === 'denied') return 'denied'
  if (digest !== askedDigest) return 'edited'
  const isYes = decisions.every(({ verdict, void: gone }) => gone || verdict === 'approve')
  return isYes && approval.useBy !== undefined ? 'approved' : undefined
}

/** Different people among all of these. */
export function peopleIn(all: readonly Evidence[]): number {
  return new Set(all.flatMap(({ people }) => people)).size
}
