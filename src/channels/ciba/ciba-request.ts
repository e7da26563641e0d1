import type { JsonObject } from '../../base/json/json.ts'
import type { ChannelRequest, ChannelRequests } from '../../gate/notify/channel-host.ts'

/** One question to one person through the provider, as it is remembered. */
export interface CibaRequest {
  readonly approval: string
  readonly subject: string
  /** What the person was asked about. */
  readonly digest: string
  /**
   * `asking`: the provider may have the request, and its id is not known yet. `open`: it is polled.
   * `over`: nothing more comes of it.
   */
  readonly state: 'asking' | 'open' | 'over'
  /** How often it was asked without an end that is known. */
  readonly asks: number
  readonly askedAt: number
  /**
   * Of an open one: `auth_req_id`, seconds between two polls, and when the next one may be. Of one that
   * is being put: until when no other process puts it.
   */
  readonly id: string
  readonly interval: number
  readonly due: number
  /** When the provider gives it up. */
  readonly until: number
  /** Polls in a row that got no answer. */
  readonly failures: number
  /** Of one that is over: it ran out, so that a reminder may ask again. */
  readonly expired: boolean
}

export interface KeptRequest extends CibaRequest {
  readonly revision: number
}

/** A question whose end is unknown is put once more, and never a third time. */
export const MOST_ASKS = 2
/** Kept beyond the end of the approval, so that no late notice asks again. */
const KEPT_MS = 86_400_000

export function nameOf({ approval, subject }: Pick<CibaRequest, 'approval' | 'subject'>): string {
  return JSON.stringify([approval, subject])
}

export function readRequest({ value, revision }: ChannelRequest): KeptRequest {
  return { ...(value as unknown as CibaRequest), revision }
}

/** Undefined when another process, or a newer question, was faster. */
export async function keepRequest(
  requests: ChannelRequests,
  request: CibaRequest & { readonly revision?: number },
  expect: number | 'absent',
): Promise<KeptRequest | undefined> {
  const { revision: _, ...value } = request
  const ms = Math.max(request.until - request.askedAt, 0) + KEPT_MS
  const kept = await requests.put(nameOf(request), value as unknown as JsonObject, { expect, ms })
  return kept && readRequest(kept)
}
