/**
 * A small executor of Inngest, in place of its servers, which cannot be had from npm: it drives the
 * endpoint of the real SDK, keeps what steps returned, and has signals, timers and cancellation.
 */
import { randomUUID } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json, JsonObject } from '../../../src/base/json/json.ts'
import { type End, type Event, millisecondsOf, type Registered, Run } from './run.ts'

export interface InngestExecutor {
  /** The `baseUrl` of clients. */
  readonly url: string
  /** The run that an event started. */
  runOf(event: string): string
  end(run: string): End | undefined
  close(): Promise<void>
}

interface Op {
  readonly id: string
  readonly op: string
  readonly name?: string
  readonly data?: Json
  readonly error?: Json
  readonly opts?: { readonly signal?: string; readonly timeout?: string }
}

interface Answer {
  readonly status: number
  readonly body: Json
  readonly noRetry: boolean
}

/** Steps that a worker is done with, told while it goes on. */
interface Reported {
  readonly qi_id: string
  readonly steps: readonly Op[]
}

/** Between two attempts. Inngest waits longer, and longer each time. */
const AGAIN_MS = 100

export async function startExecutor(): Promise<InngestExecutor> {
  const runs = new Map<string, Run>()
  const runsByEvent = new Map<string, string>()
  const functions = new Map<string, { readonly fn: Registered; readonly url: string }>()
  const discovering = new Map<Run, { again: boolean }>()
  let isClosed = false

  /** Asks the worker that registered last, until one answers. */
  async function call(run: Run, step: string, attempt: number): Promise<Answer | undefined> {
    run.queueItem += step === 'step' ? 1 : 0
    const body = () => ({
      version: 2,
      event: run.event,
      events: [run.event],
      steps: run.steps,
      ctx: {
        run_id: run.id,
        fn_id: run.fn.id,
        attempt,
        max_attempts: run.fn.attempts,
        // Steps that run apart are found by more than one request.
        disable_immediate_execution: run.apart.size > 0,
        use_api: false,
        qi_id: String(run.queueItem),
        stack: { stack: run.stack, current: run.stack.length },
      },
    })
    while (!isClosed && !run.end) {
      const target = new URL(functions.get(run.fn.id)?.url ?? '')
      target.searchParams.set('fnId', run.fn.id)
      target.searchParams.set('stepId', step)
      try {
        const response = await fetch(target, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body()),
        })
        const text = await response.text()
        return {
          status: response.status,
          body: text === '' ? null : (JSON.parse(text) as Json),
          noRetry: response.headers.get('x-inngest-no-retry') === 'true',
        }
      } catch {
        // Its worker died, or none is up yet.
        await pause(AGAIN_MS)
      }
    }
    return undefined
  }

  /** One request at a time asks a run what comes next. */
  async function discover(run: Run): Promise<void> {
    const under = discovering.get(run)
    if (under) {
      under.again = true
      return
    }
    const state = { again: true }
    discovering.set(run, state)
    while (state.again && !run.end && !isClosed) {
      state.again = false
      await request(run, 'step')
    }
    discovering.delete(run)
  }

  async function request(run: Run, step: string): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      const answer = await call(run, step, attempt)
      if (!answer || run.end) return
      const { status, body, noRetry } = answer
      if (status === 206) {
        const ops = body as unknown as readonly Op[]
        if (!ops.map((op) => handle(run, op)).includes('again')) return
      } else if (status === 200) {
        return finish(run, { output: body })
      } else if (noRetry || attempt + 1 >= run.fn.attempts) {
        return finish(run, { error: JSON.stringify(body) })
      }
      await pause(AGAIN_MS)
    }
  }

  function handle(run: Run, { id, op, name = '', data = null, error = null, opts }: Op) {
    const next = () => void discover(run)
    if (op === 'StepRun' || op === 'Step') {
      run.keep(id, { type: 'data', data })
      next()
    } else if (op === 'StepFailed') {
      run.keep(id, { type: 'error', error })
      next()
    } else if (op === 'StepError') {
      return 'again'
    } else if (op === 'RunComplete') {
      finish(run, { output: data })
    } else if (!run.found.has(id)) {
      run.found.add(id)
      begin(run, { id, op, name, ...(opts ? { opts } : {}) })
    }
    return undefined
  }

  function begin(run: Run, { id, op, name = '', opts }: Op): void {
    const done = (data: Json) => {
      run.keep(id, { type: 'data', data })
      void discover(run)
    }
    if (op === 'StepPlanned') {
      run.apart.add(id)
      void request(run, id).finally(() => {
        run.apart.delete(id)
        void discover(run)
      })
    } else if (op === 'Sleep') {
      run.later(millisecondsOf(name), () => done(null))
    } else if (op === 'WaitForSignal') {
      const { signal = '', timeout = '' } = opts ?? {}
      const timer = run.later(millisecondsOf(timeout), () => end(null))
      const end = (data: Json) => {
        clearTimeout(timer)
        run.waits.delete(id)
        done(data)
      }
      run.waits.set(id, { signal, wake: (data) => end({ signal, data }) })
    } else {
      throw new Error(`the executor does not know ${op}`)
    }
  }

  function finish(run: Run, end: End): void {
    if (!run.finish(end) || 'output' in end) return
    const name = 'cancelled' in end ? 'inngest/function.cancelled' : 'inngest/function.failed'
    const data = { function_id: run.fn.id, run_id: run.id }
    // Of its own functions no such event is sent.
    if (!run.event.name.startsWith('inngest/')) send({ id: randomUUID(), name, data })
  }

  /** An id that was sent before starts nothing. */
  function send(event: Event): void {
    if (runsByEvent.has(event.id)) return
    for (const { fn } of functions.values()) {
      if (!fn.triggers.some((trigger) => trigger.event === event.name)) continue
      const run = new Run(randomUUID(), fn, event)
      runs.set(run.id, run)
      runsByEvent.set(event.id, run.id)
      void discover(run)
    }
  }

  function register(app: {
    readonly url: string
    readonly functions: readonly {
      readonly id: string
      readonly triggers: Registered['triggers']
      readonly steps: { readonly step: { readonly retries?: { readonly attempts: number } } }
    }[]
  }): void {
    for (const { id, triggers, steps } of app.functions) {
      const attempts = steps.step.retries?.attempts ?? 4
      functions.set(id, { fn: { id, triggers, attempts }, url: app.url })
    }
  }

  /** The API of Inngest, as far as the SDK and its users call it here. */
  function api(method: string, path: string, body: Json): { status: number; body: Json } {
    const [, first = '', second = '', third = '', fourth = ''] = path.split('/')
    if (path === '/fn/register') {
      register(body as never)
      return { status: 200, body: { status: 200 } }
    }
    if (first === 'e') {
      const events = (body as JsonObject[]).map(({ id, name, data }) => ({
        id: typeof id === 'string' ? id : randomUUID(),
        name: String(name),
        data: data as JsonObject,
      }))
      for (const event of events) send(event)
      return { status: 200, body: { status: 200, ids: events.map(({ id }) => id) } }
    }
    if (path === '/v1/signals') {
      const { signal, data = null } = body as JsonObject
      for (const run of runs.values()) {
        const wait = [...run.waits.values()].find((one) => one.signal === signal)
        if (!wait) continue
        wait.wake(data)
        return { status: 200, body: { data: { run_id: run.id } } }
      }
      return { status: 404, body: { error: 'no run waits for it', status: 404 } }
    }
    const run = runs.get(third)
    if (method === 'DELETE' && second === 'runs' && run) {
      finish(run, { cancelled: true })
      return { status: 202, body: null }
    }
    if (second === 'checkpoint' && fourth === 'async' && run) {
      const { qi_id: item, steps } = body as unknown as Reported
      if (run.end || item !== String(run.queueItem)) return { status: 409, body: null }
      for (const { id, data = null } of steps) run.keep(id, { type: 'data', data })
      return { status: 200, body: {} }
    }
    return { status: 404, body: { error: `no ${method} ${path}`, status: 404 } }
  }

  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const { pathname } = new URL(request.url ?? '', 'http://executor')
    const { status, body } = api(request.method ?? '', pathname, text ? JSON.parse(text) : null)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    runOf(event) {
      const run = runsByEvent.get(event)
      if (run === undefined) throw new Error(`the event ${event} started nothing`)
      return run
    },
    end: (run) => runs.get(run)?.end,
    async close() {
      isClosed = true
      for (const run of runs.values()) run.finish({ cancelled: true })
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
