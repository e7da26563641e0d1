import type { JsonObject } from '../base/json.ts'
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
   * `related`: the request of theirs that this message belongs to. False where the message certainly
   * did not leave.
   */
  send(message: Message, related?: RequestId): boolean
  onRequest(request: Request, signal: AbortSignal): Promise<JsonObject>
  onNotification(notification: Notification): void
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
  /** Milliseconds without an answer or progress; never unless set. */
  readonly timeout?: number | undefined
  readonly onProgress?: ((params: JsonObject) => void) | undefined
  readonly related?: RequestId | undefined
}

/** One end of a JSON-RPC connection, whatever carries it. */
export interface Peer {
  receive(message: Message): void
  request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>
  notify(method: string, params?: JsonObject, related?: RequestId): void
  /** Nobody will answer this request of ours. */
  lose(id: RequestId, why: NoAnswer): void
  /** Requests of ours that wait for an answer fail; requests of theirs are aborted. */
  close(why: Error): void
  /** Requests of theirs that are being answered. */
  readonly answering: ReadonlyMap<RequestId, unknown>
}

interface Waiting {
  settle(result: JsonObject | Error): void
  progress(params: JsonObject): void
}

// A peer that asks more at once floods us.
const MOST_AT_ONCE = 1_000

export function createPeer({ send, onRequest, onNotification }: PeerOptions): Peer {
  const waiting = new Map<RequestId, Waiting>()
  const answering = new Map<RequestId, AbortController>()
  let closed: Error | undefined
  let lastId = 0

  async function answer(request: Request): Promise<void> {
    const { id } = request
    if (answering.has(id) || answering.size >= MOST_AT_ONCE) {
      const why = answering.has(id) ? 'this id is in use' : 'too many requests at once'
      send({ jsonrpc: '2.0', id, error: { code: RPC.invalidRequest, message: why } }, id)
      return
    }
    const controller = new AbortController()
    answering.set(id, controller)
    try {
      const result = await onRequest(request, controller.signal)
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

  return {
    answering,
    receive(message) {
      if (closed) return
      if (isRequest(message)) void answer(message)
      else if (isNotification(message)) notified(message)
      else if ('result' in message) waiting.get(message.id)?.settle(message.result)
      else if (message.id !== null) {
        const { code, message: text, data } = message.error
        waiting.get(message.id)?.settle(new RpcError(code, text, data))
      }
    },
    request(method, params, { signal, timeout, onProgress, related } = {}) {
      if (closed) return Promise.reject(new NoAnswer(closed.message, false))
      if (signal?.aborted) return Promise.reject(new NoAnswer('cancelled', false))
      const id = ++lastId
      return new Promise((resolve, reject) => {
        let timer: ReturnType<typeof setTimeout> | undefined
        const stop = (why: string) => {
          const reason = { requestId: id, reason: why }
          send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: reason }, related)
          settle(new NoAnswer(why, true))
        }
        const onAbort = () => stop('cancelled')
        const arm = () => {
          clearTimeout(timer)
          if (timeout !== undefined) timer = setTimeout(stop, timeout, 'no answer in time')
        }
        function settle(end: JsonObject | Error): void {
          waiting.delete(id)
          clearTimeout(timer)
          signal?.removeEventListener('abort', onAbort)
          if (end instanceof Error) reject(end)
          else resolve(end)
        }
        waiting.set(id, {
          settle,
          progress(told) {
            arm()
            onProgress?.(told)
          },
        })
        arm()
        signal?.addEventListener('abort', onAbort, { once: true })
        const sent = onProgress ? withToken(params, id) : params
        const left = send({ jsonrpc: '2.0', id, method, params: sent }, related)
        if (!left) settle(new NoAnswer('nobody is there to hear it', false))
      })
    },
    notify(method, params, related) {
      if (!closed) send({ jsonrpc: '2.0', method, ...(params ? { params } : {}) }, related)
    },
    lose: (id, why) => waiting.get(id)?.settle(why),
    close(why) {
      if (closed) return
      closed = why
      const lost = new NoAnswer(why.message, true)
      for (const one of [...waiting.values()]) one.settle(lost)
      for (const one of answering.values()) one.abort('closed')
    },
  }
}

function withToken(params: JsonObject, token: number): JsonObject {
  const meta = params._meta as JsonObject | undefined
  return { ...params, _meta: { ...meta, progressToken: token } }
}
