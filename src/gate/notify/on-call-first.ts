import type { Approval } from '../../approval/approval.ts'
import { foldAddress } from '../../base/address.ts'
import type { OnCallState } from '../../base/on-call/on-call.ts'
import type { Approver } from '../../base/oversight.ts'
import type { Addressee } from '../people.ts'
import type { Notice } from './channel.ts'

export interface Asked {
  readonly notice: Notice
  readonly approval: Approval
  /** Whom the notice is for, by name. */
  readonly names: readonly Approver[]
  readonly people: readonly Addressee[]
}

export interface Schedules {
  /** Undefined for a group without a schedule. */
  readonly onCall: (group: string) => Promise<OnCallState | undefined>
  /** Whether this person hears of it now: in no quiet hours, and some channel has an address. */
  readonly hearsNow: (person: Addressee) => Promise<boolean>
}

/** Those that put the question to people for the first time, or again. */
const ASKS: readonly Notice['kind'][] = ['asked', 'reminded', 'escalated']

/**
 * How long each person stands by while those on call are told. A schedule takes no person's place:
 * where it cannot be read, or names too few people who hear of it now, all are told at once.
 */
export async function standBys(
  { notice, approval, names, people }: Asked,
  { onCall, hearsNow }: Schedules,
): Promise<ReadonlyMap<Addressee, number>> {
  const waits = new Map<Addressee, number>()
  if (!ASKS.includes(notice.kind) || names.includes('*')) return waits
  const groups = names.flatMap((one) => (one !== '*' && 'group' in one ? [one.group] : []))
  const turns = new Map<string, Turns>()
  for (const group of groups) {
    const state = await onCall(group)
    if (!state || 'problem' in state) continue
    const own = people.filter((one) => isOnCall(one, group, state.people))
    const able = await Promise.all(own.map(hearsNow))
    if (able.filter(Boolean).length < neededOf(approval, group)) continue
    turns.set(group, { people: own, othersAfter: state.othersAfter })
  }
  const named = new Set(
    names.flatMap((one) => (one !== '*' && 'email' in one ? [foldAddress(one.email)] : [])),
  )
  for (const person of people) {
    if (person.email !== undefined && named.has(foldAddress(person.email))) continue
    const asked = groups.filter((group) => person.groups.includes(group))
    const others = asked.flatMap((group) => turns.get(group) ?? [])
    // In one group without a schedule, or on call in one: told at once.
    const isOther = others.length > 0 && others.length === asked.length
    if (!isOther || others.some((one) => one.people.includes(person))) continue
    waits.set(person, Math.min(...others.map(({ othersAfter }) => othersAfter)))
  }
  return waits
}

interface Turns {
  readonly people: readonly Addressee[]
  readonly othersAfter: number
}

function isOnCall({ email, groups }: Addressee, group: string, turn: readonly string[]): boolean {
  return email !== undefined && groups.includes(group) && turn.includes(foldAddress(email))
}

/** How many people of the group have to agree. */
function neededOf({ requirements }: Approval, group: string): number {
  const parts = requirements.flatMap(({ quorum }) => quorum).filter((one) => one.group === group)
  return Math.max(1, ...parts.map(({ n }) => n))
}
