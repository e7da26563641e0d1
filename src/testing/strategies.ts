import type { Approval } from '../approval/approval.ts'
import type { Person } from '../approval/people/person.ts'
import type { Approver, Directory, Requirement } from '../approval/people/requirement.ts'
import { CountersignError } from '../base/errors.ts'
import { isProduction } from '../gate/production.ts'
import { type Strategy, TEST_ISSUER } from '../gate/strategy.ts'

/** All people asked say yes at once. A call the policy denies asks no person, so never gets here. */
export function autoApprove(): Strategy {
  refuseProduction('autoApprove()')
  return {
    name: 'autoApprove()',
    answers: (approval, directory) =>
      allAsked(approval, directory).map((by) => ({
        by,
        verdict: 'approve',
        reason: 'autoApprove()',
      })),
  }
}

/** The first one asked says no at once. */
export function autoDeny(reason = 'autoDeny()'): Strategy {
  refuseProduction('autoDeny()')
  return {
    name: 'autoDeny()',
    answers: (approval, directory) =>
      allAsked(approval, directory)
        .slice(0, 1)
        .map((by) => ({ by, verdict: 'deny', reason })),
  }
}

export function refuseProduction(name: string): void {
  if (!isProduction()) return
  throw new CountersignError(
    'mode_refused',
    `${name} is for tests and refuses NODE_ENV=production`,
    {
      hint: 'People answer in the inbox; nothing answers for them in production.',
    },
  )
}

/** Enough invented people to fill every place of every requirement. */
export function allAsked({ requirements }: Approval, directory: Directory): Person[] {
  return requirements.flatMap((requirement, index) => peopleFor(requirement, index, directory))
}

function peopleFor(
  { approvers, quorum }: Requirement,
  index: number,
  directory: Directory,
): Person[] {
  const [named] = approvers
  const first = named === undefined ? [] : [personFor(named, `${index}`, directory)]
  const seats = quorum.flatMap(({ group, n }) =>
    Array.from({ length: n }, (_, seat) =>
      personFor({ group }, `${index}-${group}-${seat}`, directory, seat),
    ),
  )
  const anyone = first.length + seats.length === 0 ? [personFor('*', `${index}`, directory)] : []
  return [...first, ...seats, ...anyone]
}

function personFor(approver: Approver, name: string, directory: Directory, seat = 0): Person {
  const group = approver !== '*' && 'group' in approver ? approver.group : undefined
  const email = approver !== '*' && 'email' in approver ? approver.email : member(group)
  return {
    issuer: TEST_ISSUER,
    subject: `tester-${name}`,
    ...(email === undefined ? {} : { email, emailVerified: true }),
    groups: group === undefined ? [] : [group],
    roles: ['approver'],
    assurance: 'passkey',
  }

  function member(of: string | undefined): string | undefined {
    if (of === undefined || !Object.hasOwn(directory.groups, of)) return undefined
    const found = directory.groups[of]
    return found && 'emails' in found ? found.emails[seat] : undefined
  }
}
