import type { Call } from '../../base/call.ts'
import type { CallDeclaration } from '../declared/declarations.ts'
import type { Outcome } from '../outcome.ts'
import type { CallOptions } from '../run-options.ts'
import { type AnyTool, type NamedTool, namedTool } from '../tool.ts'

export interface BatchItem {
  readonly call: Call
  readonly tool: AnyTool
  readonly key?: string
  /** What code says of this call. */
  readonly declared?: CallDeclaration
}

/** A countersignature speaks for one call, so none goes with several. */
export type BatchOptions = Omit<
  CallOptions,
  'key' | 'join' | 'batch' | 'declared' | 'countersignature'
>

type Run = (call: Call, tool: NamedTool, options: CallOptions) => Promise<Outcome>

/**
 * Several calls of one turn. Each has its own question and its own answer, grouped under one name
 * so that people see them together; those that may run do, whatever becomes of the others. The
 * outcomes stand in the order of the calls.
 */
export async function runBatch(
  run: Run,
  items: readonly BatchItem[],
  options: BatchOptions,
): Promise<Outcome[]> {
  const batch = items.length > 1 ? crypto.randomUUID() : undefined
  // All names first: a mistake in the last must not be found after the first has started.
  const named = items.map(({ call, tool, key, declared }) => ({
    call,
    key,
    declared,
    tool: namedTool(tool, call.tool),
  }))
  return Promise.all(
    named.map(({ call, key, declared, tool }) =>
      run(call, tool, { ...options, key, batch, declared }),
    ),
  )
}
