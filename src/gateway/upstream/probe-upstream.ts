import { isCountersignError } from '../../base/errors.ts'
import { RPC, RpcError, textIn } from '../protocol/message.ts'
import { createCatalog, type ListedTool } from './catalog.ts'
import { type ConnectionEvents, createConnections } from './connections.ts'
import type { Pins } from './pins.ts'
import { hiddenOf, type UpstreamSpec } from './upstream-spec.ts'

/** What one look at a server found. */
export interface Looked {
  readonly alias: string
  /** Why it cannot be reached; absent when it answered. */
  readonly problem?: string
  readonly name?: string
  readonly version?: string
  readonly tools: readonly ListedTool[]
  /** It answered, and wants to know who uses it. */
  readonly asksForSignIn?: true
  /** What it says that cannot be used. */
  readonly notes: readonly string[]
}

/**
 * Connects, lists the tools and leaves again. What is listed is pinned or held back as it is for a
 * client, so looking at a server is as good as using it.
 */
export async function lookAt(
  spec: UpstreamSpec,
  pins: Pins,
  version: string,
  /** Ends the connection, and a process with it, whatever it is doing. */
  signal?: AbortSignal,
): Promise<Looked> {
  const { alias } = spec
  const client = { info: { name: 'countersign', version }, capabilities: {} }
  const notes: string[] = []
  let problem: string | undefined
  let asks: Pick<Looked, 'asksForSignIn'> = {}
  const events: ConnectionEvents = {
    onRequest: (_, method) =>
      Promise.reject(new RpcError(RPC.methodNotFound, `${method} is not answered here`)),
    onNotification() {},
    onChange(_, state) {
      if (!(state instanceof Error)) return
      problem = hide(state.message, spec)
      asks = isCountersignError(state, 'server_sign_in') ? { asksForSignIn: true } : {}
    },
    log() {},
  }
  const connections = createConnections([spec], () => client, events, undefined, signal)
  const catalog = createCatalog({
    connections,
    pins,
    nameOf: (_, tool) => tool,
    reserved: [],
    log: (line) => notes.push(hide(line, spec)),
  })
  try {
    const upstream = await connections.get(alias)
    if (!upstream) {
      return { alias, problem: problem ?? 'it cannot be reached', ...asks, tools: [], notes }
    }
    const tools = await catalog.tools()
    const [name, said] = [textIn(upstream.info, 'name'), textIn(upstream.info, 'version')]
    return {
      alias,
      ...(problem === undefined ? {} : { problem }),
      ...(name === undefined ? {} : { name }),
      ...(said === undefined ? {} : { version: said }),
      tools,
      notes,
    }
  } finally {
    await connections.close()
  }
}

function hide(text: string, spec: UpstreamSpec): string {
  return hiddenOf(spec).reduce((shown, secret) => shown.replaceAll(secret, '[secret]'), text)
}
