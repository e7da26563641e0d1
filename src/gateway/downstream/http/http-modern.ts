import type { JsonObject } from '../../../base/json/json.ts'
import {
  capabilitiesOf,
  clientOf,
  SUBSCRIPTION_KEY,
  TASK_METHODS,
} from '../../protocol/envelope.ts'
import { objectIn, type Request, RPC, RpcError, wireError } from '../../protocol/message.ts'
import type { Ask } from '../../protocol/peer.ts'
import {
  assertDeclared,
  createTasks,
  declaresTasks,
  type LiveTasks,
  type Resuming,
} from '../../tasks/tasks.ts'
import { askDeclared, type Client } from '../client.ts'
import { createModernCalls, INTERACTIVE } from '../modern-call.ts'
import { modernResult } from '../modern-result.ts'
import type { Activity } from '../process-pool.ts'
import { createSession } from '../session.ts'
import type { SessionOptions } from '../session-options.ts'
import { createOutlet, type OpenAnswers, type Outlet } from './http-response.ts'

/**
 * All clients of the newer era that come with one credential and can be asked the same: they have
 * no sessions.
 */
export interface ModernClients {
  /** When one of them last asked for something: now, as long as a request is open. */
  readonly usedAt: number
  readonly activity: Activity
  post(request: Request, signal: AbortSignal, headers: Headers): Promise<Response>
  /** `isRevoked`: questions of its tasks are withdrawn, too. */
  close(isRevoked?: boolean): Promise<void>
}

/** Which list a client of the newer era wants to hear of, by the name of the notification. */
const CHANGES: Readonly<Record<string, string>> = {
  'notifications/tools/list_changed': 'toolsListChanged',
  'notifications/prompts/list_changed': 'promptsListChanged',
  'notifications/resources/list_changed': 'resourcesListChanged',
}

const WHOSE = 'nothing says which of the open calls this question is about'

const unasked: Ask = () => Promise.reject(new RpcError(RPC.internal, 'no person can be asked here'))

export interface ModernOptions extends SessionOptions {
  readonly answers: OpenAnswers
  /** Names the credential. */
  readonly owner: string
  /** Tasks under way, of all clients of the endpoint. */
  readonly tasks: LiveTasks
}

export function createModernClients(options: ModernOptions): ModernClients {
  const { answers } = options
  const calls = createModernCalls()
  let open = 0
  let usedAt = performance.now()
  const listeners = new Map<Outlet, { readonly id: Request['id']; readonly wanted: JsonObject }>()
  const session = createSession(options, {
    // Several clients may share this, and a question must not reach the wrong one.
    onRequest: (method, params, signal, about) =>
      about ? about.ask(method, params, signal) : Promise.reject(new RpcError(RPC.internal, WHOSE)),
    onNotification(method, params) {
      const wish = CHANGES[method]
      for (const [outlet, { id, wanted }] of listeners) {
        if (wish === undefined || wanted[wish] !== true) continue
        const marked = { ...params, _meta: { [SUBSCRIPTION_KEY]: id } }
        outlet.push({ jsonrpc: '2.0', method, params: marked })
      }
    },
  })

  const tasks = createTasks({ ...options, resume: session.resume }, options.tasks)

  async function listen(request: Request): Promise<Response> {
    const { id, params } = request
    const wanted = objectIn(params, 'notifications') ?? {}
    const { taskIds } = wanted
    const isAboutTasks = Array.isArray(taskIds) && taskIds.length > 0
    const facts = factsOf(request)
    if (isAboutTasks) assertDeclared(facts.capabilities)
    const over = answers.open('streams')
    let unfollow = () => {}
    const outlet = createOutlet({}, () => {
      over()
      unfollow()
      listeners.delete(outlet)
    })
    listeners.set(outlet, { id, wanted })
    const acknowledged = Promise.withResolvers<void>()
    const tell = async (task: JsonObject) => {
      await acknowledged.promise
      const about = { ...task, _meta: { [SUBSCRIPTION_KEY]: id } }
      outlet.push({ jsonrpc: '2.0', method: 'notifications/tasks', params: about })
    }
    const ids = isAboutTasks ? taskIds.filter((one) => typeof one === 'string') : []
    const following = await tasks.follow(ids, resuming(facts), (task) => void tell(task))
    unfollow = following.stop
    const notifications = Object.fromEntries(
      Object.values(CHANGES).flatMap((wish) => (wanted[wish] === true ? [[wish, true]] : [])),
    )
    outlet.push({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: {
        notifications: { ...notifications, ...(isAboutTasks ? { taskIds: following.ids } : {}) },
        _meta: { [SUBSCRIPTION_KEY]: id },
      },
    })
    acknowledged.resolve()
    return outlet.response
  }

  /** A client that asks about a task may be asked what its call needs to know. */
  const resuming =
    (facts: ReturnType<typeof factsOf>): Resuming =>
    ({ ask, onPending, isTask }) => ({
      ...facts,
      notify: () => {},
      ask: askDeclared(facts.capabilities, ask),
      onPending,
      isTask,
    })

  function factsOf({ params }: Request) {
    const meta = objectIn(params, '_meta')
    return {
      era: 'modern' as const,
      info: clientOf(meta),
      capabilities: capabilitiesOf(meta),
    }
  }

  async function answer(
    request: Request,
    outlet: Outlet,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const { method, params = {} } = request
    const facts = {
      ...factsOf(request),
      notify: (told: string, about: JsonObject) =>
        outlet.push({ jsonrpc: '2.0', method: told, params: about }),
    }
    const as = (ask: Ask): Client => ({ ...facts, ask: askDeclared(facts.capabilities, ask) })
    if (INTERACTIVE.has(method)) {
      const mayBeTask = method === 'tools/call' && declaresTasks(facts.capabilities)
      return calls.handle(
        method,
        params,
        signal,
        ({ ask, signal: stop, onPending, isTask }) =>
          session.handle(request, { ...as(ask), onPending, isTask }, stop),
        mayBeTask ? tasks.adopt : undefined,
      )
    }
    if (TASK_METHODS.has(method)) {
      assertDeclared(facts.capabilities)
      return modernResult(method, await tasks.handle(method, params, resuming(factsOf(request))))
    }
    return modernResult(method, await session.handle(request, as(unasked), signal))
  }

  const isWaiting = () => calls.isWaiting || tasks.isWaiting

  return {
    get usedAt() {
      return open > 0 || isWaiting() ? performance.now() : usedAt
    },
    get activity() {
      if (session.isRunning) return 'running'
      if (open > 0 || isWaiting()) return 'waiting'
      return listeners.size > 0 ? 'listening' : 'idle'
    },
    async post(request, signal, headers) {
      const { id, method } = request
      if (method === 'subscriptions/listen') return listen(request)
      const over = answers.open('requests')
      open++
      const end = () => {
        over()
        open--
        usedAt = performance.now()
      }
      try {
        // Each time a client comes back, too: an intermediary may have read the headers of that.
        await session.assertHeaders(request, factsOf(request), headers)
      } catch (error) {
        end()
        throw error
      }
      const outlet = createOutlet({}, end)
      answer(request, outlet, signal).then(
        (result) => outlet.finish({ jsonrpc: '2.0', id, result }),
        (error: unknown) =>
          outlet.finish(
            { jsonrpc: '2.0', id, error: wireError(error) },
            undefined,
            statusOf(error),
          ),
      )
      return outlet.response
    },
    async close(isRevoked = false) {
      calls.close()
      tasks.close(isRevoked)
      for (const outlet of listeners.keys()) outlet.finish()
      await session.close()
    },
  }
}

function statusOf(error: unknown): number {
  return error instanceof RpcError && error.code === RPC.missingCapability ? 400 : 200
}
