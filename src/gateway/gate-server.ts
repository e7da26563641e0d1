import type { Person } from '../approval/people/person.ts'
import { CountersignError } from '../base/errors.ts'
import { isPlainObject, type Json, type JsonObject } from '../base/json/json.ts'
import type { Gate } from '../gate/gate.ts'
import type { Outcome } from '../gate/outcome.ts'
import { GATE_CAPABILITY, PROOF_KEY } from '../gate/proof/mcp-keys.ts'
import { jsonSchema } from '../gate/schema/json-schema.ts'
import type { ToolDefinition } from '../gate/tool.ts'
import { cardOf, resultOf } from './downstream/call-result.ts'
import { type Client, canElicit } from './downstream/client.ts'
import { elicit } from './downstream/elicit.ts'
import { textIn } from './protocol/message.ts'

/** As much of an `McpServer` as is used here; those of both SDKs fit. */
export interface McpServerLike {
  registerTool(name: string, config: never, callback: never): unknown
  readonly server: {
    registerCapabilities(capabilities: never): void
    getClientCapabilities?(): unknown
    elicitInput?(params: never, options?: never): Promise<unknown>
  }
}

export interface GateServerOptions {
  readonly gate: Gate
  /** What an outer gate calls this server; its countersignatures name it so. */
  readonly server?: string
  /** Name of this gate towards outer gates on another database. */
  readonly audience?: string
  /** Whose connection this is, where the application has authenticated them. */
  readonly person?: Person
  /** Where people decide, for the sentence a waiting call gets. */
  readonly inbox?: string
  /** How long a call waits before it is answered as pending, in milliseconds. */
  readonly hold?: number
}

const HOLD_MS = 50_000

/** What the callback of a tool gets besides its arguments, on top of what the SDK gives it. */
export interface Asking {
  /**
   * Asks the user of the client for something the tool needs. Undefined unless they sent it and it
   * fits the schema, and at once where the client cannot ask: a tool answers that with a plain text
   * such as `Cancelled.`
   */
  ask(question: {
    readonly message: string
    readonly schema: JsonObject
  }): Promise<JsonObject | undefined>
}

/** The `extra` (or `ctx`) of a tool's callback behind `gateServer`, with the type that says so. */
export function asking<E extends object>(extra: E): E & Asking {
  if ('ask' in extra && typeof extra.ask === 'function') return extra as E & Asking
  throw new CountersignError('usage', 'this tool was not registered behind gateServer', {
    hint: 'Call gateServer(server, { gate }) before server.registerTool.',
  })
}

/**
 * Puts a gate before every tool that is registered from here on. Call it before registering any:
 * what was registered earlier is not seen.
 */
export function gateServer<S extends McpServerLike>(server: S, options: GateServerOptions): S {
  const { audience } = options
  server.server.registerCapabilities({
    experimental: { [GATE_CAPABILITY]: audience === undefined ? {} : { audience } },
  } as never)
  const register = server.registerTool.bind(server) as (...all: unknown[]) => unknown
  const gated = (name: string, config: Config, callback: Callback) =>
    register(name, config, gatedCallback(server, options, { name, config, callback }))
  server.registerTool = gated as never
  return server
}

interface Config {
  readonly description?: string
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
}

type Callback = (...all: readonly unknown[]) => unknown

interface Registered {
  readonly name: string
  readonly config: Config
  readonly callback: Callback
}

function gatedCallback(
  server: McpServerLike,
  options: GateServerOptions,
  tool: Registered,
): Callback {
  const { name, config, callback } = tool
  const takesArgs = config.inputSchema !== undefined
  const definition: ToolDefinition = {
    ...(config.description === undefined ? {} : { description: config.description }),
  }
  return async (...all) => {
    const args = (takesArgs ? all[0] : {}) as JsonObject
    const context = facts(takesArgs ? all[1] : all[0])
    const client = clientOf(server, context)
    const extra = Object.assign(
      Object.create(context.given as object),
      askingIn(client, context.signal),
    )
    const over = new AbortController()
    const stop = new AbortController()
    const dismissed = new AbortController()
    const leave = AbortSignal.any([AbortSignal.timeout(options.hold ?? HOLD_MS), dismissed.signal])
    try {
      const outcome = (await options.gate.run(
        { tool: name, ...(options.server === undefined ? {} : { server: options.server }), args },
        {
          name,
          definition,
          run: (own: JsonObject) => (takesArgs ? callback(own, extra) : callback(extra)),
        },
        {
          join: 'digest',
          signal: AbortSignal.any([context.signal, stop.signal]),
          detach: leave,
          countersignature: textIn(context.meta, PROOF_KEY),
          onPending(approval) {
            const { person, gate, inbox } = options
            const card = inbox === undefined ? undefined : cardOf(inbox, approval.id)
            // No answer leaves the question to the inbox.
            void elicit({ gate, approval, client, person, card }, over.signal).then(
              (said) => {
                if (said === 'dismissed') (card === undefined ? stop : dismissed).abort()
              },
              () => {},
            )
          },
        },
      )) as Outcome<JsonObject>
      if (outcome.status === 'failed' && !outcome.replayed) throw outcome.error
      const shape: JsonObject = config.outputSchema === undefined ? {} : { outputSchema: {} }
      return resultOf(outcome, { name, tool: name, listed: shape }, options.inbox)
    } finally {
      over.abort()
    }
  }
}

interface Context {
  readonly given: unknown
  readonly signal: AbortSignal
  readonly meta: JsonObject | undefined
  readonly elicitInput: ((params: object, options: object) => Promise<unknown>) | undefined
  readonly requestId: unknown
}

/** What the two SDKs say about a request, each in its own place. */
function facts(given: unknown): Context {
  const outer = (isObject(given) ? given : {}) as { readonly mcpReq?: unknown }
  const request = (isObject(outer.mcpReq) ? outer.mcpReq : outer) as {
    readonly signal?: AbortSignal
    readonly _meta?: unknown
    readonly id?: unknown
    readonly requestId?: unknown
    readonly elicitInput?: Context['elicitInput']
  }
  return {
    given: outer,
    signal: request.signal ?? new AbortController().signal,
    meta: isPlainObject(request._meta) ? (request._meta as JsonObject) : undefined,
    elicitInput: request.elicitInput?.bind(request),
    requestId: request.requestId ?? request.id,
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function clientOf({ server }: McpServerLike, context: Context): Client {
  const known = server.getClientCapabilities?.()
  return {
    era: 'legacy',
    info: {},
    capabilities: isPlainObject(known) ? (known as JsonObject) : {},
    async ask(_method, params, signal) {
      const options = { signal, relatedRequestId: context.requestId, timeout: 600_000 }
      const ask = context.elicitInput ?? server.elicitInput?.bind(server)
      const answer = await ask?.(params as never, options as never)
      return (isObject(answer) ? answer : {}) as JsonObject
    },
    notify: () => {},
  }
}

const checked = jsonSchema()

function askingIn(client: Client, signal: AbortSignal): Asking {
  return {
    async ask({ message, schema }) {
      if (!canElicit(client)) return undefined
      try {
        const asked = { message, requestedSchema: schema as Json }
        const { action, content } = await client.ask('elicitation/create', asked, signal)
        if (action !== 'accept' || !isPlainObject(content)) return undefined
        const { ok } = await checked(schema, content as JsonObject)
        return ok ? (content as JsonObject) : undefined
      } catch {
        // The client is gone, refuses, or sent what the SDK does not take for an answer.
        return undefined
      }
    },
  }
}
