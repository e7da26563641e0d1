import type { PersonId } from '../../approval/people/person.ts'
import { isCountersignError } from '../../base/errors.ts'
import { digestOf } from '../../base/json/digest.ts'
import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'
import { digestDefinition } from '../../gate/content/binding.ts'
import type { ToolDefinition } from '../../gate/tool.ts'
import type { Records, StoredRecord } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import { identityOf, type UpstreamSpec } from './upstream-spec.ts'

/** What a tool said about itself when it was first seen, and what it says now. */
export interface Pin {
  readonly id: string
  readonly server: string
  readonly tool: string
  readonly digest: string
  /** Absent where it is too large to keep. */
  readonly definition?: JsonObject
  /** Present while it is held back. */
  readonly changed?: { readonly digest: string; readonly definition?: JsonObject }
}

export interface Pins {
  /** For each tool of a listing: undefined, or why it is held back. */
  admit(
    spec: UpstreamSpec,
    tools: readonly { readonly tool: string; readonly definition: ToolDefinition }[],
  ): Promise<readonly (string | undefined)[]>
  list(): Promise<readonly Pin[]>
  /**
   * Takes what a tool says now as what it may say, and writes down who did. False when there is
   * nothing to accept.
   */
  accept(id: string, digest: string, by: PersonId): Promise<boolean>
}

const KIND = 'mcp pin'
const CHANGED = 'its definition is not the one that was first seen'
const NEW = 'it was not among the tools that were first seen'

export interface PinOptions {
  readonly store: Pick<Store, 'records' | 'amend'>
  /** Whether a person is asked before this tool runs. */
  readonly isAsked: (server: string, tool: string) => Promise<boolean>
}

/**
 * The first listing of a server is taken as it is, because the operator named the server. From
 * then on a tool that changes is held back until a person accepts the change. A tool that is new
 * is pinned where people are asked about it anyway, and held back where it would simply run.
 */
export function createPins({ store, isAsked }: PinOptions): Pins {
  const { records } = store
  return {
    async admit(spec, tools) {
      const server = await serverId(spec)
      const first = !(await records.get(KIND, server))
      const held = await Promise.all(
        tools.map(async ({ tool, definition }) => {
          const id = await pinId(server, tool)
          const digest = await digestDefinition(definition)
          const seen = { digest, definition }
          const known = pinOf(await records.get(KIND, id))
          // Published by an author, on record: there is nothing left to accept.
          if (spec.kind === 'hosted') {
            if (known?.digest !== digest || known.changed) {
              await put(records, id, { id, server: spec.alias, tool, ...seen })
            }
            return undefined
          }
          if (known?.digest === digest) {
            // It went back to what it was.
            if (known.changed) await put(records, id, { ...known, changed: undefined })
            return undefined
          }
          if (known) {
            if (known.changed?.digest !== digest)
              await put(records, id, { ...known, changed: seen })
            return CHANGED
          }
          const pin = { id, server: spec.alias, tool }
          if (first || (await isAsked(spec.alias, tool))) {
            await put(records, id, { ...pin, ...seen })
            return undefined
          }
          await put(records, id, { ...pin, digest: '', changed: seen })
          return NEW
        }),
      )
      // After the pins: two that list for the first time at once are both first.
      if (first) await records.put(KIND, server, { server: spec.alias })
      return held
    },
    async list() {
      const pins: Pin[] = []
      let after: string | undefined
      do {
        const page = await records.list(KIND, after === undefined ? {} : { after })
        pins.push(...page.records.flatMap((record) => pinOf(record) ?? []))
        after = page.next
      } while (after !== undefined)
      return pins
    },
    async accept(id, digest, by) {
      const record = await records.get(KIND, id)
      const pin = pinOf(record)
      // Only what was shown: it may have changed once more since.
      if (!record || pin?.changed?.digest !== digest) return false
      const { changed, ...kept } = pin
      const { server, tool, digest: from } = pin
      const value = JSON.parse(JSON.stringify({ ...kept, ...changed })) as Json
      return store.amend({
        commandId: crypto.randomUUID(),
        event: {
          type: 'tool.accepted',
          by: { person: by },
          facts: { server, tool, to: digest, ...(from === '' ? {} : { from }) },
        },
        changes: [{ kind: KIND, id, value, expect: record.revision }],
      })
    },
  }
}

const serverIds = new WeakMap<UpstreamSpec, Promise<string>>()

/** Names a server by its alias and how it is reached: another command is another server. */
function serverId(spec: UpstreamSpec): Promise<string> {
  const id =
    serverIds.get(spec) ??
    identityOf(spec).then((identity) => digestOf('mcp pins', [spec.alias, identity]))
  serverIds.set(spec, id)
  return id
}

function pinId(server: string, tool: string): Promise<string> {
  return digestOf('mcp pin', [server, tool])
}

/** Whether a pin is of the server as it is reached now. */
export async function isPinOf({ id, tool }: Pin, spec: UpstreamSpec): Promise<boolean> {
  return id === (await pinId(await serverId(spec), tool))
}

type Draft = Omit<Pin, 'definition' | 'changed'> & {
  readonly definition?: ToolDefinition | undefined
  readonly changed?:
    | { readonly digest: string; readonly definition?: ToolDefinition | undefined }
    | undefined
}

async function put(records: Records, id: string, pin: Draft) {
  try {
    return await records.put(KIND, id, JSON.parse(JSON.stringify(pin)) as Json)
  } catch (error) {
    if (!isCountersignError(error, 'too_large')) throw error
    const { definition: _, changed, ...small } = pin
    const without = changed ? { ...small, changed: { digest: changed.digest } } : small
    return records.put(KIND, id, without)
  }
}

function pinOf(record: StoredRecord | undefined): Pin | undefined {
  const value = record?.value
  return isPlainObject(value) && typeof value.tool === 'string'
    ? (value as unknown as Pin)
    : undefined
}
