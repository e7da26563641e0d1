/**
 * Cloudflare Workflows by their documented contract, small: steps that ran are kept by name, events
 * are kept until a wait takes them, and a wait whose time is over throws. It shows what the code does
 * with that contract; `npm run proof cloudflare-workflows` runs it on the real engine.
 */
import type { Json } from '../../src/base/json/json.ts'

/** Where instances are kept: a file, or the storage of a Durable Object. */
export interface KeyValues {
  get(key: string): Json | undefined
  put(key: string, value: Json): void
  delete(key: string): void
  /** In the order of their keys. */
  keys(prefix: string): string[]
}

export interface MiniEvent {
  readonly instanceId: string
  readonly payload: Json
  readonly timestamp: Date
  readonly workflowName: string
}

interface Kept {
  readonly status: string
  readonly params: Json
  readonly output?: Json
  readonly error?: { readonly name: string; readonly message: string }
}

type Run = (event: MiniEvent, step: MiniStep) => Promise<unknown>

class WorkflowTimeoutError extends Error {
  override readonly name = 'WorkflowTimeoutError'
}

const TICK = 25
/** What is kept of a wait that no event came to. */
const TIMED_OUT = 'timed out'
const RETRIES = 5
const FINAL: readonly string[] = ['complete', 'errored', 'terminated']

/** What `run` gets as `step`. Made anew for each replay. */
export class MiniStep {
  readonly #store: KeyValues
  readonly #id: string
  readonly #counts = new Map<string, number>()
  readonly #isOver: () => boolean

  constructor(store: KeyValues, id: string, isOver: () => boolean) {
    this.#store = store
    this.#id = id
    this.#isOver = isOver
  }

  async do(name: string, work: () => Promise<unknown>) {
    const key = this.#key('do', name)
    const kept = this.#store.get(key) as { value: Json } | undefined
    if (kept) return kept.value as never
    for (let attempt = 1; ; attempt += 1) {
      await this.#still()
      try {
        const value = structuredClone((await work()) ?? null) as Json
        await this.#still()
        this.#store.put(key, { value })
        return value as never
      } catch (error) {
        const isLast = (error as Error).name === 'NonRetryableError' || attempt > RETRIES
        if (isLast) throw error
        await pause(TICK * 2 ** attempt)
      }
    }
  }

  async sleep(name: string, ms: number): Promise<void> {
    const until = this.#until(this.#key('sleep', name), ms)
    while (Date.now() < until) await this.#tick()
  }

  async waitForEvent(name: string, { type, timeout }: { type: string; timeout: number }) {
    if (!/^[A-Za-z0-9_-]{1,100}$/.test(type)) throw new Error('invalid event type')
    const key = this.#key('wait', name)
    const until = this.#until(`${key}:until`, timeout)
    for (;;) {
      const taken = this.#store.get(key) as { payload: Json; type: string } | string | undefined
      if (taken === TIMED_OUT) throw new WorkflowTimeoutError('Execution timed out')
      if (taken) return taken
      const [first] = this.#store.keys(`${this.#id}:event:${type}:`)
      if (first !== undefined) {
        this.#store.put(key, { type, payload: this.#store.get(first) ?? null })
        this.#store.delete(first)
      } else if (Date.now() >= until) {
        this.#store.put(key, TIMED_OUT)
        throw new WorkflowTimeoutError(`Execution timed out after ${timeout}ms`)
      } else {
        await this.#tick()
      }
    }
  }

  #key(kind: string, name: string): string {
    if (name.length > 256) throw new Error('the name of a step is too long')
    const counted = `${kind}-${name}`
    const count = (this.#counts.get(counted) ?? 0) + 1
    this.#counts.set(counted, count)
    return `${this.#id}:${counted}-${count}`
  }

  #until(key: string, ms: number): number {
    const kept = this.#store.get(key) ?? Date.now() + ms
    this.#store.put(key, kept)
    return Number(kept)
  }

  async #tick(): Promise<void> {
    await this.#still()
    await pause(TICK)
  }

  /** Code of an instance that was terminated is not told; it just never goes on. */
  async #still(): Promise<void> {
    if (this.#isOver()) await new Promise(() => {})
  }
}

/** A binding and, in the process that works, its engine. */
export class MiniWorkflow {
  readonly #store: KeyValues
  readonly #name: string
  readonly #running = new Set<string>()

  constructor(store: KeyValues, name: string) {
    this.#store = store
    this.#name = name
  }

  async create({ id = crypto.randomUUID(), params = null }: { id?: string; params?: Json } = {}) {
    if (this.#read(id)) throw new Error('instance.already_exists')
    this.#write(id, { status: 'queued', params })
    return this.get(id)
  }

  async get(id: string) {
    if (!this.#read(id)) throw new Error('instance.not_found')
    return {
      id,
      status: async () => {
        const { status, output, error } = this.#read(id) as Kept
        const waits = this.#store.keys(`${id}:wait-`).filter((key) => key.endsWith(':until'))
        const isWaiting = waits.some((key) => !this.#store.get(key.slice(0, -':until'.length)))
        return { status: status === 'running' && isWaiting ? 'waiting' : status, output, error }
      },
      sendEvent: async ({ type, payload }: { type: string; payload: unknown }) => {
        const place = `${id}:event:${type}:${Date.now()}-${crypto.randomUUID()}`
        this.#store.put(place, (payload ?? null) as Json)
      },
      terminate: async () => {
        const kept = this.#read(id) as Kept
        if (FINAL.includes(kept.status)) throw new Error('instance.cannot_terminate')
        this.#write(id, { ...kept, status: 'terminated' })
      },
      /** Forgets every step, and keeps id and parameters. */
      restart: async () => {
        const { params } = this.#read(id) as Kept
        for (const key of this.#store.keys(`${id}:`)) this.#store.delete(key)
        this.#write(id, { status: 'queued', params })
      },
    }
  }

  /** Starts what is not running here yet. Steps that ran before are not run again. */
  work(run: Run): void {
    for (const key of this.#store.keys('instance:')) {
      const id = key.slice('instance:'.length)
      const kept = this.#read(id) as Kept
      if (FINAL.includes(kept.status) || this.#running.has(id)) continue
      this.#running.add(id)
      this.#write(id, { ...kept, status: 'running' })
      const isOver = () => FINAL.includes(this.#read(id)?.status ?? 'terminated')
      const event = {
        instanceId: id,
        payload: kept.params,
        timestamp: new Date(0),
        workflowName: this.#name,
      }
      void run(event, new MiniStep(this.#store, id, isOver)).then(
        (output) =>
          this.#end(id, { ...kept, status: 'complete', output: (output ?? null) as Json }),
        ({ name, message }: Error) =>
          this.#end(id, { ...kept, status: 'errored', error: { name, message } }),
      )
    }
  }

  #end(id: string, kept: Kept): void {
    this.#running.delete(id)
    if (this.#read(id)?.status === 'running') this.#write(id, kept)
  }

  #read(id: string): Kept | undefined {
    return this.#store.get(`instance:${id}`) as unknown as Kept | undefined
  }

  #write(id: string, kept: Kept): void {
    this.#store.put(`instance:${id}`, kept as unknown as Json)
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
