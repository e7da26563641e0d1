import type { JsonObject } from '../../base/json/json.ts'
import { callOwnTool, OWN_NAMES, OWN_TOOLS } from '../builtin-tools.ts'
import { NoAnswer, objectIn, RPC, RpcError, textIn } from '../protocol/message.ts'
import { assertParamHeaders } from '../protocol/param-headers.ts'
import type { Catalog, ListedTool } from '../upstream/catalog.ts'
import type { Connections } from '../upstream/connections.ts'
import type { ServerProblems } from '../upstream/server-problems.ts'
import type { ServerRequests } from '../upstream/server-requests.ts'
import type { Client } from './client.ts'
import { resumeTool } from './resume-tool.ts'
import type { SessionOptions } from './session-options.ts'
import { type Confirmed, callTool, type ToolCalls } from './tool-call.ts'

/** `tools/list` and `tools/call` of one client. */
export interface SessionTools {
  list(): Promise<JsonObject>
  call(params: JsonObject, client: Client, signal: AbortSignal): Promise<JsonObject>
  /** Goes on with a call that was asked about before. */
  resume(approval: string, client: Client, signal: AbortSignal): Promise<JsonObject>
  /** Throws where a header and the argument that it repeats differ. */
  assertHeaders(params: JsonObject, headers: Headers): Promise<void>
  /** A server says that its tools changed. */
  recheck(server: string): Promise<void>
}

export interface ToolParts {
  readonly connections: Connections
  readonly catalog: Catalog
  readonly problems: ServerProblems
  readonly requests: ServerRequests
}

export function createSessionTools(options: SessionOptions, parts: ToolParts): SessionTools {
  const { specs, isSingle, log, store, agent, principal, run } = options
  const { connections, catalog, problems, requests } = parts
  const { isComing } = problems
  const watched = new Map<string, ListedTool>()

  async function confirm({ server, name, definition }: ListedTool): Promise<Confirmed> {
    const connection = await connections.get(server)
    // Without an answer nothing is sent, so that a yes is not spent on what no person has seen.
    if (!connection) return { definition, connection }
    try {
      return { definition: (await catalog.again(connection, name))?.definition, connection }
    } catch (error) {
      log(
        `the tools of ${server} could not be listed: ${error instanceof Error ? error.message : ''}`,
      )
      return { definition, connection: undefined }
    }
  }

  /** A yes to what a tool said before is no yes to what it says now. */
  async function recheck(alias: string): Promise<void> {
    const open = [...watched].filter(([, tool]) => tool.server === alias)
    if (open.length === 0) return
    const now = new Map((await catalog.tools()).map((tool) => [tool.name, tool]))
    for (const [id, { name }] of open) {
      const tool = now.get(name)
      if (tool && tool.held === undefined) continue
      await options.gate.approvals.invalidate(id, { reason: 'tool' }).catch(() => {})
    }
  }

  async function list(): Promise<JsonObject> {
    const tools = (await catalog.tools()).filter(
      ({ held, server, tool }) => held === undefined && options.isOffered?.(server, tool) !== false,
    )
    const listed = [...tools.map((tool) => tool.listed), ...OWN_TOOLS]
    const found = problems.list()
    if (found.length === 0) return { tools: listed }
    if (isSingle) {
      const why = found.flatMap(([alias]) => catalog.problem(alias) ?? [])[0]
      throw why instanceof RpcError && !(why instanceof NoAnswer) ? why : problems.broken()
    }
    // Some may still come; where none will, an empty list would look like there is nothing.
    if (found.length === specs.length && !specs.some(({ alias }) => isComing(alias)))
      throw problems.broken()
    return { tools: listed, _meta: { 'countersign/problems': Object.fromEntries(found) } }
  }

  /** Waits for the server of this tool alone, where it is not there yet. */
  async function findTool(name: string): Promise<ListedTool | undefined> {
    const tool = await catalog.find(name)
    if (tool || isSingle) return tool
    const own = specs.filter(({ alias }) => name.startsWith(`${alias}_`) && isComing(alias))
    await Promise.all(own.map(({ alias }) => connections.get(alias)))
    return own.length === 0 ? undefined : catalog.find(name)
  }

  async function call(params: JsonObject, client: Client, signal: AbortSignal) {
    const name = textIn(params, 'name') ?? ''
    const args = params.arguments === undefined ? {} : objectIn(params, 'arguments')
    if (!args) throw new RpcError(RPC.invalidParams, 'arguments is not an object')
    if (name === 'countersign_status' && args.id === undefined) return problems.status()
    if (OWN_NAMES.includes(name))
      return callOwnTool({ store, gate: options.gate, agent, principal, run }, name, args, signal)
    const tool = await findTool(name)
    if (!tool) throw problems.unknownTool(name)
    return callTool(calls, tool, { args, meta: objectIn(params, '_meta') }, client, signal)
  }

  const calls: ToolCalls & Pick<SessionOptions, 'store'> = {
    ...options,
    request: requests.request,
    gateOf: requests.gateOf,
    confirm,
    watch({ id }, about) {
      watched.set(id, about)
      return () => watched.delete(id)
    },
  }

  const resume = (approval: string, client: Client, signal: AbortSignal) =>
    resumeTool(
      calls,
      approval,
      ({ call: { server = '', tool } }) => findTool(isSingle ? tool : `${server}_${tool}`),
      client,
      signal,
    )

  async function assertHeaders(params: JsonObject, headers: Headers): Promise<void> {
    const name = textIn(params, 'name') ?? ''
    const tool = OWN_NAMES.includes(name) ? undefined : await findTool(name)
    if (tool) assertParamHeaders(tool.headers, objectIn(params, 'arguments') ?? {}, headers)
  }

  return { list, call, resume, assertHeaders, recheck }
}
