import type { ApprovalRow } from '../../api/approval.ts'
import type { WireLocked } from '../../api/locks.ts'
import type { Approval } from '../../approval/approval.ts'
import { isOpen } from '../../approval/clock.ts'
import { lockOnApproval, lockOnPerson, targetWords } from '../../approval/locks/lock.ts'
import type { Person } from '../../approval/people/person.ts'
import { allMet, type Lent, type Voter, yeses } from '../../approval/people/quorum.ts'
import { type Requirement, type Shortage, shortageOf } from '../../approval/people/requirement.ts'
import { shownRisk } from '../../base/call.ts'
import { cutRanges } from '../../base/message-parts.ts'
import type { Question } from '../../gate/content/stored-content.ts'
import { type Locked, mine, NOTHING_LOCKED } from './permissions.ts'

/** What the list and the card say of it, for one reader. */
export function rowOf(
  approval: Approval,
  question: Pick<Question, 'message' | 'values'> | undefined,
  reader: Person,
  locked: Locked = NOTHING_LOCKED,
): ApprovalRow {
  const { call, execution, reason, decidedAt } = approval
  const shortage = unreachable(approval, locked)
  const { kind, tool, server, door, agent, alias, principal, run, batch } = call
  return {
    id: approval.id,
    revision: approval.revision,
    status: approval.status,
    ...given({ reason, execution: execution?.state }),
    level: approval.level,
    kind,
    tool,
    door,
    ...shownRisk(call),
    ...given({ server, principal: principal?.email ?? principal?.subject }),
    agent: alias ?? agent,
    message: question?.message ?? '',
    ...given({ values: question?.values }),
    digest: approval.digest,
    ...given({ run, batch, decidedAt }),
    ...answeredBy(approval),
    askedAt: approval.askedAt,
    decideBy: approval.decideBy,
    met: metOf(approval, locked),
    mine: mine(approval, reader, locked),
    ...given({
      locked: wireLocked(approval, locked),
      unreachable: shortage?.rule,
      unreachableWhy: shortage?.says,
    }),
  }
}

/** Who decided, for lists of what is over. What no longer counts decided nothing. */
function answeredBy({ status, decisions, digest, askedDigest }: Approval) {
  if (status === 'pending') return {}
  const wanted = status === 'denied' ? 'deny' : 'approve'
  const counted = decisions.filter((one) => one.void !== true && one.verdict === wanted)
  const by = [...new Set(counted.map(({ by: { email, subject } }) => email ?? subject))]
  return {
    ...(by.length > 0 ? { by } : {}),
    ...(digest === askedDigest ? {} : { isEdited: true as const }),
    ...(counted.some(({ grant }) => grant !== undefined) ? { byGrant: true as const } : {}),
  }
}

/** Characters of a text in the list; agents choose how long a question is, and inboxes poll. */
const LISTED_TEXT = 500

/** The row as a list carries it: long texts are cut, and stand whole on the card. */
export function listedRow(row: ApprovalRow): ApprovalRow {
  const { message, values, unreachableWhy } = row
  return {
    ...row,
    message: shortened(message),
    ...given({ values: values && cutRanges(values, LISTED_TEXT) }),
    ...given({ unreachableWhy: unreachableWhy && shortened(unreachableWhy) }),
  }
}

function shortened(text: string): string {
  if (text.length <= LISTED_TEXT) return text
  // Half a surrogate pair is no text.
  return `${text.slice(0, LISTED_TEXT).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** Without an open end: people who may still come are not counted out. */
export function unreachable(
  approval: Approval,
  { locks, directory }: Locked,
): Shortage | undefined {
  if (approval.status !== 'pending' || !directory) return undefined
  return shortageOf(approval, directory, locks)
}

function wireLocked(approval: Approval, { locks, now }: Locked): WireLocked | undefined {
  const lock = isOpen(approval) ? lockOnApproval(locks, approval, now) : undefined
  if (!lock) return undefined
  const { id, target, reason, by, at, until } = lock
  return { id, words: targetWords(target), reason, by, at, ...given({ until }) }
}

function metOf(approval: Approval, locked: Locked): ApprovalRow['met'] {
  const filled = approval.requirements.map((_, index) => filledPlaces(approval, index, locked))
  return {
    have: filled.reduce((sum, { have }) => sum + have, 0),
    need: filled.reduce((sum, { need }) => sum + need, 0),
  }
}

/** Leaves unknown fields out: JSON has no undefined. */
export function given<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(known) as { [K in keyof T]?: NonNullable<T[K]> }
}

/** How far one requirement has come. */
export interface Filled {
  /** Places filled and wanted, over its approvers and its quorum. */
  readonly have: number
  readonly need: number
  /** Of each part of the quorum, in its order. */
  readonly quorum: readonly number[]
  readonly met: boolean
}

/** Counted by the same rules that decide, so what is shown cannot differ from what counts. */
export function filledPlaces(approval: Approval, index: number, locked: Locked): Filled {
  const requirement = approval.requirements[index]
  if (!requirement) return { have: 0, need: 0, quorum: [], met: false }
  const voters = countedYeses(approval, locked)
  const isMet = (part: Partial<Requirement>) =>
    allMet(alone(approval, index, { ...requirement, ...part }), voters)
  const isNamed = requirement.approvers.length > 0 || requirement.quorum.length === 0
  const named = isNamed && isMet({ quorum: [] }) ? 1 : 0
  const quorum = seated(requirement, (parts) => isMet({ approvers: [], quorum: parts }))
  const wanted = requirement.quorum.reduce((sum, { n }) => sum + n, 0)
  return {
    have: named + quorum.reduce((sum, n) => sum + n, 0),
    need: (isNamed ? 1 : 0) + wanted,
    quorum,
    met: isMet({}),
  }
}

/** Seat after seat: a person fit for two groups fills one place. */
function seated(
  { quorum }: Requirement,
  fits: (parts: Requirement['quorum']) => boolean,
): readonly number[] {
  const taken: { group: string; n: number }[] = []
  return quorum.map(({ group, n }) => {
    let have = 0
    while (have < n && fits([...taken, { group, n: have + 1 }])) have += 1
    if (have > 0) taken.push({ group, n: have })
    return have
  })
}

function alone({ call, escalated }: Approval, index: number, requirement: Requirement) {
  return {
    call,
    requirements: [requirement],
    escalated: escalated
      .filter((one) => one.requirement === index)
      .map((one) => ({ ...one, requirement: 0 })),
  }
}

/** All voters whose yes is about the call as it is now, and still counts. */
function countedYeses(approval: Approval, { locks, now, standIns = [] }: Locked): Voter[] {
  const isFree = ({ voted }: Pick<Lent, 'voted'>) => !lockOnPerson(locks, voted, now)
  return yeses(approval, [], standIns)
    .filter(isFree)
    .map(({ lent, ...voter }) => (lent ? { ...voter, lent: lent.filter(isFree) } : voter))
}
