import type { JsonObject } from '../../base/json/json.ts'
import type { Places } from '../downstream/process-pool.ts'
import { inTime, PATIENCE_MS } from '../protocol/in-time.ts'
import {
  type ClientFacts,
  connectUpstream,
  type Upstream,
  type UpstreamEvents,
} from './upstream.ts'
import type { UpstreamSpec } from './upstream-spec.ts'

/** The servers one client speaks to. Each lives and fails alone. */
export interface Connections {
  /**
   * Connects what is not connected, and gives those that are. One of several that needs long is
   * not waited for: `onChange` tells when it is there.
   */
  ready(): Promise<readonly Upstream[]>
  /** The same, and a single server is not waited for either: clients give up on a slow hello. */
  greeting(): Promise<readonly Upstream[]>
  /** Undefined while it cannot be reached. */
  get(alias: string): Promise<Upstream | undefined>
  /** Undefined unless it is connected now. */
  now(alias: string): Upstream | undefined
  /** Why a server cannot be used now, where it is not connected. */
  problem(alias: string): string | undefined
  /** It may be there in a moment. */
  isStarting(alias: string): boolean
  /** Those connected now. */
  live(): readonly Upstream[]
  close(): Promise<void>
}

export interface ConnectionEvents {
  onRequest(
    alias: string,
    method: string,
    params: JsonObject,
    signal: AbortSignal,
  ): Promise<JsonObject>
  onNotification(alias: string, method: string, params: JsonObject): void
  /** It came, or it went. */
  onChange(alias: string, state: 'connected' | Error): void
  log(line: string): void
}

// A server that failed a moment ago is not started again for each request.
const RETRY_AFTER = 5_000

interface Slot {
  readonly spec: UpstreamSpec
  upstream?: Upstream | undefined
  connecting?: Promise<Upstream | undefined> | undefined
  failedAt?: number | undefined
  startedAt?: number
  problem?: string | undefined
  /** Gives its place back, where it has one. */
  leave?: (() => void) | undefined
}

export function createConnections(
  specs: readonly UpstreamSpec[],
  facts: () => ClientFacts,
  events: ConnectionEvents,
  places?: Places | undefined,
  /** Ends all of them, those that are starting as well. */
  signal?: AbortSignal | undefined,
): Connections {
  const slots = new Map(specs.map((spec): [string, Slot] => [spec.alias, { spec }]))
  const leaves = [...slots.values()].flatMap((slot) => followSignIn(slot) ?? [])
  let closed = false

  /** Once a person has signed in, a server that waited for it is there without being asked for. */
  function followSignIn(slot: Slot): (() => void) | undefined {
    if (slot.spec.kind !== 'http') return undefined
    return slot.spec.credentials?.onChange(() => {
      if (closed || slot.failedAt === undefined || slot.upstream) return
      slot.failedAt = undefined
      void connect(slot)
    })
  }

  function connect(slot: Slot): Promise<Upstream | undefined> {
    if (slot.upstream || closed) return Promise.resolve(slot.upstream)
    const { failedAt } = slot
    if (failedAt !== undefined && performance.now() - failedAt < RETRY_AFTER) {
      return Promise.resolve(undefined)
    }
    slot.connecting ??= open(slot).finally(() => {
      slot.connecting = undefined
    })
    return slot.connecting
  }

  async function open(slot: Slot): Promise<Upstream | undefined> {
    const { alias, kind } = slot.spec
    slot.startedAt = performance.now()
    try {
      slot.leave = kind === 'stdio' ? await places?.take(alias) : undefined
      const upstream = await connectUpstream(slot.spec, facts(), eventsOf(slot), signal)
      if (closed) {
        await upstream.close()
        slot.leave?.()
        return undefined
      }
      slot.upstream = upstream
      slot.problem = undefined
      events.onChange(alias, 'connected')
      return upstream
    } catch (error) {
      slot.failedAt = performance.now()
      slot.leave?.()
      const why = error instanceof Error ? error : new Error('unknown')
      slot.problem = why.message
      events.log(why.message)
      events.onChange(alias, why)
      return undefined
    }
  }

  function eventsOf(slot: Slot): UpstreamEvents {
    const { alias } = slot.spec
    return {
      onRequest: (method, params, signal) => events.onRequest(alias, method, params, signal),
      onNotification: (method, params) => events.onNotification(alias, method, params),
      onClose(why) {
        const wasLive = slot.upstream !== undefined
        slot.upstream = undefined
        slot.leave?.()
        if (closed || !wasLive) return
        slot.problem = why.message
        events.log(why.message)
        events.onChange(alias, why)
      },
      onNoise: (what) => events.log(`server ${alias} ${what}`),
    }
  }

  function connectSoon(slot: Slot): Promise<unknown> {
    const connecting = connect(slot)
    const since = slot.connecting === undefined ? undefined : slot.startedAt
    const ms = since === undefined ? PATIENCE_MS : since + PATIENCE_MS - performance.now()
    return inTime(connecting, ms)
  }

  const live = () => [...slots.values()].flatMap(({ upstream }) => upstream ?? [])

  return {
    async ready() {
      if (slots.size === 1) for (const slot of slots.values()) await connect(slot)
      else await Promise.all([...slots.values()].map(connectSoon))
      return live()
    },
    async greeting() {
      await Promise.all([...slots.values()].map(connectSoon))
      return live()
    },
    async get(alias) {
      const slot = slots.get(alias)
      return slot && connect(slot)
    },
    now: (alias) => slots.get(alias)?.upstream,
    problem(alias) {
      const { upstream, connecting, problem } = slots.get(alias) ?? {}
      if (upstream) return undefined
      return problem ?? (connecting && `server ${alias} is still starting`)
    },
    isStarting: (alias) => slots.get(alias)?.connecting !== undefined,
    live,
    async close() {
      closed = true
      for (const leave of leaves) leave()
      await Promise.all(
        [...slots.values()].map(async (slot) => {
          await slot.connecting?.catch(() => {})
          await slot.upstream?.close()
          slot.leave?.()
        }),
      )
    },
  }
}
