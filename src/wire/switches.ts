import type { WirePerson } from './approval.ts'

/*
 * Switches of the inbox: whether people are asked about tools of servers, where no file says so.
 */

/** One that is set. */
export interface WireSwitch {
  readonly server: string
  /** Absent: for all tools of the server that nothing else speaks of. */
  readonly tool?: string
  readonly on: boolean
  readonly by: WirePerson
  readonly at: number
}

/** One of the list, with what it changes. */
export interface ListedSwitch extends WireSwitch {
  /** The strictest a call can get: as the files alone say, and as it is now. Absent: no file declares the server. */
  readonly changes?: { readonly from: string; readonly to: string }
  /** A file decides this, so the switch changes nothing. */
  readonly fixed?: { readonly rule: string; readonly at: string }
}

/** `GET /v1/switches`. */
export interface SwitchList {
  readonly switches: readonly ListedSwitch[]
  /** What the reader may do. */
  readonly can: readonly 'switch'[]
}

/** `PUT /v1/servers/:server/switch` and `PUT /v1/servers/:server/tools/:tool/switch`. */
export interface SwitchBody {
  readonly on: boolean
  /** People will be asked less, and that is meant. */
  readonly lowers?: boolean
}
