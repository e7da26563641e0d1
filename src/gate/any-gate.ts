import type { Call } from '../base/call.ts'
import type { JsonObject } from '../base/json.ts'
import type { CodeDeclaration } from './declarations.ts'
import type { Outcome } from './outcome.ts'
import type { AnyTool, ToolDefinition } from './tool.ts'

/** Where a call stands, in what all gates say of it. */
export type Stands =
  | { readonly status: 'allow' | 'approved' }
  | { readonly status: 'deny' | 'pending'; readonly message: string }

/** What every gate can do, wherever its approvals live: all that an adapter may use. */
export interface AnyGate {
  run<R, A = JsonObject>(
    call: Call,
    tool: AnyTool<A, R>,
    options?: {
      readonly signal?: AbortSignal | undefined
      readonly waitFor?: string | number | undefined
      readonly wait?: false | undefined
    },
  ): Promise<Outcome<R>>
  check(call: Call, options?: { readonly definition?: ToolDefinition | undefined }): Promise<Stands>
  /** Whether this call certainly needs nobody, where that can be said at once. */
  allows?(call: Call): boolean
  declare(tool: string, declaration: CodeDeclaration): void
  /** Whether every call of this tool may run, whatever its arguments. */
  allowsAll(tool: string): boolean
  tool(name: string, definition?: ToolDefinition): void
}
