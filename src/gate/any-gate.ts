import type { Call } from '../base/call.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { CodeDeclaration } from './declared/declarations.ts'
import type { Delegate, DelegateOptions } from './delegate.ts'
import type { Guarded, GuardOptions } from './guard.ts'
import type { AdapterInternals, DeclaredOption, internals, Stands } from './internals.ts'
import type { Outcome } from './outcome.ts'
import type { AnyTool, ToolContext, ToolDefinition } from './tool.ts'

/** What every gate can do, wherever its approvals live: all that an adapter may use. */
export interface AnyGate {
  run<R, A = JsonObject>(
    call: Call,
    tool: AnyTool<A, R>,
    options?: {
      readonly signal?: AbortSignal | undefined
      readonly waitFor?: string | number | undefined
      readonly wait?: false | undefined
    } & DeclaredOption,
  ): Promise<Outcome<R>>
  check(
    call: Call,
    options?: { readonly definition?: ToolDefinition | undefined } & DeclaredOption,
  ): Promise<Stands>
  /** For every tool of this name. Of several declarations, the strictest counts. */
  declare(tool: string, declaration: CodeDeclaration): void
  guard<A = JsonObject, R = unknown>(
    work: (args: A, context: ToolContext) => R | Promise<R>,
    options: GuardOptions,
  ): Guarded<A, R>
  delegate<A = JsonObject, R = unknown>(
    to: Delegate,
    agent: (args: A, context: ToolContext) => R | Promise<R>,
    options?: DelegateOptions,
  ): Guarded<A, R>
  readonly [internals]: AdapterInternals
}
