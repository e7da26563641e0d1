import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../bench/lib/random.ts'
import type { Violation } from '../checks/check.ts'
import type { Stop } from '../workload/crash-points.ts'
import { clockNow, jump } from '../workload/open-store.ts'
import { PAST_EVERYTHING, PAST_SILENCE } from '../workload/operations.ts'
import type { WorkerOptions } from '../workload/worker.ts'
import { inspect, newFolder, newWorld, removeWorld, Worker, type World } from '../workload/world.ts'
import type { CrashablePostgres } from './crashable-postgres.ts'

/** One short story with one fault in it. Throws when the fault could not be made. */
export interface Nemesis {
  readonly name: string
  readonly stores: readonly ('sqlite' | 'postgres')[]
  /** Too long for every run: it is played when it is asked for. */
  readonly onlyByName?: boolean
  /** Why it cannot run on this machine; undefined when it can. */
  lacks?(): string | undefined
  run(scene: Scene): Promise<Violation[]>
}

export interface Scene {
  readonly store: 'sqlite' | 'postgres'
  readonly seed: string
  readonly random: Random
  readonly postgres: CrashablePostgres | undefined
  /** Says what was really done, where a nemesis has several ways. */
  note(text: string): void
  killed(): void
}

export function serverOf({ postgres }: Scene): CrashablePostgres {
  if (!postgres) throw new Error('this nemesis needs a Postgres')
  return postgres
}

/** A new database of the scene's kind; `folder` holds the file, on SQLite. */
export async function worldOf(scene: Scene, folder = newFolder()): Promise<World> {
  const head = path.join(folder, 'head.json')
  const database =
    scene.store === 'sqlite'
      ? path.join(folder, 'approvals.db')
      : await serverOf(scene).newDatabase()
  return newWorld(scene.seed, { store: scene.store, database, head }, folder)
}

export interface Life {
  readonly cycle: number
  readonly calls?: number
  readonly stop?: Stop
  readonly resumesAll?: boolean
  readonly command?: readonly string[]
}

/** A process that has recovered and waits for `go`. */
export async function begin(world: World, { command, calls = 8, ...life }: Life): Promise<Worker> {
  const worker = new Worker({ ...world, calls, ...life } satisfies WorkerOptions, command)
  await worker.until('recovered')
  return worker
}

export function holdAt(place: Stop['place'], how: Stop['how'] = 'hold', nth = 1): Stop {
  return { place, how, nth, delay: 0 }
}

/** A life that nobody cuts short must end, and answer everybody. */
export async function finishes(worker: Worker): Promise<Violation[]> {
  await worker.until('done')
  await Promise.race([worker.exited, sleep(5_000)])
  const done = worker.heard('done')
  const says = done
    ? `never answered: ${done.unsettled.join(', ')}`
    : `the process ended with ${worker.exitCode}: ${worker.errors.slice(0, 3000)}`
  return done && done.unsettled.length === 0 ? [] : [{ invariant: 'INV-6', kind: 'stuck', says }]
}

/** Everything is brought to its end by a last life, and then nothing may be open or untrue. */
export async function settleAndCheck(
  world: World,
  found: readonly Violation[] = [],
  { keeps = false, isClockSteady = false } = {},
): Promise<Violation[]> {
  await jump(world, PAST_SILENCE)
  const direct = { ...world, database: world.direct ?? world.database }
  const last = await begin(direct, { cycle: 1_000_000, calls: 0, resumesAll: true })
  last.go()
  const ended = await finishes(last)
  await jump(world, PAST_EVERYTHING)
  const sweeper = await begin(direct, { cycle: 1_000_001, calls: 0 })
  sweeper.go()
  const swept = await finishes(sweeper)
  const all = [
    ...found,
    ...ended,
    ...swept,
    ...(await inspect(world, { now: clockNow(world.clock), isClockSteady })),
  ]
  if (all.length === 0 && !keeps) removeWorld(world)
  return all
}
