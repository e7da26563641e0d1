import type { CallKind } from '../base/call.ts'
import { digestOf } from '../base/digest.ts'
import { isCountersignError } from '../base/errors.ts'
import { isPlainObject, type Json } from '../base/json.ts'
import { verdictWord } from '../policy/evaluate.ts'
import type { Policy } from '../policy/policy.ts'
import { allRecords } from '../store/records.ts'
import type { Store } from '../store/store.ts'
import type { Background } from './background.ts'
import { type CodeWords, withCode } from './declarations.ts'
import { digestDefinition } from './digests.ts'
import { checkToolName, type ToolDefinition } from './tool.ts'

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

/**
 * The tools that are guarded: here, and by every gate on this store. The server checks edits
 * against what the agents registered, and sees which tools are guarded and which have changed.
 */
export interface Registry {
  /** Known here at once; written to the store behind the caller's back. */
  register(tool: RegisteredTool): void
  /** Code has said something else of a tool since. */
  declared(tool: string, code: CodeWords | undefined): void
  /** As this process registered it. */
  definitionOf(key: ToolKey): ToolDefinition | undefined
  /** As this process registered it, else as any other did. */
  find(key: ToolKey): Promise<ToolDefinition | undefined>
  list(): readonly RegisteredTool[]
}

/** The kind of record a tool is kept as. Its `at` says when it was last seen. */
export const TOOL_RECORD = 'tool'

// Names can come from models: without a bound, inventing names would fill the memory.
const MAX_TOOLS = 10_000
const SEEN_EVERY = 300_000

interface Seen extends RegisteredTool {
  writtenAt: number
}

export function createRegistry(
  store: Store,
  policy: () => Policy,
  background: Background,
): Registry {
  const tools = new Map<string, Seen>()

  async function write(tool: Seen): Promise<void> {
    const { kind = 'tool', server, definition, door, code } = tool
    const named = { kind, tool: tool.tool, ...(server === undefined ? {} : { server }) }
    const value = {
      ...named,
      door,
      digest: await digestDefinition(definition),
      // What a call of it gets when nothing is known of its arguments.
      declared: verdictWord(withCode(policy(), named, code).policy, { ...named, args: {} }),
      ...(code === undefined ? {} : { code: { ...code } as Json }),
    }
    const id = await recordId(tool)
    // Digests take turns of their own: what was registered since is newer, and writes itself.
    if (tools.get(keyOf(tool)) !== tool) return
    try {
      await store.records.put(TOOL_RECORD, id, {
        ...value,
        definition: (definition ?? null) as Json,
      })
    } catch (error) {
      if (!isCountersignError(error, 'too_large')) throw error
      await store.records.put(TOOL_RECORD, id, value)
    }
  }

  function register(tool: RegisteredTool): void {
    checkToolName(tool.tool)
    const key = keyOf(tool)
    const known = tools.get(key)
    if (!known && tools.size >= MAX_TOOLS) return
    const fresh =
      known &&
      known.definition === tool.definition &&
      known.door === tool.door &&
      JSON.stringify(known.code) === JSON.stringify(tool.code)
    if (fresh && performance.now() - known.writtenAt < SEEN_EVERY) return
    const seen = { ...tool, writtenAt: performance.now() }
    tools.set(key, seen)
    void background.persist(() => write(seen))
  }

  return {
    register,
    declared(tool, code) {
      const known = tools.get(keyOf({ tool }))
      if (known) register({ ...known, code })
    },
    definitionOf: (key) => tools.get(keyOf(key))?.definition,
    async find(key) {
      const here = tools.get(keyOf(key))?.definition
      if (here) return here
      return registeredDefinition(store, key)
    },
    list: () => [...tools.values()].map(({ writtenAt: _, ...tool }) => tool),
  }
}

/** What a tool says of itself, as the last gate that registered it wrote it down. */
export async function registeredDefinition(
  store: Pick<Store, 'records'>,
  key: ToolKey,
): Promise<ToolDefinition | undefined> {
  const record = await store.records.get(TOOL_RECORD, await recordId(key))
  const found = isPlainObject(record?.value) ? record.value.definition : undefined
  return isPlainObject(found) ? (found as ToolDefinition) : undefined
}

/** A tool as some gate wrote it down. */
export interface SeenTool {
  readonly kind: CallKind
  readonly server?: string
  readonly tool: string
  /** The entry point of the gate that wrote it last. */
  readonly door: string
  /** What that gate answers to a call of which no argument is known. */
  readonly declared: string
  readonly description?: string
  readonly at: number
}

/** Everything that gates on this store guard. */
export async function registeredTools(store: Pick<Store, 'records'>): Promise<SeenTool[]> {
  const found = await allRecords(store.records, TOOL_RECORD)
  return found.flatMap(({ value, at }) => {
    if (!isPlainObject(value)) return []
    const { kind, server, tool, door, declared, definition } = value
    if (typeof tool !== 'string' || typeof door !== 'string') return []
    const said = isPlainObject(definition) ? definition.description : undefined
    return {
      kind: (kind ?? 'tool') as CallKind,
      ...(typeof server === 'string' ? { server } : {}),
      tool,
      door,
      declared: String(declared ?? ''),
      ...(typeof said === 'string' ? { description: said } : {}),
      at,
    }
  })
}

/** What code says of a tool, as the last gate that registered it wrote it down. */
export async function registeredCode(
  store: Pick<Store, 'records'>,
  key: ToolKey,
): Promise<CodeWords | undefined> {
  const record = await store.records.get(TOOL_RECORD, await recordId(key))
  const code = isPlainObject(record?.value) ? record.value.code : undefined
  if (!isPlainObject(code) || !isPlainObject(code.words)) return undefined
  const besides = Array.isArray(code.besides) ? code.besides.filter(isPlainObject) : []
  return {
    words: code.words,
    ...(besides.length > 0 ? { besides } : {}),
    ...(code.byFunction === true ? { byFunction: true } : {}),
  }
}

function keyOf({ kind = 'tool', server, tool }: ToolKey): string {
  return JSON.stringify([kind, server ?? null, tool])
}

/** Bounded, whatever the names are. */
function recordId({ kind = 'tool', server, tool }: ToolKey): Promise<string> {
  return digestOf('tool', [kind, server ?? null, tool])
}
