import { isCountersignError } from '../../base/errors.ts'
import type { Json, JsonObject } from '../../base/json/json.ts'
import { internals } from '../../gate/internals.ts'
import type { AccessKind, Admitted } from '../../gate/pipeline/access.ts'
import { passedOn } from '../protocol/envelope.ts'
import { NoAnswer, objectIn, RPC, RpcError, textIn, writtenAs } from '../protocol/message.ts'
import { shortened } from '../protocol/shortened.ts'
import type { Connections } from '../upstream/connections.ts'
import type { DeclaredEffects } from '../upstream/declared-effects.ts'
import type { Shelf } from '../upstream/prompts-and-resources.ts'
import type { ServerRequests } from '../upstream/server-requests.ts'
import type { Client } from './client.ts'
import { callRead } from './read-call.ts'
import type { SessionOptions } from './session-options.ts'

/** Prompts, resources, completions and log levels: requests that run no tool. */
export interface ShelfRequests {
  handle(
    method: string,
    params: JsonObject,
    client: Client,
    signal: AbortSignal,
  ): Promise<JsonObject>
}

export interface ShelfParts {
  readonly connections: Connections
  readonly shelf: Shelf
  readonly requests: ServerRequests
  readonly effects: DeclaredEffects
}

interface Admitting {
  readonly server: string
  readonly kind: AccessKind
  readonly method: string
  readonly name: string
  readonly args?: JsonObject
}

export function createShelfRequests(
  options: SessionOptions,
  { connections, shelf, requests, effects }: ShelfParts,
): ShelfRequests {
  const { gate, log } = options
  /** Which server each subscription of the client is at, by address. */
  const subscriptions = new Map<string, string>()

  function refused(method: string, code: string, why: string): RpcError {
    return new RpcError(RPC.refused, `${method} was refused (${code}): ${why}`, {
      'countersign/code': code,
    })
  }

  /** Locks and rules hold, and it is recorded. `ask`: it is a call, and people are asked. */
  async function admit(access: Admitting): Promise<Admitted> {
    const { server, kind, method, name } = access
    const said = (what: string) => log(`${server} ${method} ${shortened(name)} ${what}`)
    try {
      const declared =
        kind === 'other' ? undefined : async () => (await effects.of({ server, kind, name })).risk
      const admitted = await gate[internals].admit(access, declared)
      said(admitted === 'allow' ? 'allowed' : 'asks')
      return admitted
    } catch (error) {
      if (error instanceof NoAnswer) throw error
      const code = isCountersignError(error) ? error.code : 'internal'
      const why = isCountersignError(error) ? error.message : 'locks and rules could not be read'
      said(code)
      throw refused(method, code, why)
    }
  }

  /** For requests that cannot wait for people: what asks is refused. */
  async function admitOnly(access: Admitting): Promise<void> {
    if ((await admit(access)) === 'allow') return
    const what = `${access.kind === 'other' ? 'this' : access.kind} of server ${access.server}`
    throw refused(
      access.method,
      'approval_required',
      `people are asked about ${what}, and ${access.method} cannot wait for them.`,
    )
  }

  /** Passed on where it is allowed; where it asks, a call from here on. */
  async function read(
    access: Admitting & { readonly kind: 'resources' | 'prompts'; readonly args: JsonObject },
    meta: JsonObject | undefined,
    client: Client,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const { server, method, args } = access
    if ((await admit(access)) === 'ask') {
      return callRead(
        options,
        { connections, requests, effects },
        { ...access, meta },
        client,
        signal,
      )
    }
    return passOn(server, method, { ...args, ...(meta ? { _meta: meta } : {}) }, client, signal)
  }

  /** To one server, with what is known of this method and nothing else. */
  async function passOn(
    server: string,
    method: string,
    params: JsonObject,
    client: Client,
    signal: AbortSignal,
  ) {
    const meta = objectIn(params, '_meta')
    const token = meta?.progressToken
    const kept = passedOn(meta)
    const { _meta: _, ...rest } = params
    const result = await requests.request(
      server,
      method,
      { ...rest, ...(kept ? { _meta: kept } : {}) },
      {
        signal,
        timeout: 300_000,
        ...(token === undefined
          ? {}
          : {
              onProgress: (told) =>
                client.notify('notifications/progress', { ...told, progressToken: token }),
            }),
      },
      client,
    )
    return writtenAs(result)
  }

  /** Of a prompt or a resource that is there: whatever else is named is not passed on. */
  async function complete(params: JsonObject, client: Client, signal: AbortSignal) {
    const method = 'completion/complete'
    const ref = objectIn(params, 'ref')
    const sent = only(params, ['argument', 'context', '_meta'])
    if (ref?.type === 'ref/prompt') {
      const prompt = await shelf.findPrompt(textIn(ref, 'name') ?? '')
      if (!prompt) throw new RpcError(RPC.invalidParams, 'there is no such prompt')
      await admitOnly({ server: prompt.server, kind: 'prompts', method, name: prompt.name })
      const named = { ...sent, ref: { ...only(ref, ['type', 'title']), name: prompt.name } }
      return passOn(prompt.server, method, named, client, signal)
    }
    const uri = ref?.type === 'ref/resource' ? textIn(ref, 'uri') : undefined
    const server = uri === undefined ? undefined : await serverOf(uri)
    if (uri === undefined || server === undefined) {
      throw new RpcError(RPC.invalidParams, 'there is nothing to complete')
    }
    await admitOnly({ server, kind: 'resources', method, name: uri })
    return passOn(server, method, { ...sent, ref: { type: 'ref/resource', uri } }, client, signal)
  }

  /** Undefined where there is none. Where there are several, whichever is taken may be the wrong one. */
  async function serverOf(uri: string): Promise<string | undefined> {
    const [server, ...others] = await shelf.serversOf(uri)
    if (others.length === 0) return server
    const names = [server, ...others].join(' and ')
    throw new RpcError(
      RPC.invalidParams,
      `servers ${names} both serve ${shortened(uri)}, and nothing says which is meant. Use a client or a policy with one of them.`,
      { 'countersign/code': 'ambiguous_resource' },
    )
  }

  async function resource(
    method: string,
    params: JsonObject,
    client: Client,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const uri = textIn(params, 'uri') ?? ''
    const sent = only(params, ['uri', '_meta'])
    const subscribed = subscriptions.get(uri)
    if (method === 'resources/unsubscribe' && subscribed !== undefined) {
      // It ends something: no lock is there to keep it going.
      log(`${subscribed} ${method} ${shortened(uri)} ends a subscription`)
      subscriptions.delete(uri)
      return passOn(subscribed, method, sent, client, signal)
    }
    const server = await serverOf(uri)
    if (server === undefined) {
      throw new RpcError(RPC.invalidParams, 'there is no such resource', { uri })
    }
    if (method === 'resources/unsubscribe') {
      await admitOnly({ server, kind: 'resources', method, name: uri })
      return passOn(server, method, sent, client, signal)
    }
    const access = { server, kind: 'resources', method, name: uri, args: { uri } } as const
    const result = await read(access, objectIn(params, '_meta'), client, signal)
    if (method === 'resources/subscribe' && subscriptions.size < MOST_SUBSCRIPTIONS) {
      subscriptions.set(uri, server)
    }
    return result
  }

  async function handle(
    method: string,
    params: JsonObject,
    client: Client,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    switch (method) {
      case 'prompts/list':
        return { prompts: await shelf.prompts() }
      case 'resources/list':
        return { resources: await shelf.resources() }
      case 'resources/templates/list':
        return { resourceTemplates: await shelf.templates() }
      case 'prompts/get': {
        const prompt = await shelf.findPrompt(textIn(params, 'name') ?? '')
        if (!prompt) throw new RpcError(RPC.invalidParams, 'there is no such prompt')
        const { server, name } = prompt
        const args = { name, ...only(params, ['arguments']) }
        const access = { server, kind: 'prompts', method, name, args } as const
        return read(access, objectIn(params, '_meta'), client, signal)
      }
      case 'resources/read':
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        return resource(method, params, client, signal)
      case 'completion/complete':
        return complete(params, client, signal)
      case 'logging/setLevel': {
        const level = only(params, ['level'])
        if (!LOG_LEVELS.has(textIn(params, 'level') ?? '')) {
          throw new RpcError(RPC.invalidParams, 'there is no such level')
        }
        const logging = connections.live().filter(({ capabilities }) => 'logging' in capabilities)
        for (const { spec } of logging)
          await admitOnly({ server: spec.alias, kind: 'other', method, name: '' })
        await Promise.all(
          logging.map(({ spec: { alias } }) => passOn(alias, method, level, client, signal)),
        )
        return {}
      }
      default:
        throw new RpcError(RPC.methodNotFound, `${method} is not served here`)
    }
  }

  return { handle }
}

// Those beyond are ended like any other request: while nothing is locked.
const MOST_SUBSCRIPTIONS = 10_000

/** Any other text would be a message to the server. */
const LOG_LEVELS: ReadonlySet<string> = new Set([
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
])

function only(params: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(
    keys.flatMap((key) => (Object.hasOwn(params, key) ? [[key, params[key] as Json]] : [])),
  )
}
