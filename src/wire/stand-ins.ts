import type { WirePerson } from './approval.ts'

/*
 * Who answers for whom while they are away, as people see it over HTTP.
 */

export interface WireStandIn {
  readonly id: string
  /** Who is away. They may answer all the same. */
  readonly absent: WirePerson
  /** Who may fill their places. */
  readonly standIn: WirePerson
  readonly from: number
  readonly until: number
  readonly by: WirePerson
  readonly at: number
  readonly reason?: string
  /** What the reader may do with it. */
  readonly can: readonly ('end' | 'take_back')[]
}

/** `GET /v1/people/stand-ins`: those that hold and those to come, the first to end first. */
export interface StandInList {
  readonly standIns: readonly WireStandIn[]
  readonly now: number
  /** People set one for themselves, admins for others as well. */
  readonly can: readonly ('set' | 'set_for_others')[]
}

/** `POST /v1/people/stand-ins`. People are named by their address, or by the `id` of `/v1/people`. */
export interface StandInBody {
  readonly standIn: string
  /** The signed-in person, unless set. */
  readonly absent?: string
  /** Now, unless set. */
  readonly from?: number
  readonly until: number
  readonly reason?: string
}
