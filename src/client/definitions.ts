import type { Call } from '../base/call.ts'
import type { ToolDefinition } from '../gate/tool.ts'

/** What tools say of themselves, by name: for calls and resumes that bring a function alone. */
export interface Definitions {
  note(tool: Named, definition: ToolDefinition | undefined): void
  of(tool: Named): ToolDefinition | undefined
}

type Named = Pick<Call, 'kind' | 'server' | 'tool'>

// Names can come from models: without a bound, inventing names would fill the memory.
const MAX_TOOLS = 10_000

export function createDefinitions(): Definitions {
  const known = new Map<string, ToolDefinition | undefined>()
  return {
    note(tool, definition) {
      const key = keyOf(tool)
      if (known.has(key) || known.size < MAX_TOOLS) known.set(key, definition)
    },
    of: (tool) => known.get(keyOf(tool)),
  }
}

function keyOf({ kind = 'tool', server, tool }: Named): string {
  return JSON.stringify([kind, server ?? null, tool])
}
