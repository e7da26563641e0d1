import type { Approval, Decision } from '../approval/approval.ts'
import {
  type Person,
  type PersonId,
  type PersonName,
  verifiedEmail,
} from '../approval/people/person.ts'
import type { Directory } from '../approval/people/requirement.ts'
import { asVoter } from '../approval/people/stand-in.ts'
import { foldAddress } from '../base/address.ts'
import { type OnCallState, onCallByRotation } from '../base/on-call/on-call.ts'
import type { Approver } from '../base/oversight.ts'
import type { Policy } from '../policy/policy.ts'
import { type Strategy, TEST_ISSUER } from './strategy.ts'

/** What a gate asks about people. Everything in it is already authenticated elsewhere. */
export interface People {
  /** Who could answer, as far as is known now. */
  directory(): Directory | Promise<Directory>
  /** What is true now of a person who answered earlier; undefined when they are gone. */
  lookup(person: Person): Person | undefined | Promise<Person | undefined>
  /**
   * The people whom these names mean, for channels that tell each of them. An address that is known
   * from the policy alone is a person without an issuer. None unless set.
   */
  reachable?(to: readonly Approver[]): readonly Addressee[] | Promise<readonly Addressee[]>
  /** How other people know this person. Unknown unless set. */
  nameOf?(person: PersonId): string | undefined | Promise<string | undefined>
  /**
   * Who of a group is told first at this moment; undefined for one without a schedule. No group has
   * one unless set.
   */
  onCall?(group: string, at: number): OnCallState | undefined | Promise<OnCallState | undefined>
  /** Who can help with a question that has no eligible approver left. None unless set. */
  admins?(): readonly PersonName[] | Promise<readonly PersonName[]>
}

/** A person who is told. An address in here is vouched for, or stands in the policy. */
export interface Addressee extends PersonName {
  readonly name?: string
  readonly groups: readonly string[]
}

/**
 * What the policy alone knows: its groups. Roles, locks and claims stay as they were when the
 * person decided; a server that keeps accounts knows better and brings its own.
 */
export function peopleOf(policy: () => Policy): People {
  return {
    directory: () => ({ groups: membersIn(policy()), approvers: 'open' }),
    lookup: (person) => ({ ...person, groups: groupsNow(policy(), person) }),
    onCall: (group, at) => onCallIn(policy(), group, at),
  }
}

/** Who is in which group. When they are on call is nothing that a question depends on. */
export function membersIn({ groups }: PolicyGroups): Directory['groups'] {
  const members = [...groups].map(([name, { onCall: _, ...group }]) => [name, group] as const)
  return Object.fromEntries(members)
}

/** As far as the policy itself says it: a calendar is read by a server. */
export function onCallIn(
  { groups }: PolicyGroups,
  group: string,
  at: number,
): OnCallState | undefined {
  const schedule = groups.get(group)?.onCall
  if (!schedule) return undefined
  const { by, othersAfter } = schedule
  if ('calendar' in by) return { problem: 'its calendar is read by a server' }
  return { othersAfter, ...onCallByRotation(by.rotation, at) }
}

/** Of the groups the person was in, those they still are in. An undefined group has no members. */
function groupsNow(policy: Policy, person: Person): readonly string[] {
  const listed = groupsOf(policy, person)
  const claimed = person.groups.filter((name) => {
    const group = policy.groups.get(name)
    return group !== undefined && 'claim' in group
  })
  return [...new Set([...listed, ...claimed])]
}

export interface Facts {
  readonly email?: string
  readonly emailVerified?: boolean
  /** What the issuer says this person belongs to. */
  readonly claims?: readonly string[]
}

/** As much of a policy as says who belongs together. */
export type PolicyGroups = Pick<Policy, 'groups'>

/** The groups of a policy that a person is in: by verified address, or by claim. */
export function groupsOf({ groups }: PolicyGroups, facts: Facts): readonly string[] {
  const email = verifiedEmail(facts as Person)
  return [...groups].flatMap(([name, group]) => {
    const member =
      'claim' in group
        ? facts.claims?.includes(group.claim)
        : email !== undefined && group.emails.some((one) => foldAddress(one) === email)
    return member ? [name] : []
  })
}

/** Whom a gate asks about people who answered. */
interface Asking {
  readonly people: People
  readonly strategy: Strategy | undefined
}

/**
 * Every person whose approval is valid, and those they stood in for, as they are now. A person who
 * is gone counts as locked.
 */
export function votersNow(core: Asking, { decisions }: Approval): Promise<Person[]> {
  const people = decisions.filter(counts).flatMap(({ by }) => [by, ...(by.for ?? []).map(asVoter)])
  return Promise.all(people.map((person) => personNow(core, person)))
}

function counts({ verdict, void: isVoid }: Decision): boolean {
  return verdict === 'approve' && isVoid !== true
}

/** The person as they are now. */
export async function personNow({ people, strategy }: Asking, person: Person): Promise<Person> {
  // No login has this issuer, so only a strategy can have answered with it.
  const isTest = person.issuer === TEST_ISSUER
  const now = isTest ? strategy && person : await people.lookup(person)
  return now ?? { ...person, locked: true }
}
