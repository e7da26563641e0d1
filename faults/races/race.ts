import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Approval } from '../../src/approval/approval.ts'
import type { Store } from '../../src/store/store.ts'
import { lifting } from '../../src/testing/store-cases/lock.ts'
import { ending } from '../../src/testing/store-cases/stand-in.ts'
import { randomOf } from '../seeds.ts'
import {
  commandOf,
  type Pair,
  type Result,
  type Trial,
  trialOf,
  unlikeAnyOrder,
} from './interleavings.ts'
import { openSide, type Sending, sendAll } from './second-process.ts'

export interface Race {
  /** Plays a pair with so many seeds. Returns what went wrong, with its seed. */
  run(pair: Pair, seeds: number, from?: number): Promise<string[]>
  readonly here: Store
  /** Sends these here and those there, at the same time; what each was told. */
  both(mine: readonly Sending[], others: readonly Sending[]): Promise<[string[], string[]]>
  close(): Promise<void>
}

const TOGETHER = 300

/** This process and another one, each with its own store on one database. */
export async function openRace(kind: 'sqlite' | 'postgres', database: string): Promise<Race> {
  const here = await openSide(kind, database)
  const program = path.join(import.meta.dirname, 'second-process.ts')
  const child = spawn(
    process.execPath,
    ['--conditions=countersign-source', program, kind, database],
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  )
  await answerOf(child)

  async function both(
    mine: readonly Sending[],
    others: readonly Sending[],
  ): Promise<[string[], string[]]> {
    child.send(others)
    const [own, theirs] = await Promise.all([sendAll(here, mine), answerOf(child)])
    return [own, theirs as string[]]
  }

  async function playAll(pair: Pair, seeds: readonly number[]): Promise<string[]> {
    const trials = seeds.map((seed) => trialOf(pair, randomOf(pair.name, seed)))
    const starts = await Promise.all(trials.map((trial) => setUp(here, trial)))
    // A lease of a millisecond is over now.
    await sleep(3)
    const commands = trials.map((trial, index) => {
      const start = starts[index] as Approval
      return [commandOf(trial, 0, start), commandOf(trial, 1, start)] as const
    })
    const sideOf = (side: 0 | 1): Sending[] =>
      trials.map(({ id, delays }, index) => ({
        id,
        delay: delays[side],
        command: (commands[index] as Result['commands'])[side],
      }))
    const [mine, others] = await both(sideOf(0), sideOf(1))
    const ends = await Promise.all(trials.map(({ id }) => here.get(id)))
    await Promise.all(
      commands.flat().flatMap((sent) => {
        if ('lock' in sent) return [here.amend(lifting(String(sent.lock)))]
        return 'standIn' in sent ? [here.amend(ending(String(sent.standIn)))] : []
      }),
    )
    return seeds.flatMap((seed, index) => {
      const problem = unlikeAnyOrder({
        start: starts[index] as Approval,
        commands: commands[index] as Result['commands'],
        answers: [mine[index] ?? '', others[index] ?? ''],
        end: ends[index] as Approval,
      })
      return problem === undefined ? [] : [`${pair.name}, seed ${seed}: ${problem}`]
    })
  }

  return {
    here,
    both,
    async run(pair, seeds, from = 0) {
      const found: string[] = []
      for (let done = 0; done < seeds; done += TOGETHER) {
        const count = Math.min(TOGETHER, seeds - done)
        const numbers = Array.from({ length: count }, (_, index) => from + done + index)
        found.push(...(await playAll(pair, numbers)))
      }
      return found
    },
    async close() {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.disconnect()
      await gone
      await here.close()
    },
  }
}

function answerOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const failed = (code: number | null) =>
      reject(new Error(`the other process ended with ${code}`))
    child.once('exit', failed)
    child.once('message', (message) => {
      child.removeListener('exit', failed)
      resolve(message)
    })
  })
}

/** Brings an approval where the race begins; a short deadline may end it on the way. */
async function setUp(store: Store, { id, request, setUp: steps }: Trial): Promise<Approval> {
  let { approval } = await store.apply(id, request)
  for (const make of steps) {
    if (make.length === 0) await sleep(3)
    try {
      approval = (await store.apply(id, make(approval))).approval
    } catch {
      // Refused, because time ran out: the race begins with what is there.
    }
  }
  return (await store.get(id)) ?? approval
}
