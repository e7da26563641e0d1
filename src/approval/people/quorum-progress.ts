import type { Approval } from '../approval.ts'
import { type Lock, lockOnPerson } from '../locks/lock.ts'
import { allMet, type Lent, type Voter, yeses } from './quorum.ts'
import type { Requirement } from './requirement.ts'
import type { StandIn } from './stand-in.ts'

/** What keeps a yes from counting at this moment. */
export interface LockedNow {
  readonly locks: readonly Lock[]
  readonly now: number
  readonly standIns?: readonly StandIn[]
}

/** Places filled and wanted. */
export interface Progress {
  readonly have: number
  readonly need: number
}

/** `2 of 3`: places filled, over all requirements. */
export function metOf(approval: Approval, locked: LockedNow): Progress {
  const filled = approval.requirements.map((_, index) => filledPlaces(approval, index, locked))
  return {
    have: filled.reduce((sum, { have }) => sum + have, 0),
    need: filled.reduce((sum, { need }) => sum + need, 0),
  }
}

/** How far one requirement has come. */
export interface Filled extends Progress {
  /** Of each part of the quorum, in its order. */
  readonly quorum: readonly number[]
  readonly met: boolean
}

/** Counted by the same rules that decide, so what is shown cannot differ from what counts. */
export function filledPlaces(approval: Approval, index: number, locked: LockedNow): Filled {
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
function countedYeses(approval: Approval, { locks, now, standIns = [] }: LockedNow): Voter[] {
  const isFree = ({ voted }: Pick<Lent, 'voted'>) => !lockOnPerson(locks, voted, now)
  return yeses(approval, [], standIns)
    .filter(isFree)
    .map(({ lent, ...voter }) => (lent ? { ...voter, lent: lent.filter(isFree) } : voter))
}
