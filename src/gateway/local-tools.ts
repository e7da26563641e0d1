import type { Risk } from '../base/call.ts'
import type { JsonObject } from '../base/json/json.ts'
import { digestDefinition } from '../gate/content/binding.ts'
import type { Countersign } from '../gate/proof/countersigned.ts'
import { PROOF_KEY } from '../gate/proof/mcp-keys.ts'
import { NotStarted } from '../gate/tool.ts'
import type { Store } from '../store/store.ts'
import type { Client } from './downstream/client.ts'
import { CALL_MS, unanswered } from './downstream/tool-call.ts'
import { RPC, RpcError, textIn } from './protocol/message.ts'
import { paramHeaders } from './protocol/param-headers.ts'
import { createCatalog, type ListedTool } from './upstream/catalog.ts'
import { createConnections } from './upstream/connections.ts'
import type { Pins } from './upstream/pins.ts'
import { createServerLocks } from './upstream/server-locks.ts'
import { createServerRequests } from './upstream/server-requests.ts'
import type { UpstreamSpec } from './upstream/upstream-spec.ts'

/** Tools of the servers behind the gate, for a caller in this process that has a gate of its own. */
export interface LocalTools {
  list(): Promise<{ readonly tools: readonly ListedTool[]; readonly problems: readonly string[] }>
  /** Asks no one: the caller has gone through a gate. */
  call(tool: ListedTool, args: JsonObject, how: CallHow): Promise<JsonObject>
  close(): Promise<void>
}

export interface CallHow {
  readonly signal?: AbortSignal | undefined
  /** People, or a grant, said yes: then the tool must still say of itself what it said to them. */
  readonly isApproved: boolean
  /** The proof of that yes, for a server with a gate of its own. */
  readonly countersign?: Countersign | undefined
}

export interface LocalToolOptions {
  readonly specs: readonly UpstreamSpec[]
  readonly store: Store
  readonly pins: Pins
  readonly agent: string
  readonly version: string
  readonly isOffered: (server: string, tool: string) => boolean
  readonly saidRisk: (server: string, tool: string) => Risk | undefined
  readonly used: (server: string, tool: string) => void
  log(line: string): void
}

const CHANGED = 'what the tool says of itself is not what was approved'

export function createLocalTools(options: LocalToolOptions): LocalTools {
  const { specs, version, isOffered, used, log } = options
  const facts = { info: { name: 'countersign', version }, capabilities: {} }
  const connections = createConnections(specs, () => facts, {
    onRequest: (_, method) => Promise.reject(unanswerable(method)),
    onNotification(alias, method) {
      if (method === 'notifications/tools/list_changed') catalog.forget(alias)
    },
    onChange: (alias) => catalog.forget(alias),
    log,
  })
  const catalog = createCatalog({
    ...options,
    connections,
    nameOf: (server, tool) => `${server}_${tool}`,
    reserved: [],
  })
  const requests = createServerRequests(connections, createServerLocks(options))

  async function confirmed(tool: ListedTool) {
    const connection = await connections.get(tool.server)
    if (!connection) throw new NotStarted(`server ${tool.server} cannot be reached`)
    const now = (await catalog.again(connection, tool.name))?.definition
    const [one, two] = await Promise.all([digestDefinition(now), digestDefinition(tool.definition)])
    if (one !== two) throw new NotStarted(CHANGED)
    return { definition: now, connection }
  }

  return {
    async list() {
      const tools = (await catalog.tools()).filter(
        ({ held, server, tool }) => held === undefined && isOffered(server, tool),
      )
      const problems = specs.flatMap(
        ({ alias }) => connections.problem(alias) ?? catalog.problem(alias)?.message ?? [],
      )
      return { tools, problems }
    },
    async call(tool, args, { signal, isApproved, countersign }) {
      const { server, headers } = tool
      const on = isApproved ? await confirmed(tool) : undefined
      const gate = requests.gateOf(server)
      const audience = textIn(gate, 'audience')
      const proof =
        gate && countersign
          ? { [PROOF_KEY]: await countersign(audience === undefined ? {} : { audience }) }
          : undefined
      used(server, tool.tool)
      const params = { name: tool.tool, arguments: args, ...(proof ? { _meta: proof } : {}) }
      const how = { signal, timeout: CALL_MS, on, headers: paramHeaders(headers, args) }
      return requests
        .request(server, 'tools/call', params, how, SILENT)
        .catch((error: unknown) => Promise.reject(unanswered(error)))
    },
    close: () => connections.close(),
  }
}

function unanswerable(method: string): RpcError {
  return new RpcError(RPC.methodNotFound, `${method} is not answered here`)
}

/** A caller that no server can ask anything. */
const SILENT: Client = {
  era: 'legacy',
  info: {},
  capabilities: {},
  notify() {},
  ask: (method) => Promise.reject(unanswerable(method)),
}
