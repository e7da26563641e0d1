import type { Command, Request } from '../../approval/command.ts'
import type { Grant } from '../../approval/grants/grant.ts'
import type { GrantCommand } from '../../approval/grants/grant-command.ts'
import { CountersignError, type ErrorCode, isCountersignError } from '../../base/errors.ts'
import { type AnyCommand, type Applied, BATCH_LIMIT } from '../store.ts'
import type { Entry, Plan, Settled } from './plan.ts'

/** How a backend commits. Settles every entry it is given, except those it returns. */
export type Commit = (
  entries: readonly Entry[],
  /** True when a batch failed and its entries are tried one by one, looking for earlier traces. */
  alone: boolean,
) => Promise<readonly Entry[]>

export interface Flusher {
  submit(id: string, command: Command): Promise<Applied>
  /** Submits a request that looks first. */
  submitFirst(request: Request): Promise<Applied | undefined>
  submitGrant(id: string, command: GrantCommand): Promise<Grant>
  /** Runs something between two batches, so that it never meets a transaction of ours. */
  between<T>(work: () => Promise<T>): Promise<T>
  /** Refuses what comes from now on, and resolves when everything before is settled. */
  close(): Promise<void>
}

const ATTEMPTS_ALONE = 3

/** These concern the database and not one command: nothing is gained by trying them one by one. */
const BATCH_WIDE: readonly ErrorCode[] = [
  'store_busy',
  'store_closed',
  'store_replaced',
  'store_unavailable',
  'outcome_unknown',
]

/**
 * Puts a batch behind the one that is under way, without waiting for it. Undefined when that is not
 * possible. What it does after a failure waits for `before`: the whole of the other, tried again.
 */
export type Follow = (
  entries: readonly Entry[],
  before: Promise<void>,
) => Promise<readonly Entry[]> | undefined

/** From this many commands on, half of them are a batch: one is planned while the other is written. */
const WORTH_HALVING = 16

/**
 * Gathers commands while a transaction is under way and commits them together: one sync for all.
 * The events of a process form one chain, so its transactions follow each other; a second one may be
 * on its way before the first is answered, where the backend can put one behind another.
 */
export function createFlusher(commit: Commit, follow?: Follow): Flusher {
  let queue: Entry[] = []
  /** Batches under way, the older one first. */
  let underWay: Batch[] = []
  let isStarting = false
  let isBetween = false
  /** Interludes were last: erasing is one after the other, and commands must not wait for its end. */
  let isQueueNext = false
  let closed = false
  let idle: (() => void)[] = []
  const interludes: (() => Promise<void>)[] = []

  function start(): void {
    if (isStarting) return
    isStarting = true
    // Everything submitted in this turn of the event loop goes into the first batch, and each batch
    // has a new turn: timers and sockets must not wait until the queue is empty.
    setImmediate(flush)
  }

  function enqueue(entry: Entry): void {
    if (closed) {
      entry.reject(new CountersignError('store_closed', 'the store is closed'))
      return
    }
    queue.push(entry)
    start()
  }

  function flush(): void {
    isStarting = false
    const [first, second] = underWay
    if (second || isBetween) return
    if (first) {
      if (interludes.length === 0) sendBehind(first)
    } else if (interludes.length > 0 && !(isQueueNext && queue.length > 0)) void playInterludes()
    else if (queue.length > 0) sendFirst()
    else for (const done of idle.splice(0)) done()
  }

  async function playInterludes(): Promise<void> {
    isBetween = true
    for (const work of interludes.splice(0)) await work()
    isBetween = false
    isQueueNext = true
    start()
  }

  function sendFirst(): void {
    isQueueNext = false
    const isHalved = follow !== undefined && queue.length >= WORTH_HALVING
    const batch = take(isHalved ? Math.ceil(queue.length / 2) : queue.length)
    track(batch, flushBatch(batch, commit(batch, false)))
  }

  /** A few commands wait for more: each batch costs something, whatever its size. */
  function sendBehind({ size, done }: Batch): void {
    if (!follow || queue.length === 0 || 2 * queue.length < size) return
    const batch = take(queue.length)
    const following = tryFollow(follow, batch, done)
    if (following) track(batch, flushBatch(batch, following, done))
    else queue = [...batch, ...queue]
  }

  function take(count: number): Entry[] {
    return queue.splice(0, Math.min(count, BATCH_LIMIT))
  }

  function track({ length: size }: readonly Entry[], done: Promise<void>): void {
    const batch = { size, done }
    underWay.push(batch)
    void done.then(() => {
      underWay = underWay.filter((one) => one !== batch)
      start()
    })
    start()
  }

  async function flushBatch(
    batch: readonly Entry[],
    committing: Promise<readonly Entry[]>,
    before?: Promise<void>,
  ): Promise<void> {
    try {
      const again = await committing
      if (again.length > 0) queue = [...again, ...queue]
    } catch (error) {
      await before
      if (isBatchWide(error)) for (const { reject } of batch) reject(error)
      else for (const entry of batch) await flushAlone(entry)
    }
  }

  async function flushAlone(entry: Entry): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const again = await commit([entry], true)
        if (again.length === 0) return
      } catch (error) {
        if (attempt < ATTEMPTS_ALONE && !isCountersignError(error)) continue
        entry.reject(isCountersignError(error) ? error : unexpected(error))
        return
      }
    }
  }

  return {
    submit: (id, command) => appliedBy(enqueue, id, command),
    submitFirst: (request) => askedBy(enqueue, request),
    submitGrant: (id, command) => grantBy(enqueue, id, command),
    between(work) {
      return new Promise((resolve, reject) => {
        interludes.push(() => work().then(resolve, reject))
        start()
      })
    },
    close() {
      closed = true
      if (!isStarting && !isBetween && underWay.length === 0) return Promise.resolve()
      return new Promise((resolve) => {
        idle = [...idle, resolve]
      })
    },
  }
}

/** One that cannot even be planned has a turn of its own, where that is a failure like any other. */
function tryFollow(
  follow: Follow,
  entries: readonly Entry[],
  before: Promise<void>,
): ReturnType<Follow> {
  try {
    return follow(entries, before)
  } catch {
    return undefined
  }
}

interface Batch {
  readonly size: number
  /** Everything about it is settled. */
  readonly done: Promise<void>
}

function isBatchWide(error: unknown): boolean {
  return isCountersignError(error) && BATCH_WIDE.includes(error.code)
}

function unexpected(cause: unknown): CountersignError {
  const text = cause instanceof Error ? cause.message : String(cause)
  return new CountersignError('internal', `the database refused the change: ${text}`, { cause })
}

/** Tells each caller what a committed plan did for them. */
export function settle({ outcomes }: Plan): void {
  for (const outcome of outcomes) {
    if ('applied' in outcome) outcome.entry.resolve(outcome.applied)
    else outcome.entry.reject(outcome.error)
  }
}

/** Puts a command on its way, and waits for what it does to its approval. */
export function appliedBy(
  send: (entry: Entry) => void,
  id: string,
  command: AnyCommand,
): Promise<Applied> {
  return sentBy(send, id, command, (settled) => ('approval' in settled ? settled : undefined))
}

/** The same for a request that looks first: undefined where there is something to look at. */
export async function askedBy(
  send: (entry: Entry) => void,
  request: Request,
): Promise<Applied | undefined> {
  const read = (settled: Settled) => ('grant' in settled ? undefined : settled)
  const first = (entry: Entry) => send({ ...entry, looksFirst: true })
  const settled = await sentBy(first, request.id, request, read)
  return 'prior' in settled ? undefined : settled
}

/** The same for a grant. */
export function grantBy(
  send: (entry: Entry) => void,
  id: string,
  command: AnyCommand,
): Promise<Grant> {
  return sentBy(send, id, command, (settled) => ('grant' in settled ? settled.grant : undefined))
}

function sentBy<T>(
  send: (entry: Entry) => void,
  id: string,
  command: AnyCommand,
  read: (settled: Settled) => T | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const settled = (what: Settled) => {
      const mine = read(what)
      if (mine === undefined)
        reject(new CountersignError('internal', 'unexpected response from the store'))
      else resolve(mine)
    }
    send({ id, command, resolve: settled, reject })
  })
}
