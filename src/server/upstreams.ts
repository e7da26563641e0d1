import type { Risk } from '../base/call.ts'
import type { JsonObject } from '../base/json/json.ts'

/** The servers behind the gate, as known to the program that composes this server with them. */
export interface Upstreams {
  /** As of the last look at each; there may have been none yet. */
  servers(): Promise<readonly UpstreamServer[]>
  /** Every tool that was ever listed, of servers as they are reached now. */
  tools(): Promise<readonly UpstreamTool[]>
  /** Whether the operator lets admins try and add commands from a page. */
  readonly takesCommands: boolean
  /** Connects to all of them and lists their tools. */
  look(): Promise<void>
}

export interface UpstreamServer {
  readonly alias: string
  /** How it is reached, in words that show no secret; absent where no file says how. */
  readonly reached?: string
  /** Its tools are those of the studio. */
  readonly hosted?: true
  /** Present where its users sign in, and no file does it for them. */
  readonly signIn?: {
    /** A person has to, before it can be used. */
    readonly isNeeded: boolean
    readonly state?: {
      readonly issuer: string
      readonly scopes: readonly string[]
      readonly by: { readonly issuer: string; readonly subject: string }
      readonly at: number
      readonly lost?: string
      readonly wanted?: readonly string[]
    }
  }
  readonly seen?: {
    readonly at: number
    readonly problem?: string
    readonly name?: string
    readonly version?: string
    readonly notes: readonly string[]
  }
}

export interface UpstreamTool {
  readonly id: string
  readonly server: string
  readonly tool: string
  /** As it may be; absent where it is too large to keep, or was never accepted. */
  readonly definition?: JsonObject
  /** Empty where nothing was accepted yet. */
  readonly digest: string
  /** What it says now, while it is held back. */
  readonly changed?: { readonly digest: string; readonly definition?: JsonObject }
  readonly risk: { readonly risk: Risk; readonly from: string; readonly sign?: string }
  /** It was not in the last listing. */
  readonly isGone: boolean
  readonly usedAt?: number
}
