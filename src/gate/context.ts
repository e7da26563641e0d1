import type { Call } from '../base/call.ts'
import type { Json, JsonObject } from '../base/json/json.ts'
import type { Policy } from '../policy/policy.ts'
import type { Store } from '../store/store.ts'
import type { AskedTools, LockCopy } from './admin/operator-state.ts'
import type { Background } from './background/background.ts'
import type { Called, Declarations } from './declared/declarations.ts'
import type { Listeners } from './listeners.ts'
import type { Measuring } from './metrics/measure.ts'
import type { Deliverer } from './notify/deliver.ts'
import type { People } from './people.ts'
import type { Announce, Waiting } from './pipeline/waiting.ts'
import type { Probe } from './probe.ts'
import type { CountersignOptions } from './proof/countersigned.ts'
import type { Strategy } from './strategy.ts'
import type { Telemetry } from './telemetry/telemetry.ts'
import type { Registry } from './tools/registry.ts'

/** What all gates made from one `createGate` share, whatever identity they carry. */
export interface GateContext {
  readonly store: Store
  readonly tenant: string
  /**
   * The policy in force now: it may be another one by the time a call is claimed. For calls to
   * servers await `locks.current` first, because operators switch their tools. `called`: what the
   * code that makes one call says of it, and of no other call.
   */
  readonly policy: (called?: Called) => Policy
  /** The same, where a function in code has already said its part about the call. */
  readonly releasedPolicy: (called?: Called) => Policy
  readonly declarations: Declarations
  readonly people: People
  /** Everything people locked and switched. */
  readonly locks: LockCopy
  /** Which tools may have answers in the store although the rules allow them now. */
  readonly asked: AskedTools
  readonly validate: Validate | undefined
  readonly authorize: Authorize | undefined
  readonly strategy: Strategy | undefined
  readonly listeners: Listeners
  readonly registry: Registry
  readonly waiting: Waiting
  readonly background: Background
  readonly announce: Announce
  readonly waitFor: number | undefined
  readonly countersign: CountersignOptions
  /** Delivers notices; absent where there is no channel for them. */
  readonly deliverer: Deliverer | undefined
  readonly probe: Probe
  readonly telemetry: Telemetry | undefined
  /** Metrics of this gate; absent where there is no meter. */
  readonly measuring: Measuring | undefined
}

/** Checks arguments against a tool's schema, and may fill in defaults. Applied once, before asking. */
export interface Validate {
  (schema: Json, args: JsonObject): Validated | Promise<Validated>
  /**
   * The same at once, for plain values with no other holder: the arguments as they are, or a
   * filled copy. Undefined says nothing.
   */
  readonly fill?: ((schema: Json, args: JsonObject) => JsonObject | undefined) | undefined
}

export type Validated =
  | { readonly ok: true; readonly args?: unknown }
  | {
      readonly ok: false
      /** Names the place and the rule, never the value. */
      readonly problem: string
      /** Where it is wrong, key by key. */
      readonly at?: readonly string[]
    }

/** Besides locks: why a call may not even be asked about, such as quarantine. */
export type Authorize = (call: Call) => Barred | undefined | Promise<Barred | undefined>

export interface Barred {
  readonly code: 'locked' | 'quarantined' | 'too_many_pending'
  readonly reason?: string
}
