import { type Rotation, turnAt } from './rotation.ts'

/** Who of a group is told first, as a policy says it. */
export interface OnCall {
  /** Where the turns are written: in the policy, or in a calendar (iCalendar) that a server reads. */
  readonly by: { readonly rotation: Rotation } | { readonly calendar: string }
  /** Milliseconds without a decision after which the other members are told, too. */
  readonly othersAfter: number
}

/** Who is on call at a moment. Addresses in lower case. */
export interface OnCallNow {
  readonly people: readonly string[]
  readonly until?: number
  readonly next?: { readonly people: readonly string[]; readonly from: number }
}

/** Of a group with a schedule. One that cannot be read says why, and all members are told at once. */
export type OnCallState =
  | ({ readonly othersAfter: number } & OnCallNow)
  | { readonly problem: string }

export function onCallByRotation(rotation: Rotation, at: number): OnCallNow {
  const { people, until } = turnAt(rotation, at)
  return { people, until, next: { people: turnAt(rotation, until).people, from: until } }
}
