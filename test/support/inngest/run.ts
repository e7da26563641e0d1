import type { Json, JsonObject } from '../../../src/base/json/json.ts'

export interface Event {
  readonly id: string
  readonly name: string
  readonly data: JsonObject
}

/** As a worker registers it. */
export interface Registered {
  readonly id: string
  readonly triggers: readonly { readonly event?: string }[]
  /** Attempts of each step, the first one included. */
  readonly attempts: number
}

/** What a step came to, as the SDK is told in every later request. */
type Memo =
  | { readonly type: 'data'; readonly data: Json }
  | { readonly type: 'error'; readonly error: Json }

export type End =
  | { readonly output: Json }
  | { readonly error: string }
  | { readonly cancelled: true }

/** One run of a function: what Inngest keeps of it. */
export class Run {
  readonly id: string
  readonly fn: Registered
  readonly event: Event
  readonly steps: Record<string, Memo> = {}
  /** In the order in which they were done. */
  readonly stack: string[] = []
  /** Steps that were found: each is started once, however often it is found. */
  readonly found = new Set<string>()
  /** Steps that are being run by a request of their own. */
  readonly apart = new Set<string>()
  readonly waits = new Map<
    string,
    { readonly signal: string; readonly wake: (data: Json) => void }
  >()
  readonly timers = new Set<NodeJS.Timeout>()
  /** The request that may report steps; what an earlier one says comes too late. */
  queueItem = 0
  end: End | undefined

  constructor(id: string, fn: Registered, event: Event) {
    this.id = id
    this.fn = fn
    this.event = event
  }

  keep(step: string, memo: Memo): void {
    if (this.end || Object.hasOwn(this.steps, step)) return
    this.steps[step] = memo
    this.stack.push(step)
  }

  finish(end: End): boolean {
    if (this.end) return false
    this.end = end
    for (const timer of this.timers) clearTimeout(timer)
    this.timers.clear()
    this.waits.clear()
    return true
  }

  later(ms: number, work: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.timers.delete(timer)
      if (!this.end) work()
    }, ms)
    this.timers.add(timer)
    return timer
  }
}

const UNITS: Readonly<Record<string, number>> = {
  w: 604_800_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
}

/** `1h30m`, as the SDK writes durations. */
export function millisecondsOf(text: string): number {
  const parts = [...text.matchAll(/(\d+)([wdhms])/g)]
  if (parts.map(([part]) => part).join('') !== text) throw new Error(`no duration: ${text}`)
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0), 0)
}
