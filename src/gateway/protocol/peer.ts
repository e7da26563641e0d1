import type { JsonObject } from '../../base/json/json.ts'
import {
  isNotification,
  isRequest,
  type Message,
  NoAnswer,
  type Notification,
  type Request,
  type RequestId,
  RPC,
  RpcError,
  wireError,
} from './message.ts'

/** What the other side may ask for, and where our messages go. */
export interface PeerOptions {
  /**
   * `related`: the request of theirs that this message belongs to. `text`: the message, where it is
   * written already. `headers`: as in `RequestOptions`. False where the message certainly did not
   * leave.
   */
  send(
    message: Message,
    related?: RequestId,
    text?: string,
    headers?: Readonly<Record<string, string>>,
  ): boolean
  /**
   * Takes a request that only has to be sent on, and answers it later, once. `notify` tells its
   * sender something meanwhile. Undefined leaves it to `onRequest`.
   */
  onQuick?(request: Request, answer: Answer, notify: Notify): Begun | undefined
  onRequest(request: Request, signal: AbortSignal): Promise<JsonObject>
  onNotification(notification: Notification): void
}

/** Tells the sender of a request something that is no answer. */
export type Notify = (method: string, params: JsonObject) => void

/** `text`: the result, where it is written already. */
export type Answer = (end: JsonObject | Error, text?: string) => void

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
  /** Milliseconds without an answer or progress; never unless set. */
  readonly timeout?: number | undefined
  readonly onProgress?: ((params: JsonObject) => void) | undefined
  /** Answers what they ask about this request; `onRequest` does where nothing says what it is about. */
  readonly onAsk?: Ask | undefined
  readonly related?: RequestId | undefined
  /** What a transport that has headers repeats in them. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Puts a question to the sender of a request. `key`: what the one who asks calls it. */
export type Ask = (
  method: string,
  params: JsonObject,
  signal: AbortSignal,
  key?: string,
) => Promise<JsonObject>

export interface BeginOptions extends Omit<RequestOptions, 'signal'> {
  /** Writes the parameters for the request of this id, where they need not be written from scratch. */
  readonly written?: ((id: number) => string) | undefined
}

/** A request that is under way. */
export interface Begun {
  /** The caller no longer waits for it. */
  stop(why: string): void
}

/** One end of a JSON-RPC connection, whatever carries it. */
export interface Peer {
  /** `about`: the request of ours that it came as part of the answer to, where that is known. */
  receive(message: Message, about?: RequestId): void
  request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>
  /** The same without a promise: `end` is called once. Undefined where it did not leave. */
  begin(
    method: string,
    params: JsonObject,
    end: (end: JsonObject | Error) => void,
    options?: BeginOptions,
  ): Begun | undefined
  notify(method: string, params?: JsonObject, related?: RequestId): void
  /** No answer will come to this request of ours. */
  lose(id: RequestId, why: NoAnswer): void
  /** Requests of ours that wait for an answer fail; requests of theirs are aborted. */
  close(why: Error): void
  /** Requests of theirs that are being answered. */
  readonly answering: ReadonlyMap<RequestId, unknown>
}

interface Waiting {
  settle(result: JsonObject | Error): void
  progress(params: JsonObject): void
  readonly onAsk: Ask | undefined
}

// A peer that asks more at once floods us.
const MOST_AT_ONCE = 1_000

export function createPeer({ send, onQuick, onRequest, onNotification }: PeerOptions): Peer {
  const waiting = new Map<RequestId, Waiting>()
  const answering = new Map<RequestId, { abort(why: string): void }>()
  let closed: Error | undefined
  let lastId = 0

  function asked(request: Request, about: RequestId | undefined): void {
    const { id } = request
    if (answering.has(id) || answering.size >= MOST_AT_ONCE) {
      const why = answering.has(id) ? 'this id is in use' : 'too many requests at once'
      send({ jsonrpc: '2.0', id, error: { code: RPC.invalidRequest, message: why } }, id)
    } else if (!answerQuick(request)) void answer(request, about)
  }

  function answerQuick(request: Request): boolean {
    const { id } = request
    let isAborted = false
    const answer: Answer = (end, text) => {
      answering.delete(id)
      if (isAborted) return
      if (end instanceof Error) send({ jsonrpc: '2.0', id, error: wireError(end) }, id)
      else send({ jsonrpc: '2.0', id, result: end }, id, text && resultLine(id, text))
    }
    const begun = onQuick?.(request, answer, (method, params) => notify(method, params, id))
    if (!begun) return false
    answering.set(id, {
      abort(why) {
        isAborted = true
        begun.stop(why)
      },
    })
    return true
  }

  async function answer(request: Request, about: RequestId | undefined): Promise<void> {
    const { id, method, params = {} } = request
    const onAsk = about === undefined ? undefined : waiting.get(about)?.onAsk
    const controller = new AbortController()
    answering.set(id, controller)
    try {
      const { signal } = controller
      const result = await (onAsk && method !== 'ping'
        ? onAsk(method, params, signal)
        : onRequest(request, signal))
      if (!controller.signal.aborted) send({ jsonrpc: '2.0', id, result }, id)
    } catch (error) {
      if (!controller.signal.aborted) send({ jsonrpc: '2.0', id, error: wireError(error) }, id)
    } finally {
      answering.delete(id)
    }
  }

  function notified(notification: Notification): void {
    const { method, params = {} } = notification
    if (method === 'notifications/cancelled') {
      const { requestId, reason } = params
      const running = answering.get(requestId as RequestId)
      running?.abort(typeof reason === 'string' ? reason : 'cancelled')
      return
    }
    const token = method === 'notifications/progress' ? params.progressToken : undefined
    if (token === undefined) onNotification(notification)
    else waiting.get(token as RequestId)?.progress(params)
  }

  const begin: Peer['begin'] = (method, params, end, options = {}) => {
    const { timeout, onProgress, onAsk, related, written, headers } = options
    const id = ++lastId
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = (why: string) => {
      if (!waiting.has(id)) return
      const reason = { requestId: id, reason: why }
      send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: reason }, related)
      settle(new NoAnswer(why, true))
    }
    const arm = () => {
      clearTimeout(timer)
      if (timeout !== undefined) timer = setTimeout(stop, timeout, 'no answer in time')
    }
    function settle(ended: JsonObject | Error): void {
      if (!waiting.delete(id)) return
      end(ended)
      clearTimeout(timer)
    }
    waiting.set(id, {
      settle,
      progress(told) {
        arm()
        onProgress?.(told)
      },
      onAsk,
    })
    const sent = onProgress ? withToken(params, id) : params
    const text = written && requestLine(id, method, written(id))
    if (!send({ jsonrpc: '2.0', id, method, params: sent }, related, text, headers)) {
      waiting.delete(id)
      return undefined
    }
    if (waiting.has(id)) arm()
    return { stop }
  }

  function notify(method: string, params?: JsonObject, related?: RequestId): void {
    if (!closed) send({ jsonrpc: '2.0', method, ...(params ? { params } : {}) }, related)
  }

  return {
    answering,
    receive(message, about) {
      if (closed) return
      if (isRequest(message)) asked(message, about)
      else if (isNotification(message)) notified(message)
      else if ('result' in message) waiting.get(message.id)?.settle(message.result)
      else if (message.id !== null) {
        const { code, message: text, data } = message.error
        waiting.get(message.id)?.settle(new RpcError(code, text, data))
      }
    },
    request(method, params, { signal, ...options } = {}) {
      if (closed) return Promise.reject(new NoAnswer(closed.message, false))
      if (signal?.aborted) return Promise.reject(new NoAnswer('cancelled', false))
      return new Promise((resolve, reject) => {
        let begun: Begun | undefined
        const onAbort = () => begun?.stop('cancelled')
        const end = (ended: JsonObject | Error) => {
          signal?.removeEventListener('abort', onAbort)
          if (ended instanceof Error) reject(ended)
          else resolve(ended)
        }
        signal?.addEventListener('abort', onAbort, { once: true })
        begun = begin(method, params, end, options)
        if (!begun) end(new NoAnswer('the peer is not connected', false))
      })
    },
    begin: (...asked) => (closed ? undefined : begin(...asked)),
    notify,
    lose: (id, why) => waiting.get(id)?.settle(why),
    close(why) {
      if (closed) return
      closed = why
      const lost = new NoAnswer(why.message, true)
      for (const one of [...waiting.values()]) one.settle(lost)
      for (const one of [...answering.values()]) one.abort('closed')
    },
  }
}

function requestLine(id: RequestId, method: string, params: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":${JSON.stringify(method)},"params":${params}}`
}

function resultLine(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`
}

function withToken(params: JsonObject, token: number): JsonObject {
  const meta = params._meta as JsonObject | undefined
  return { ...params, _meta: { ...meta, progressToken: token } }
}
