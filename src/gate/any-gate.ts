import type { Call } from '../base/call.ts'
import type { JsonObject } from '../base/json.ts'
import type { CallDeclaration, CodeDeclaration, CodeWords } from './declarations.ts'
import type { Outcome } from './outcome.ts'
import type { AnyTool, ToolDefinition } from './tool.ts'

/** Where a call stands, in what all gates say of it. */
export type Stands =
  | { readonly status: 'allow' | 'approved' }
  | { readonly status: 'deny' | 'pending'; readonly message: string }

/** What the code that makes a call says of it. */
export interface DeclaredOption {
  readonly declared?: CallDeclaration | undefined
}

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
  /**
   * How a call stands that people were asked about, or that policy denies; undefined where nobody
   * was asked. Asks nobody.
   */
  asked(
    call: Call,
    options?: { readonly definition?: ToolDefinition | undefined } & DeclaredOption,
  ): Promise<Stands | undefined>
  /** Whether this call certainly needs nobody, where that can be said at once. */
  allows?(call: Call, options?: DeclaredOption): boolean
  /** For every tool of this name. Of several declarations, the strictest counts. */
  declare(tool: string, declaration: CodeDeclaration): void
  /** Whether every call of this tool may run, whatever its arguments. */
  allowsAll(tool: string, options?: DeclaredOption): boolean
  /** Guarded from now on. `declared`: what its own calls are declared with, for people to see. */
  tool(name: string, definition?: ToolDefinition, options?: { readonly declared?: CodeWords }): void
}
