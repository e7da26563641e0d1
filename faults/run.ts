import path from 'node:path'
import type { Violation } from './checks/check.ts'
import { CLOCK_NEMESES } from './nemeses/clocks.ts'
import { COPY_NEMESES } from './nemeses/copies.ts'
import { type CrashablePostgres, crashablePostgres } from './nemeses/crashable-postgres.ts'
import { DISK_NEMESES } from './nemeses/disks.ts'
import type { Nemesis } from './nemeses/episode.ts'
import { killCycles } from './nemeses/kills.ts'
import { POWER_NEMESES } from './nemeses/power.ts'
import { SERVER_NEMESES } from './nemeses/servers.ts'
import { randomOf } from './seeds.ts'
import { newFolder, newWorld, removeWorld } from './workload/world.ts'

export const NEMESES: readonly Nemesis[] = [
  ...SERVER_NEMESES,
  ...CLOCK_NEMESES,
  ...DISK_NEMESES,
  ...COPY_NEMESES,
  ...POWER_NEMESES,
]

/** Names of faults that this machine cannot make, each with the reason. */
export function skippedNemeses(): string[] {
  const skipped = NEMESES.flatMap(({ name, lacks }) => {
    const reason = lacks?.()
    return reason === undefined ? [] : [`${name}: ${reason}`]
  })
  return [...new Set(skipped)]
}

type StoreName = 'sqlite' | 'postgres'

export interface FaultOptions {
  readonly cycles: number
  readonly seed: string
  readonly stores: readonly StoreName[]
  readonly jobs: number
  /** Only this one; `kill` for kills alone, `others` for everything else in turn. */
  readonly nemesis?: string
  /** Only this group, as a failure names it: `sqlite/3`. */
  readonly only?: string
  readonly say: (line: string) => void
}

export interface Counts {
  cycles: number
  kills: number
  lost: number
  double: number
  stuck: number
  broken: number
  /** How often each crash point and each nemesis came up. */
  readonly byName: Map<string, number>
}

/** Cycles that share a database: so a crash meets what earlier crashes left. */
const LIVES = 12
/** One group in so many is another fault than a kill. */
const SPECIAL_EVERY = 3

interface Group {
  readonly name: string
  readonly store: StoreName
  readonly cycles: readonly number[]
  readonly nemesis?: Nemesis
}

/** The whole run follows from its seed and its length. */
function groupsOf({ cycles, stores, nemesis, only }: FaultOptions): Group[] {
  const groups: Group[] = []
  stores.forEach((store, index) => {
    const share = Math.floor(cycles / stores.length) + (index < cycles % stores.length ? 1 : 0)
    const others = NEMESES.filter(({ stores: on, name, lacks, onlyByName }) => {
      const isAny = nemesis === undefined || nemesis === 'others'
      return (
        on.includes(store) && (isAny ? !onlyByName : name === nemesis) && lacks?.() === undefined
      )
    })
    let left = share
    let kills = 0
    for (let group = 0; left > 0; group += 1) {
      const isSpecial =
        nemesis === undefined ? group % SPECIAL_EVERY === SPECIAL_EVERY - 1 : nemesis !== 'kill'
      const turn = nemesis === undefined ? Math.floor(group / SPECIAL_EVERY) : group
      const special = isSpecial ? others[turn % others.length] : undefined
      if (isSpecial && special === undefined) return
      const size = special ? 1 : Math.min(LIVES, left)
      const numbers = Array.from({ length: size }, (_, life) => kills + life)
      if (!special) kills += size
      left -= size
      groups.push({
        name: `${store}/${group}`,
        store,
        cycles: numbers,
        ...(special ? { nemesis: special } : {}),
      })
    }
  })
  return groups.filter(({ name }) => only === undefined || name === only)
}

export async function runFaults(options: FaultOptions): Promise<Counts> {
  const { say, jobs } = options
  const counts: Counts = {
    cycles: 0,
    kills: 0,
    lost: 0,
    double: 0,
    stuck: 0,
    broken: 0,
    byName: new Map(),
  }
  if (options.nemesis !== 'kill') for (const one of skippedNemeses()) say(`skipped ${one}`)
  const groups = groupsOf(options)
  const queue = [...groups]

  async function work(): Promise<void> {
    // Each has a server of its own, so that crashing it disturbs nobody else.
    let postgres: CrashablePostgres | undefined
    try {
      for (let group = queue.shift(); group; group = queue.shift()) {
        if (group.store === 'postgres') postgres ??= await crashablePostgres()
        await play(group, postgres).catch((error: unknown) => {
          const says = error instanceof Error ? (error.stack ?? error.message) : String(error)
          note(group, 'the harness itself', [{ invariant: 'INV-6', kind: 'stuck', says }])
        })
      }
    } finally {
      await postgres?.stop()
    }
  }

  async function play(group: Group, postgres: CrashablePostgres | undefined): Promise<void> {
    const { store, nemesis, name } = group
    const seed = `${options.seed}/${name}`
    if (nemesis) {
      let notes = ''
      const scene = {
        store,
        seed,
        random: randomOf(seed, nemesis.name),
        postgres,
        note: (text: string) => {
          notes = `: ${text}`
        },
        killed: () => {
          counts.kills += 1
        },
      }
      const violations = await nemesis.run(scene)
      count(store, nemesis.name)
      note(group, `${nemesis.name}${notes}`, violations)
      return
    }
    const folder = newFolder()
    const database =
      store === 'sqlite' ? path.join(folder, 'approvals.db') : await postgres?.newDatabase()
    if (database === undefined) throw new Error('there is no Postgres')
    const head = path.join(folder, 'head.json')
    const world = newWorld(seed, { store, database, head }, folder)
    let isClean = true
    await killCycles(world, group.cycles, ({ cycle, what, wasKilled, violations }) => {
      if (cycle >= 0) count(store, what.replace(/ \(.*$/, ''))
      if (wasKilled) counts.kills += 1
      if (violations.length > 0) isClean = false
      const end = wasKilled || cycle < 0 ? '' : ', never got there'
      note(group, `cycle ${cycle} ${what}${end}`, violations)
    })
    if (isClean) removeWorld(world)
    else say(`kept for a look: ${folder}`)
  }

  function count(store: StoreName, name: string): void {
    counts.cycles += 1
    const key = `${store} ${name}`
    counts.byName.set(key, (counts.byName.get(key) ?? 0) + 1)
  }

  function note(group: Group, what: string, violations: readonly Violation[]): void {
    for (const { kind } of violations) counts[kind] += 1
    say(`${violations.length === 0 ? 'ok    ' : 'FAILED'} ${group.name} ${what}`)
    for (const { invariant, says } of violations.slice(0, 5)) say(`FAILED   ${invariant} ${says}`)
    if (violations.length === 0) return
    const { seed, cycles, stores } = options
    const store = stores.length === 1 ? ` --store ${stores[0]}` : ''
    const nemesis = options.nemesis === undefined ? '' : ` --nemesis '${options.nemesis}'`
    say(
      `FAILED   again: npm run faults -- --cycles ${cycles} --seed ${seed}${store}${nemesis} --only ${group.name}`,
    )
  }

  await Promise.all(Array.from({ length: Math.max(1, jobs) }, work))
  return counts
}
