import type { Risk } from '../../base/call.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Store } from '../../store/store.ts'
import type { Pins } from '../upstream/pins.ts'
import type { UpstreamSpec } from '../upstream/upstream-spec.ts'
import type { Client } from './client.ts'
import type { Places } from './process-pool.ts'
import type { ToolCalls } from './tool-call.ts'

export interface SessionOptions
  extends Omit<ToolCalls, 'request' | 'watch' | 'gateOf' | 'confirm'> {
  readonly store: Store
  /** The name approvals of this client are kept under. */
  readonly agent: string
  /** The person it works for. */
  readonly principal?: string | undefined
  /** What its calls belong to. */
  readonly run: string
  readonly specs: readonly UpstreamSpec[]
  /** One server, whose names stay as they are. */
  readonly isSingle: boolean
  readonly pins: Pins
  /** The operator's word on how risky a tool is. */
  readonly saidRisk?: (server: string, tool: string) => Risk | undefined
  /** Whether the policy leaves this tool to be called at all; others are not listed. */
  readonly isOffered?: (server: string, tool: string) => boolean
  readonly version: string
  /** Room for processes, where several sessions share it. */
  readonly places?: Places | undefined
}

/** What reaches the client without being an answer. */
export interface SessionEvents {
  /** A server asks the client something while a call runs, or out of the blue. */
  onRequest(
    method: string,
    params: JsonObject,
    signal: AbortSignal,
    /** The client the server works for just now; undefined where there are several, or none. */
    about: Client | undefined,
  ): Promise<JsonObject>
  onNotification(method: string, params: JsonObject): void
}
