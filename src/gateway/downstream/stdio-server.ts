import type { Readable, Writable } from 'node:stream'
import { isCountersignError } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { parseStrict } from '../../base/json/strict-json.ts'
import type { Line } from '../../base/lines.ts'
import {
  assertModern,
  capabilitiesOf,
  clientOf,
  modernVersion,
  TASK_METHODS,
} from '../protocol/envelope.ts'
import { linePipe } from '../protocol/line-pipe.ts'
import {
  objectIn,
  type Request,
  RPC,
  RpcError,
  readMessage,
  wireError,
} from '../protocol/message.ts'
import { type Ask, createPeer } from '../protocol/peer.ts'
import { requestIdIn } from '../protocol/request-id.ts'
import { assertDeclared, createTasks, declaresTasks, type Resuming } from '../tasks/tasks.ts'
import { askDeclared, type Client } from './client.ts'
import { createModernCalls, INTERACTIVE } from './modern-call.ts'
import { modernResult } from './modern-result.ts'
import { createSession } from './session.ts'
import type { SessionOptions } from './session-options.ts'

export const REQUEST_LIMITS = { bytes: 8_388_608, keys: 100_000, depth: 70 }

/** Serves one client on a pair of streams until it goes. Nothing but protocol is written. */
export async function serveStdio(
  /** `owner`: whose tasks these are, over all processes of the same client. */
  options: SessionOptions & { readonly owner: string },
  { input, output }: { readonly input: Readable; readonly output: Writable },
): Promise<void> {
  const modernCalls = createModernCalls()
  let hello: { info: JsonObject; capabilities: JsonObject } = { info: {}, capabilities: {} }
  let isModern = false
  let asking: Ask | undefined
  const ended = Promise.withResolvers<void>()

  const peer = createPeer({
    send: (message, _, text) => pipe.send(message, text),
    onQuick: (request, answered, notify) => session.quick(request, answered, notify),
    onRequest: answer,
    onNotification({ method }) {
      if (method === 'notifications/roots/list_changed') session.rootsChanged()
    },
  })
  const session = createSession(options, {
    onRequest(method, params, signal, about) {
      if (!isModern) return peer.request(method, params, { signal })
      if (about) return about.ask(method, params, signal)
      // There is one client, so whatever it called last is what the server asks about.
      return asking
        ? asking(method, params, signal)
        : Promise.reject(new RpcError(RPC.internal, 'no person can be asked now'))
    },
    onNotification: (method, params) => peer.notify(method, params),
  })

  const tasks = createTasks({ ...options, resume: session.resume })

  function answer(request: Request, signal: AbortSignal): Promise<JsonObject> {
    const { method, params } = request
    if (modernVersion(params) !== undefined) return answerModern(request, signal)
    if (method === 'initialize') {
      hello = {
        info: objectIn(params, 'clientInfo') ?? {},
        capabilities: objectIn(params, 'capabilities') ?? {},
      }
    }
    const client: Client = {
      era: 'legacy',
      ...hello,
      ask: (asked, about, stop) =>
        peer.request(asked, about, { signal: stop, related: request.id }),
      notify: (told, about) => peer.notify(told, about),
    }
    return session.handle(request, client, signal)
  }

  async function answerModern(request: Request, signal: AbortSignal): Promise<JsonObject> {
    const { method, params = {} } = request
    assertModern(request)
    isModern = true
    const meta = objectIn(params, '_meta')
    const facts = {
      era: 'modern' as const,
      info: clientOf(meta),
      capabilities: capabilitiesOf(meta),
    }
    const notify = (told: string, about: JsonObject) => peer.notify(told, about)
    const unasked: Ask = () =>
      Promise.reject(new RpcError(RPC.internal, 'no person can be asked here'))
    if (TASK_METHODS.has(method)) {
      assertDeclared(facts.capabilities)
      const resuming: Resuming = (leg) => ({
        ...facts,
        notify,
        ask: askDeclared(facts.capabilities, leg.ask),
        onPending: leg.onPending,
        isTask: leg.isTask,
      })
      return modernResult(method, await tasks.handle(method, params, resuming))
    }
    if (!INTERACTIVE.has(method)) {
      const result = await session.handle(request, { ...facts, ask: unasked, notify }, signal)
      return modernResult(method, result)
    }
    const mayBeTask = method === 'tools/call' && declaresTasks(facts.capabilities)
    return modernCalls.handle(
      method,
      params,
      signal,
      (leg) => {
        const { signal: stop, onPending, isTask } = leg
        const ask = askDeclared(facts.capabilities, leg.ask)
        asking = ask
        return session.handle(request, { ...facts, ask, notify, onPending, isTask }, stop)
      },
      mayBeTask ? tasks.adopt : undefined,
    )
  }

  function onLine(line: Line): void {
    if (line?.length === 0) return
    try {
      if (line === undefined) throw new RpcError(RPC.invalidRequest, 'the message is too large')
      peer.receive(readMessage(parseStrict(line, REQUEST_LIMITS)))
    } catch (error) {
      const refused = isCountersignError(error)
        ? new RpcError(RPC.parse, `${error.code}: ${error.message}`)
        : error
      const id = line ? requestIdIn(line) : null
      pipe.send({ jsonrpc: '2.0', id, error: wireError(refused) })
    }
  }

  const pipe = linePipe(input, output, {
    longest: REQUEST_LIMITS.bytes,
    onLine,
    onEnd: () => ended.resolve(),
  })
  await ended.promise
  modernCalls.close()
  tasks.close(false)
  peer.close(new RpcError(RPC.internal, 'the client is gone'))
  await session.close()
}
