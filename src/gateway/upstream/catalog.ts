import type { Risk } from '../../base/call.ts'
import { isSafeNumber } from '../../base/json/canonical.ts'
import { deepFreeze, isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'
import type { ToolDefinition } from '../../gate/tool.ts'
import { inTime, LATE, PATIENCE_MS } from '../protocol/in-time.ts'
import { textIn } from '../protocol/message.ts'
import { declaredHeaders, type ParamHeader } from '../protocol/param-headers.ts'
import type { Connections } from './connections.ts'
import type { Pins } from './pins.ts'
import { assessRisk } from './risk.ts'
import { listAll, type Upstream } from './upstream.ts'

/** A tool as its server lists it, under the name clients call it by. */
export interface ListedTool {
  /** What clients call it. */
  readonly name: string
  readonly server: string
  /** What the server calls it. */
  readonly tool: string
  readonly listed: JsonObject
  readonly definition: ToolDefinition
  /** Arguments that are repeated in headers over HTTP. */
  readonly headers: readonly ParamHeader[]
  /** For the log. */
  readonly risk: Risk
  /** The same without the operator's word, unless there is nothing to tell it from. */
  readonly looks?: Risk
  /** What the server itself says of its risk, where that counts; it can only tighten. */
  readonly claims?: Risk | undefined
  /** Not a tool: a read that asks, with its method in the place of the name. */
  readonly isRead?: true
  /** Why it is held back. */
  readonly held: string | undefined
}

export interface Catalog {
  tools(): Promise<readonly ListedTool[]>
  /** What was listed, as long as that is not out of date. Undefined says nothing. */
  known(name: string): ListedTool | undefined
  /** Only what was listed can be called. */
  find(name: string): Promise<ListedTool | undefined>
  /** What this server says now of the tool of this name. Throws where it does not say. */
  again(upstream: Upstream, name: string): Promise<ListedTool | undefined>
  /** Why the tools of this server are not listed, where it is connected. */
  problem(server: string): Error | undefined
  /** Its tools may be there in a moment. */
  isListing(server: string): boolean
  /** What is known of this server's tools may be out of date. */
  forget(server: string): void
}

const NAME = /^[A-Za-z0-9_.-]{1,128}$/

export interface CatalogOptions {
  readonly connections: Connections
  readonly pins: Pins
  /** `<alias>_<tool>`, or the tool's own name where there is one server. */
  readonly nameOf: (server: string, tool: string) => string
  /** Names clients know for our own tools. */
  readonly reserved: readonly string[]
  /** The operator's word on how risky a tool is. */
  readonly saidRisk?: ((server: string, tool: string) => Risk | undefined) | undefined
  /** Tools that were not listed in time are there now, or never will be. */
  onLate?(server: string): void
  log(line: string): void
}

export function createCatalog(options: CatalogOptions): Catalog {
  const { connections, pins, nameOf, reserved, log } = options
  const byServer = new Map<string, Promise<readonly ListedTool[]>>()
  const problems = new Map<string, Error>()
  const late = new WeakSet<Promise<readonly ListedTool[]>>()
  /** The last listing of each server, by its text: tools are listed again before a yes is spent. */
  const readBefore = new Map<string, ReadonlyMap<string, ReadTool>>()
  let byName: Map<string, ListedTool> | undefined

  async function list(upstream: Upstream): Promise<readonly ListedTool[]> {
    const { alias } = upstream.spec
    if (!('tools' in upstream.capabilities)) return []
    const listed = await listAll(upstream, 'tools/list', 'tools')
    const before = readBefore.get(alias)
    const read = new Map<string, ReadTool>()
    const named = listed.flatMap((item) => {
      const tool = textIn(item, 'name') ?? ''
      const name = nameOf(alias, tool)
      if (!NAME.test(tool) || !NAME.test(name)) {
        log(`server ${alias} lists a tool under a name that cannot be used; it is left out`)
        return []
      }
      const definition = definitionOf(item)
      const said = options.saidRisk?.(alias, tool)
      const text = JSON.stringify([tool, said ?? null, definition])
      const known = before?.get(text) ?? readTool(tool, definition, said)
      read.set(text, known)
      if (typeof known.headers !== 'string') return [{ item, tool, name, ...known }]
      log(
        `tool ${tool} of server ${alias} has an x-mcp-header that cannot be sent: ${known.headers}`,
      )
      return []
    })
    readBefore.set(alias, read)
    const admitted = await pins.admit(upstream.spec, named)
    return named.map(({ item, headers, ...tool }, at) => ({
      ...tool,
      server: alias,
      listed: { ...item, name: tool.name },
      headers: headers as readonly ParamHeader[],
      held: admitted[at],
    }))
  }

  function toolsOf(upstream: Upstream): Promise<readonly ListedTool[]> {
    const { alias } = upstream.spec
    let known = byServer.get(alias)
    if (!known) {
      known = listedBy(upstream)
        .then((tools) => {
          problems.delete(alias)
          return tools
        })
        .catch((error: unknown) => {
          byServer.delete(alias)
          const why = error instanceof Error ? error : new Error('unknown')
          problems.set(alias, why)
          log(`the tools of ${alias} could not be listed: ${why.message}`)
          return []
        })
      byServer.set(alias, known)
    }
    return known
  }

  /** Waits for one of several servers as long as is fair to the others. */
  async function toolsSoon(upstream: Upstream, others: number): Promise<readonly ListedTool[]> {
    const { alias } = upstream.spec
    const tools = toolsOf(upstream)
    if (others === 0) return tools
    const found = await inTime(tools, late.has(tools) ? 0 : PATIENCE_MS)
    if (found !== LATE) return found
    if (!late.has(tools)) {
      late.add(tools)
      problems.set(alias, new Error(`server ${alias} has not listed its tools yet`))
      void tools.then(() => options.onLate?.(alias))
    }
    return []
  }

  /** Asked anew as long as something is held back: a person may have accepted it meanwhile. */
  async function listedBy(upstream: Upstream): Promise<readonly ListedTool[]> {
    const tools = await list(upstream)
    if (tools.some(({ held }) => held !== undefined)) byServer.delete(upstream.spec.alias)
    return tools
  }

  async function load(): Promise<Map<string, ListedTool>> {
    const live = await connections.ready()
    const all = await Promise.all(live.map((one) => toolsSoon(one, live.length - 1)))
    const names = new Map<string, ListedTool>()
    const twice = new Set(reserved)
    for (const tool of all.flat()) {
      if (names.has(tool.name)) twice.add(tool.name)
      names.set(tool.name, tool)
    }
    // Never the last one: a person could not tell which of the two they approve.
    for (const name of twice) {
      if (names.delete(name)) log(`two tools are called ${name}; neither is offered`)
    }
    return names
  }

  function known(name: string): ListedTool | undefined {
    const tool = byName?.get(name)
    return tool && byServer.has(tool.server) ? tool : undefined
  }

  return {
    async tools() {
      byName = await load()
      return [...byName.values()]
    },
    known,
    problem: (server) => problems.get(server),
    isListing(server) {
      const tools = byServer.get(server)
      return tools !== undefined && late.has(tools) && problems.has(server)
    },
    async find(name) {
      const tool = known(name)
      if (tool) return tool
      byName = await load()
      return byName.get(name)
    },
    async again(upstream, name) {
      // Whatever is listed next is asked for anew: it may not be what it was.
      byServer.delete(upstream.spec.alias)
      const found = (await list(upstream)).filter((tool) => tool.name === name)
      return found.length === 1 ? found[0] : undefined
    },
    forget(server) {
      byServer.delete(server)
    },
  }
}

/** What follows from a definition alone. A text for headers says why they cannot be sent. */
interface ReadTool extends Pick<ListedTool, 'definition' | 'risk' | 'looks'> {
  readonly headers: ListedTool['headers'] | string
}

function readTool(tool: string, definition: ToolDefinition, said: Risk | undefined): ReadTool {
  const seen = definition as JsonObject
  const looks = assessRisk(tool, seen, undefined)
  return {
    definition,
    headers: declaredHeaders(definition.inputSchema),
    risk: assessRisk(tool, seen, said).risk,
    ...(looks.from === 'nothing' ? {} : { looks: looks.risk }),
  }
}

/** All a server says about a tool, in a form that has one digest. */
export function definitionOf({ name: _, ...rest }: JsonObject): ToolDefinition {
  return deepFreeze(exact(rest, 0)) as ToolDefinition
}

/** Schemas may hold numbers that readers disagree on; as text they are the same for everyone. */
function exact(value: Json, depth: number): Json {
  if (typeof value === 'number') return isSafeNumber(value) ? value : String(value)
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (depth > 40) return '…'
  if (Array.isArray(value)) return value.map((item) => exact(item, depth + 1))
  if (!isPlainObject(value)) return null
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key.toWellFormed(),
      exact(item as Json, depth + 1),
    ]),
  )
}
