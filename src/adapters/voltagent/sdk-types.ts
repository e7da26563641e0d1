/** What the adapter uses of VoltAgent and of the AI SDK 6 in it. Named here, so that neither is needed for types. */

/** A tool as `createTool` gives it. */
export interface VoltTool {
  readonly name: string
  readonly description?: string
  readonly parameters?: unknown
  readonly needsApproval?: unknown
  readonly toModelOutput?: unknown
  readonly execute?: unknown
}

/** Several tools under one name, as `createToolkit` gives them. */
export interface VoltToolkit {
  readonly name: string
  readonly tools: readonly unknown[]
}

/** What a tool is given beside its arguments. Programs other than an agent may leave the call out. */
export interface VoltOptions {
  readonly toolContext?: {
    readonly callId?: string
    readonly messages?: unknown[]
    readonly abortSignal?: AbortSignal
  }
}

/** What the AI SDK gives `needsApproval`. */
export interface VoltGiven {
  readonly toolCallId: string
  readonly messages?: unknown[]
  readonly experimental_context?: unknown
}

export type VoltExecute = (args: unknown, options?: VoltOptions) => unknown
export type VoltNeedsApproval = (args: unknown, given: VoltGiven) => unknown
