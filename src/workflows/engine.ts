/**
 * What the driver needs of a durable engine: four verbs and a name. Everything an engine does
 * differently is behind them; the control flow is in `durably.ts`, once for all engines.
 */
export interface Engine {
  /** Names the workflow for ever, whatever replays it: `openworkflow:0b1c…`. */
  readonly run: string
  /**
   * Which use of this name it is within the workflow, the same in every replay; undefined for the
   * first. Two gates in one workflow, or two rounds of a loop, are two questions.
   */
  position(name: string): number | undefined | Promise<number | undefined>
  /**
   * In place of `position`, where the engine numbers its steps and tells the number inside of one
   * only: called in the first step of a question, which keeps it for the others.
   */
  readonly stepPosition?: () => number
  /** Runs `work`, keeps what it returns, and returns that in every replay. Plain JSON only. */
  step<T>(name: string, work: () => Promise<T>): Promise<T>
  /** Resolves when the approval's wake-up came, or after `atMost` milliseconds. Never tells which. */
  wait(name: string, approval: string, atMost: number): Promise<void>
  sleep(name: string, ms: number): Promise<void>
  /** Called before the first wait, for engines that tell others what waits. */
  asked?(name: string, question: AskedQuestion): Promise<void>
  /** The error that ends the workflow instead of trying again. */
  fail(error: Error): Error
  /** Whether this error says that the workflow was cancelled. Left out where code is never told. */
  isCancelled?(error: unknown): boolean
  /** Runs `work` although the workflow was cancelled. */
  afterCancel?(name: string, work: () => Promise<void>): Promise<void>
}

/** A question that people have not answered yet. */
export interface AskedQuestion {
  readonly id: string
  /** Of the call as it was asked about. */
  readonly digest: string
  /** When its time ends; absent where none is set. */
  readonly decideBy?: number
}

/** The name of a workflow as `Engine.run`. Ids are chosen by users; a slash starts the suffix. */
export function runName(engine: string, id: string): string {
  return `${engine}:${encodeURIComponent(id)}`
}

/** The id in the `run` of an approval, or undefined where another engine asked. */
export function idIn(engine: string, run: string | undefined): string | undefined {
  if (!run?.startsWith(`${engine}:`)) return undefined
  const [id = ''] = run.slice(engine.length + 1).split('/')
  try {
    return decodeURIComponent(id)
  } catch {
    return undefined
  }
}

/**
 * Counts the uses of a name within one replay. `replay` is an object that the engine makes anew for
 * each: so the first use is the first one again.
 */
export function countedPosition(replay: object, name: string): number | undefined {
  const counts = COUNTS.get(replay) ?? new Map<string, number>()
  COUNTS.set(replay, counts)
  const count = (counts.get(name) ?? 0) + 1
  counts.set(name, count)
  return count === 1 ? undefined : count
}

const COUNTS = new WeakMap<object, Map<string, number>>()
