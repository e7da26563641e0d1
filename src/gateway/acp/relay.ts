import type { Readable, Writable } from 'node:stream'
import type { JsonObject } from '../../base/json/json.ts'
import { parseStrict } from '../../base/json/strict-json.ts'
import type { Line } from '../../base/lines.ts'
import { linePipe } from '../protocol/line-pipe.ts'
import {
  isNotification,
  isRequest,
  type Message,
  NoAnswer,
  type Request,
  type RequestId,
  RpcError,
  readMessage,
  wireError,
} from '../protocol/message.ts'
import { requestIdIn } from '../protocol/request-id.ts'

/*
 * Between an editor and its agent. Lines go on as they are, but for requests of the agent that
 * `onAgentRequest` takes, and for what we ask the editor ourselves.
 */
export interface Relay {
  /** Asks the editor under an id of our own. */
  ask(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonObject>
  /** Tells the editor something in the agent's place. */
  tell(method: string, params: JsonObject): void
  /** The agent is gone, or the editor. */
  close(): void
}

export interface RelayOptions {
  readonly editor: { readonly input: Readable; readonly output: Writable }
  readonly agent: { readonly input: Readable; readonly output: Writable }
  /** Answers a request of the agent; undefined lets it go on to the editor. */
  onAgentRequest(request: Request): Promise<JsonObject> | undefined
  /** Whether the editor is told this: a program may do what a request asks for without its answer. */
  mayTell(method: string): boolean
  /** What passes, for those who keep track. */
  onPassed(from: 'agent' | 'editor', message: Message): void
  onEnd(): void
  log(line: string): void
}

const LONGEST = 33_554_432
const LIMITS = { bytes: LONGEST, keys: 500_000, depth: 100 }
const OWN = 'countersign-'

export function createRelay(options: RelayOptions): Relay {
  const { editor, agent, onAgentRequest, mayTell, onPassed, log } = options
  const waiting = new Map<RequestId, PromiseWithResolvers<JsonObject>>()
  let isOver = false

  function end(): void {
    if (isOver) return
    isOver = true
    for (const { reject } of waiting.values()) reject(new NoAnswer('the editor is gone', true))
    waiting.clear()
    options.onEnd()
  }

  /** A line that two programs could read in two ways is read by none. */
  function fromAgent(line: Line): void {
    if (line?.length === 0) return
    let message: Message
    try {
      if (!line) throw new RpcError(-32_600, 'the message is too large')
      message = readMessage(parseStrict(line, LIMITS))
    } catch (error) {
      log('the agent sent something that is no message, and it was not passed on')
      const id = line ? requestIdIn(line) : null
      if (id !== null) toAgent.send({ jsonrpc: '2.0', id, error: wireError(error) })
      return
    }
    const answer = isRequest(message) ? onAgentRequest(message) : undefined
    if (answer && isRequest(message)) {
      const { id } = message
      answer.then(
        (result) => toAgent.send({ jsonrpc: '2.0', id, result }),
        (error: unknown) => toAgent.send({ jsonrpc: '2.0', id, error: wireError(error) }),
      )
      return
    }
    if (isNotification(message) && !mayTell(message.method)) {
      log(`${message.method} of the agent is no notification that is known, and was not passed on`)
      return
    }
    onPassed('agent', message)
    toEditor.send(message)
  }

  function fromEditor(line: Line): void {
    if (!line || line.length === 0) return
    let message: Message | undefined
    try {
      message = readMessage(JSON.parse(Buffer.from(line).toString()))
    } catch {
      // The person's own program: what it says is for the agent to make sense of.
    }
    const own = message && !('method' in message) && message.id !== null ? message : undefined
    if (own && typeof own.id === 'string' && own.id.startsWith(OWN)) {
      const asked = waiting.get(own.id)
      waiting.delete(own.id)
      if ('result' in own) asked?.resolve(own.result)
      else asked?.reject(new RpcError(own.error.code, own.error.message, own.error.data))
      return
    }
    if (message) onPassed('editor', message)
    // `send` writes the text; the message is not looked at.
    toAgent.send(message as Message, Buffer.from(line).toString())
  }

  const toEditor = linePipe(editor.input, editor.output, {
    longest: LONGEST,
    onLine: fromEditor,
    onEnd: end,
  })
  const toAgent = linePipe(agent.input, agent.output, {
    longest: LONGEST,
    onLine: fromAgent,
    onEnd: end,
  })

  return {
    ask(method, params, signal) {
      const asked = Promise.withResolvers<JsonObject>()
      const id = `${OWN}${crypto.randomUUID()}`
      const isSent = !isOver && toEditor.send({ jsonrpc: '2.0', id, method, params })
      if (!isSent) return Promise.reject(new NoAnswer('the editor is gone', false))
      waiting.set(id, asked)
      signal?.addEventListener(
        'abort',
        () => {
          if (waiting.delete(id)) asked.reject(new NoAnswer('cancelled', true))
        },
        { once: true },
      )
      return asked.promise
    },
    tell(method, params) {
      toEditor.send({ jsonrpc: '2.0', method, params })
    },
    close: end,
  }
}
