import type { Call } from '../base/call.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { CodeDeclaration } from './declared/declarations.ts'
import type { Delegate, DelegateOptions } from './delegate.ts'
import type { Guarded, GuardOptions } from './guard.ts'
import type { AdapterInternals, DeclaredOption, internals, Stands } from './internals.ts'
import type { Outcome } from './outcome.ts'
import type { BatchItem, BatchOptions } from './pipeline/batch.ts'
import type { Previewing } from './preview/previewing.ts'
import type { CallOptions, ResumeOptions } from './run-options.ts'
import type { AnyTool, ToolContext, ToolDefinition, Tools } from './tool.ts'

/** What every gate does, wherever its approvals are stored: all that an adapter may use. */
export interface ToolGate {
  /** Ask, wait, run: all in one. */
  run<R, A = JsonObject>(
    call: Call,
    tool: AnyTool<A, R>,
    options?: CallOptions,
  ): Promise<Outcome<R>>
  /** Ask and return at once. */
  check(
    call: Call,
    options?: {
      readonly definition?: ToolDefinition | undefined
      /** JSON Schema of what an approver fills in. */
      readonly form?: JsonObject | undefined
    } & DeclaredOption &
      Previewing,
  ): Promise<Stands>
  /** Run what was approved, later and anywhere. */
  resume(id: string, tools: Tools, options?: ResumeOptions): Promise<Outcome>
  /**
   * Replies to what a person asked before deciding about a call of this gate's agent. Decides
   * nothing, and changes nothing about the call. Throws what is refused.
   */
  answer(id: string, text: string): Promise<unknown>
  /** Several calls of one turn. The outcomes stand in the order of the calls. */
  batch(items: readonly BatchItem[], options?: BatchOptions): Promise<Outcome[]>
  /**
   * The function, asking first. Resolves with its own result, throws what it throws, and throws
   * `CallBlocked` for a call that did not run. Options declare what policy files can.
   */
  guard<A = JsonObject, R = unknown>(
    work: (args: A, context: ToolContext) => R | Promise<R>,
    options: GuardOptions,
  ): Guarded<A, R>
  /**
   * A sub-agent, or a skill of a remote agent, as a function that asks before anything is handed
   * over. What the other agent calls is asked about by itself.
   */
  delegate<A = JsonObject, R = unknown>(
    to: Delegate,
    agent: (args: A, context: ToolContext) => R | Promise<R>,
    options?: DelegateOptions,
  ): Guarded<A, R>
  /**
   * What code says of every tool of this name, in the words of policy files. Beside a file, and
   * beside other declarations of the name, the strictest counts. What differs between two tools of
   * one name, or from call to call, goes with the call as `declared`.
   */
  declare(tool: string, declaration: CodeDeclaration): void
  /** For adapters of this package. Not part of the public API. */
  readonly [internals]: AdapterInternals
}
