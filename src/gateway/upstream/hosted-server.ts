import { CountersignError } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { LEGACY_VERSIONS } from '../protocol/envelope.ts'
import { type Message, objectIn, RPC, RpcError, textIn, wireError } from '../protocol/message.ts'
import type { Transport, TransportEvents } from '../protocol/transport.ts'
import type { HostedSpec } from './upstream-spec.ts'

/** What this program offers by itself, as a server among the others. */
export interface HostedTools {
  list(): Promise<readonly JsonObject[]>
  /** A result of the protocol. Throws `call_changed` where the call certainly did not begin. */
  call(name: string, args: JsonObject, signal: AbortSignal): Promise<JsonObject>
  /** Told whenever the list is another one. Returns the way out. */
  onChange(changed: () => void): () => void
}

/** A server inside this process: the same messages as over a pipe, and no pipe. */
export function connectHosted({ alias, tools }: HostedSpec, events: TransportEvents): Transport {
  const running = new Map<string | number, AbortController>()
  let isClosed = false
  const leave = tools.onChange(() => {
    if (!isClosed) events.onMessage({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
  })

  async function answer(
    method: string,
    params: JsonObject,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: LEGACY_VERSIONS[0],
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: alias, version: '1' },
        }
      case 'ping':
        return {}
      case 'tools/list':
        return { tools: [...(await tools.list())] }
      case 'tools/call':
        return tools.call(textIn(params, 'name') ?? '', objectIn(params, 'arguments') ?? {}, signal)
      default:
        throw new RpcError(RPC.methodNotFound, `${method} is not known here`)
    }
  }

  async function handle(message: Message): Promise<void> {
    if (!('method' in message)) return
    const { method, params = {} } = message
    if (!('id' in message)) {
      if (method === 'notifications/cancelled') {
        const { requestId } = params
        if (typeof requestId === 'string' || typeof requestId === 'number') {
          running.get(requestId)?.abort()
        }
      }
      return
    }
    const { id } = message
    const stop = new AbortController()
    running.set(id, stop)
    try {
      const result = await answer(method, params, stop.signal)
      if (!isClosed) events.onMessage({ jsonrpc: '2.0', id, result })
    } catch (error) {
      if (!isClosed) events.onMessage({ jsonrpc: '2.0', id, error: wireError(refusal(error)) })
    } finally {
      running.delete(id)
    }
  }

  return {
    send(message) {
      if (isClosed) return false
      // Not in the turn of the sender: an answer must not come before the request was noted.
      queueMicrotask(() => void handle(message))
      return true
    },
    agreed: () => {},
    async close() {
      isClosed = true
      leave()
      for (const stop of running.values()) stop.abort()
    },
  }
}

function refusal(error: unknown): unknown {
  return error instanceof CountersignError ? new RpcError(RPC.refused, error.message) : error
}
