import type { AgentName, CallKind } from '../../base/call.ts'
import { digestOf } from '../../base/json/digest.ts'
import { isPlainObject, type Json } from '../../base/json/json.ts'
import { verdictWord } from '../../policy/evaluate/evaluate.ts'
import type { Policy } from '../../policy/policy.ts'
import { allRecords, type StoredRecord } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import type { Background } from '../background/background.ts'
import { digestDefinition } from '../content/binding.ts'
import { type CodeWords, withCode } from '../declared/declarations.ts'
import { ownerName } from '../identity.ts'
import type { ToolDefinition } from '../tool.ts'
import type { Owner, RegisteredTool, ToolKey } from './registry.ts'

/*
 * What gates on a store wrote down of the tools they guard, each agent its own, for pages and lists.
 * Nothing is decided by it: approvals carry their definitions themselves.
 */

export interface ToolNotes {
  /**
   * Written in the background, and not more often than people look. Of a definition that
   * the caller does not keep itself, `digest` says which one it is: then none is held on to here.
   */
  note(owner: Owner, tool: RegisteredTool, digest?: string): void
}

/** The kind of record a tool is kept as. Its `at` says when it was last seen. */
export const TOOL_RECORD = 'tool'

/** What one agent can have noted: the tool that was seen longest ago makes room. */
const TOOLS_PER_AGENT = 500
const DEFINITION_CHARACTERS = 16_384
const DESCRIPTION_CHARACTERS = 2_000
const CODE_CHARACTERS = 16_384
const KEPT_MS = 90 * 86_400_000
const SEEN_EVERY = 300_000
const CHANGED_EVERY = 1_000

interface Noted {
  readonly tool: RegisteredTool
  readonly digest: string | undefined
}

interface Written {
  readonly said: unknown
  readonly door: string
  readonly code: string
  readonly at: number
}

export function createToolNotes(
  store: Store,
  policy: () => Policy,
  background: Background,
): ToolNotes {
  /** By agent, in the order they were last written. */
  const written = new Map<Owner, Map<string, Written>>()
  /** What is still to be written; the writer looks whether something came since. */
  const newest = new Map<string, Noted>()
  let before: Promise<Map<Owner, string[]>> | undefined

  /** What is there from earlier: a new process must not begin to count anew. */
  async function idsBefore(owner: Owner): Promise<string[]> {
    before ??= allRecords(store.records, TOOL_RECORD).then((all) => {
      const ids = new Map<Owner, string[]>()
      for (const { id, value } of [...all].sort((a, b) => a.at - b.at)) {
        const agent = isPlainObject(value) && typeof value.agent === 'string' ? value.agent : null
        ids.set(agent, [...(ids.get(agent) ?? []), id])
      }
      return ids
    })
    before.catch(() => {
      before = undefined
    })
    const known = await before
    const own = known.get(owner) ?? []
    known.set(owner, own)
    return own
  }

  async function write(owner: Owner, tool: RegisteredTool, digest?: string): Promise<void> {
    const id = await recordId(owner, tool)
    const expiresAt = (await store.now()) + KEPT_MS
    await store.records.put(TOOL_RECORD, id, await noteOf(owner, tool, digest), { expiresAt })
    const ids = await idsBefore(owner)
    const index = ids.indexOf(id)
    if (index >= 0) ids.splice(index, 1)
    ids.push(id)
    for (const oldest of ids.splice(0, Math.max(0, ids.length - TOOLS_PER_AGENT))) {
      await store.records.remove(TOOL_RECORD, oldest)
    }
  }

  async function noteOf(owner: Owner, tool: RegisteredTool, digest?: string): Promise<Json> {
    const { kind = 'tool', server, definition, door, code } = tool
    const named = { kind, tool: tool.tool, ...(server === undefined ? {} : { server }) }
    const short = shortened(tool)
    const description = short?.description
    const isShort = JSON.stringify(code ?? null).length <= CODE_CHARACTERS
    return {
      ...named,
      ...(owner === null ? {} : { agent: owner }),
      door,
      digest: digest ?? (await digestDefinition(definition)),
      // What a call of it gets when nothing is known of its arguments.
      declared: verdictWord(withCode(policy(), named, code).policy, { ...named, args: {} }),
      ...(typeof description === 'string'
        ? { description: description.slice(0, DESCRIPTION_CHARACTERS) }
        : {}),
      ...(short ? { definition: short as Json } : {}),
      ...(code && isShort ? { code: { ...code } as Json } : {}),
    }
  }

  function writeLast(owner: Owner, key: string, noted: Noted): void {
    const name = JSON.stringify([owner, key])
    const isWriting = newest.has(name)
    newest.set(name, noted)
    if (isWriting) return
    const work = background.persist(async () => {
      for (let last = newest.get(name); last; ) {
        await write(owner, last.tool, last.digest)
        const next = newest.get(name)
        if (next === last) newest.delete(name)
        last = next === last ? undefined : next
      }
    })
    // Given up: the next one tries again.
    void work.then((end) => end === 'done' || newest.delete(name))
  }

  return {
    note(owner, tool, digest) {
      const own = written.get(owner) ?? new Map<string, Written>()
      written.set(owner, own)
      const key = keyOf(tool)
      const known = own.get(key)
      const now = performance.now()
      const said = digest ?? tool.definition
      const { door } = tool
      const code = JSON.stringify(tool.code ?? null)
      const isSame = known?.said === said && known?.door === door && known?.code === code
      // An agent that sends another one with each call is written down now and then.
      const pause = isSame ? SEEN_EVERY : digest === undefined ? 0 : CHANGED_EVERY
      if (known && now - known.at < pause) return
      own.delete(key)
      own.set(key, { said, door, code, at: now })
      const [oldest] = own.size > TOOLS_PER_AGENT ? own.keys() : []
      if (oldest !== undefined) own.delete(oldest)
      const noted = digest === undefined ? tool : { ...tool, definition: shortened(tool) }
      writeLast(owner, key, { tool: noted, digest })
    },
  }
}

/** A tool as some gate wrote it down for its agent. */
export interface SeenTool {
  readonly kind: CallKind
  readonly server?: string
  readonly tool: string
  /** Absent where the gate speaks for none in particular. */
  readonly agent?: string
  /** The entry point of the gate that wrote it last. */
  readonly door: string
  /** What that gate answers to a call of which no argument is known. */
  readonly declared: string
  /** Digest of what the tool says of itself there. */
  readonly digest: string
  readonly description?: string
  readonly definition?: ToolDefinition
  /** What code says of it, besides the files. */
  readonly code?: CodeWords
  readonly at: number
}

/** Everything that gates on this store guard. */
export async function notedTools(store: Pick<Store, 'records'>): Promise<SeenTool[]> {
  return (await allRecords(store.records, TOOL_RECORD)).flatMap(seenTool)
}

/**
 * What is noted of one tool: by this agent; where none is named, by a gate that speaks for none, or
 * by the only agent that has such a tool.
 */
export async function notedTool(
  store: Pick<Store, 'records'>,
  key: ToolKey,
  agent: string | AgentName | undefined,
): Promise<SeenTool | undefined> {
  const owner = agent === undefined ? null : ownerName(agent)
  const record = await store.records.get(TOOL_RECORD, await recordId(owner, key))
  const [found] = record ? seenTool(record) : []
  if (found || owner !== null) return found
  const all = (await notedTools(store)).filter((one) => keyOf(one) === keyOf(key))
  return all.length === 1 ? all[0] : undefined
}

function seenTool({ value, at }: StoredRecord): SeenTool[] {
  if (!isPlainObject(value)) return []
  const { kind, server, tool, agent, door, declared, digest, description, definition } = value
  if (typeof tool !== 'string' || typeof door !== 'string') return []
  const code = codeIn(value.code)
  return [
    {
      kind: (kind ?? 'tool') as CallKind,
      ...(typeof server === 'string' ? { server } : {}),
      tool,
      ...(typeof agent === 'string' ? { agent } : {}),
      door,
      declared: String(declared ?? ''),
      digest: String(digest ?? ''),
      ...(typeof description === 'string' ? { description } : {}),
      ...(isPlainObject(definition) ? { definition: definition as ToolDefinition } : {}),
      ...(code ? { code } : {}),
      at,
    },
  ]
}

/** As much of a definition as is noted: it may wait for a store that is slow, one of many. */
function shortened({ definition }: RegisteredTool): ToolDefinition | undefined {
  if (!definition || JSON.stringify(definition).length <= DEFINITION_CHARACTERS) return definition
  const { description } = definition
  return typeof description === 'string'
    ? { description: description.slice(0, DESCRIPTION_CHARACTERS) }
    : undefined
}

function codeIn(code: unknown): CodeWords | undefined {
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
function recordId(owner: Owner, { kind = 'tool', server, tool }: ToolKey): Promise<string> {
  return digestOf('tool', [owner, kind, server ?? null, tool])
}
