import type { AgentName, CallKind } from '../../base/call.ts'
import type { CodeWords } from '../declared/declarations.ts'
import { type CallerIdentity, ownerName } from '../identity.ts'
import { checkToolName, type ToolDefinition } from '../tool.ts'
import type { ToolNotes } from './tool-notes.ts'

/** What names a tool: the same name on two servers is two tools. */
export interface ToolKey {
  readonly kind?: CallKind | undefined
  readonly server?: string | undefined
  readonly tool: string
}

export interface RegisteredTool extends ToolKey {
  /** The entry point it is guarded at. */
  readonly door: string
  readonly definition: ToolDefinition | undefined
  /** What code says of it besides the files, where it says anything. */
  readonly code?: CodeWords | undefined
}

type Who = Pick<CallerIdentity, 'agent'>

/**
 * The tools this process guards, each for the agent it was registered by: what one agent says of a
 * tool is nothing to another one that has a tool of the same name.
 */
export interface Registry {
  /** Known here at once; written to the store behind the caller's back. */
  register(who: Who, tool: RegisteredTool): void
  /** Code has said something else of a tool since. */
  declared(who: Who, tool: string, code: CodeWords | undefined): void
  definitionOf(who: Who, key: ToolKey): ToolDefinition | undefined
  list(): readonly RegisteredTool[]
}

// Names can come from models: without a bound, inventing names would fill the memory.
const MAX_TOOLS = 10_000

export function createRegistry(notes: ToolNotes): Registry {
  const tools = new Map<string, RegisteredTool>()

  function register(who: Who, tool: RegisteredTool): void {
    checkToolName(tool.tool)
    const key = keyOf(who, tool)
    if (!tools.has(key) && tools.size >= MAX_TOOLS) return
    tools.set(key, tool)
    notes.note(ownerOf(who.agent), tool)
  }

  return {
    register,
    declared(who, tool, code) {
      const known = tools.get(keyOf(who, { tool }))
      if (known) register(who, { ...known, code })
    },
    definitionOf: (who, key) =>
      tools.size === 0 ? undefined : tools.get(keyOf(who, key))?.definition,
    list: () => [...tools.values()],
  }
}

function keyOf({ agent }: Who, { kind = 'tool', server, tool }: ToolKey): string {
  return JSON.stringify([ownerOf(agent), kind, server ?? null, tool])
}

/** The agent a note belongs to; null for a gate that speaks for none in particular. */
export type Owner = string | null

export function ownerOf(agent: AgentName | undefined): Owner {
  return agent === undefined ? null : ownerName(agent)
}
