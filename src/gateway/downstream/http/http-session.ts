import type { JsonObject } from '../../../base/json/json.ts'
import {
  isRequest,
  type Message,
  objectIn,
  type Request,
  type RequestId,
  RPC,
  RpcError,
  wireError,
} from '../../protocol/message.ts'
import { createPeer } from '../../protocol/peer.ts'
import type { Client } from '../client.ts'
import type { Activity } from '../process-pool.ts'
import { createSession } from '../session.ts'
import type { SessionOptions } from '../session-options.ts'
import { createOutlet, type OpenAnswers, type Outlet } from './http-response.ts'

/** A client of the older era over HTTP: it has shaken hands and holds the session's name. */
export interface HttpSession {
  readonly owner: string
  /** When its client last asked for something. */
  readonly usedAt: number
  readonly activity: Activity
  post(message: Message): Promise<Response>
  /** What is said of our own accord. */
  listen(): Promise<Response>
  close(isRevoked?: boolean): Promise<void>
}

const MOST_UNHEARD = 100
const ENDED = new RpcError(
  RPC.internal,
  'the session ended before this was answered: a call that was under way may have run',
)

export interface HttpSessionOptions extends SessionOptions {
  readonly id: string
  readonly owner: string
  readonly answers: OpenAnswers
}

export function createHttpSession(options: HttpSessionOptions): HttpSession {
  const { id, owner, answers } = options
  const outlets = new Map<RequestId, Outlet>()
  const unheard: Message[] = []
  const headers = { 'mcp-session-id': id }
  let hello: { info: JsonObject; capabilities: JsonObject } = { info: {}, capabilities: {} }
  const listening = new Set<Outlet>()
  let usedAt = performance.now()

  const peer = createPeer({
    send(message, related, text) {
      const outlet = related === undefined ? undefined : outlets.get(related)
      const isAnswer = !('method' in message)
      if (outlet && isAnswer) outlet.finish(message, text)
      else if (outlet && !outlet.isOver) outlet.push(message)
      else if (!isAnswer) tell(message)
      return true
    },
    onQuick(request, answered, notify) {
      const begun = session.quick(request, answered, notify)
      if (!begun) return undefined
      return {
        stop(why) {
          begun.stop(why)
          outlets.get(request.id)?.finish()
        },
      }
    },
    onRequest: answer,
    onNotification({ method }) {
      if (method === 'notifications/roots/list_changed') session.rootsChanged()
    },
  })
  const session = createSession(options, {
    // Nothing says which of its requests a server asks about; the client takes it on any stream.
    onRequest: (method, params, signal) =>
      peer.request(method, params, { signal, related: [...outlets.keys()].at(-1) }),
    onNotification: (method, params) => peer.notify(method, params),
  })

  function tell(message: Message): void {
    // On one of them, as the protocol asks: the newest is the likeliest to be read.
    const newest = [...listening].at(-1)
    if (newest) newest.push(message)
    else if (unheard.push(message) > MOST_UNHEARD) unheard.shift()
  }

  function answer(request: Request, signal: AbortSignal): Promise<JsonObject> {
    const { id: related, method, params } = request
    if (method === 'initialize') {
      hello = {
        info: objectIn(params, 'clientInfo') ?? {},
        capabilities: objectIn(params, 'capabilities') ?? {},
      }
    }
    const client: Client = {
      era: 'legacy',
      ...hello,
      ask: (asked, about, stop) => peer.request(asked, about, { signal: stop, related }),
      notify: (told, about) => peer.notify(told, about, related),
    }
    // A request that was cancelled has no answer, but its connection has to end.
    signal.addEventListener('abort', () => outlets.get(related)?.finish(), { once: true })
    return session.handle(request, client, signal)
  }

  return {
    owner,
    get usedAt() {
      return outlets.size > 0 ? performance.now() : usedAt
    },
    get activity() {
      if (session.isRunning) return 'running'
      if (outlets.size > 0) return 'waiting'
      return listening.size > 0 ? 'listening' : 'idle'
    },
    async post(message) {
      usedAt = performance.now()
      if (!isRequest(message)) {
        peer.receive(message)
        return new Response(null, { status: 202, headers })
      }
      const { id: request } = message
      if (outlets.has(request)) return new Response(null, { status: 400, headers })
      const over = answers.open('requests')
      const outlet = createOutlet(headers, () => {
        over()
        outlets.delete(request)
        usedAt = performance.now()
      })
      outlets.set(request, outlet)
      peer.receive(message)
      return outlet.response
    },
    async listen() {
      const over = answers.open('streams')
      const outlet = createOutlet(headers, () => {
        over()
        listening.delete(outlet)
      })
      listening.add(outlet)
      outlet.open()
      for (const message of unheard.splice(0)) outlet.push(message)
      return outlet.response
    },
    async close() {
      // First, because what is aborted has no answer, and its client would wait for one.
      for (const [request, outlet] of [...outlets]) {
        outlet.finish({ jsonrpc: '2.0', id: request, error: wireError(ENDED) })
      }
      peer.close(ENDED)
      for (const outlet of listening) outlet.finish()
      await session.close()
    },
  }
}
