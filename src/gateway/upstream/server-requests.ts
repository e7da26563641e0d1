import type { JsonObject } from '../../base/json/json.ts'
import { GATE_CAPABILITY } from '../../gate/proof/mcp-keys.ts'
import type { Client } from '../downstream/client.ts'
import { askedByServer } from '../downstream/question.ts'
import type { ToolCalls } from '../downstream/tool-call.ts'
import { NoAnswer, objectIn, RPC, RpcError } from '../protocol/message.ts'
import type { Ask } from '../protocol/peer.ts'
import type { Connections } from './connections.ts'
import type { ServerLocks } from './server-locks.ts'
import type { UpstreamSpec } from './upstream-spec.ts'

/** Requests of clients, as they are sent to servers. */
export interface ServerRequests {
  readonly request: ToolCalls['request']
  readonly gateOf: ToolCalls['gateOf']
  /** From now on this server works for this client, until `over`. */
  serve(server: string, client: Client): Serving
  /** The client a server works for just now; undefined where there are several, or none. */
  servedBy(server: string): Client | undefined
  /** Whether a server works on something. */
  readonly isRunning: boolean
}

export interface Serving {
  /** Puts what the server asks meanwhile to the client. */
  readonly onAsk: Ask
  over(): void
}

/** Requests that servers may make of clients. */
const ASKABLE = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list'])
export function createServerRequests(connections: Connections, locks: ServerLocks): ServerRequests {
  /** Whose requests each server has before it. */
  const clientsOf = new Map<string, Set<Client>>()
  let running = 0

  function gateOf(server: string): JsonObject | undefined {
    const upstream = connections.live().find(({ spec }) => spec.alias === server)
    return objectIn(objectIn(upstream?.capabilities, 'experimental'), GATE_CAPABILITY)
  }

  async function request(
    server: string,
    method: string,
    params: JsonObject,
    { on, ...how }: Parameters<ToolCalls['request']>[3],
    client: Client,
  ): Promise<JsonObject> {
    const upstream = await connections.get(server)
    if (!upstream) {
      const why = connections.problem(server) ?? `server ${server} cannot be reached`
      throw new NoAnswer(why, false)
    }
    if (on && on.connection !== upstream) {
      throw new NoAnswer(`server ${server} did not say again what its tools do`, false)
    }
    const { onAsk, over } = serve(server, client)
    try {
      const result = await upstream.request(method, params, { ...how, onAsk })
      return hasSecrets(upstream.spec) ? upstream.shown(result).result : result
    } finally {
      over()
    }
  }

  function serve(server: string, client: Client): Serving {
    const clients = clientsOf.get(server) ?? new Set()
    clientsOf.set(server, clients.add(client))
    running++
    return {
      async onAsk(asked, about, signal, key) {
        if (!isAskable(asked)) throw unanswerable(asked)
        if (await locks.isLocked(server)) throw lockedOut(server)
        return client.ask(asked, askedByServer(server, asked, about), signal, key)
      },
      over() {
        running--
        clients.delete(client)
      },
    }
  }

  return {
    request,
    gateOf,
    serve,
    servedBy(server) {
      const [only, ...others] = clientsOf.get(server) ?? []
      return others.length === 0 ? only : undefined
    },
    get isRunning() {
      return running > 0
    },
  }
}

/** Whether there is anything that no result of this server may show. */
function hasSecrets(spec: UpstreamSpec): boolean {
  const tokens = spec.kind === 'http' ? spec.credentials?.secrets : undefined
  return spec.secrets.length > 0 || (tokens !== undefined && tokens.length > 0)
}

export function isAskable(method: string): boolean {
  return ASKABLE.has(method)
}

export function unanswerable(method: string): RpcError {
  return new RpcError(RPC.methodNotFound, `${method} is not answered here`)
}

/** To a server: a lock keeps it from asking people and models, too. */
export function lockedOut(server: string): RpcError {
  return new RpcError(RPC.refused, `server ${server} is locked`)
}
