import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../bench/lib/random.ts'
import type { Violation } from '../checks/check.ts'
import { type Disk, lacksDisk, newDisk } from '../disk/disk.ts'
import type { Cut, NameModel } from '../disk/power-cut.ts'
import { pointsFor, stopAt } from '../workload/crash-points.ts'
import { jump } from '../workload/open-store.ts'
import { PAST_SILENCE } from '../workload/operations.ts'
import { query } from '../workload/query.ts'
import { inspect, newFolder, newWorld, removeWorld, Worker, type World } from '../workload/world.ts'
import { type CrashablePostgres, crashablePostgres } from './crashable-postgres.ts'
import { begin, finishes, type Nemesis, type Scene, settleAndCheck } from './episode.ts'

/** Power cuts on one database, one after the other: a cut meets what earlier cuts left. */
export interface PowerOptions {
  readonly cuts: number
  readonly names: NameModel
  /**
   * The control, in which something must be lost: on SQLite the disk answers syncs and does not
   * carry them out, and Postgres runs with `fsync = off`.
   */
  readonly ignoresSyncs?: boolean
  readonly report?: (cut: Cut) => void
}

interface Machine {
  readonly world: World
  readonly disk: Disk
  /** Runs on the disk; undefined where only the server does. */
  readonly command: readonly string[] | undefined
  readonly postgres?: CrashablePostgres
}

async function machineFor(
  { store, seed }: Scene,
  { ignoresSyncs = false }: PowerOptions,
): Promise<Machine> {
  const folder = newFolder()
  if (store === 'sqlite') {
    const disk = newDisk(path.join(folder, 'disk'))
    if (ignoresSyncs) disk.ignoreSyncs()
    const database = path.join(disk.root, 'approvals.db')
    const head = path.join(disk.root, 'head.json')
    const world = newWorld(seed, { store, database, head }, folder)
    return { world, disk, command: disk.command }
  }
  const disks: Disk[] = []
  const postgres = await crashablePostgres({
    environment: (data) => {
      const disk = newDisk(data)
      disks.push(disk)
      return disk.env
    },
    // Given on the command line it could not be switched off below.
    ...(ignoresSyncs ? { settings: [] } : {}),
  })
  const [disk] = disks
  if (!disk) throw new Error('Postgres was given no disk')
  const database = await postgres.newDatabase()
  if (ignoresSyncs) {
    await query(database, ['checkpoint', 'alter system set fsync = off', 'select pg_reload_conf()'])
  }
  const world = newWorld(seed, { store, database, head: path.join(folder, 'head.json') }, folder)
  return { world, disk, command: undefined, postgres }
}

/** One life of the process, until the power goes: at a crash point, at any time, or at its start. */
async function liveUntilDark(
  { world, command }: Machine,
  { cycle, random }: { cycle: number; random: Random },
): Promise<Violation[]> {
  const points = pointsFor(world.store)
  const point = points[random.below(points.length)]
  const stop = point && random.chance(0.5) ? stopAt(point, random) : undefined
  const options = { ...world, cycle, calls: 8, resumesAll: random.chance(0.3) }
  const worker = new Worker({ ...options, ...(stop ? { stop } : {}) }, command)
  if (cycle === 0 && world.store === 'sqlite' && random.chance(0.3)) {
    // While the database is made.
    await sleep(80 + random.below(200))
    await worker.kill()
    return []
  }
  await worker.until('recovered', 'at')
  const recovered = worker.heard('recovered')
  const found =
    recovered && cycle > 0
      ? await inspect(world, { now: recovered.now, alive: recovered.instance })
      : []
  if (!recovered && !worker.heard('at')) {
    const says = `the process did not come up after a power cut: ${worker.errors.slice(0, 600)}`
    return [{ invariant: 'INV-7', kind: 'broken', says }]
  }
  worker.go()
  if (stop) {
    await worker.until('at', 'done')
    await sleep(stop.delay / 1_000)
  } else {
    await Promise.race([worker.until('done'), sleep(random.below(400))])
  }
  await worker.kill()
  return found
}

/** Throws when the machine cannot be made; what a broken database throws counts as found. */
export async function powerCuts(scene: Scene, options: PowerOptions): Promise<Violation[]> {
  const machine = await machineFor(scene, options)
  const { world, disk, postgres } = machine
  const found: Violation[] = []
  try {
    for (let cycle = 0; cycle < options.cuts && found.length === 0; cycle += 1) {
      found.push(...(await liveUntilDark(machine, { cycle, random: scene.random })))
      scene.killed()
      await postgres?.killAll()
      const cut = disk.cut(scene.random, options.names)
      options.report?.(cut)
      await postgres?.start()
      await jump(world, PAST_SILENCE)
    }
    if (disk.counts().writes === 0) throw new Error('no write of the process was recorded')
    return found.length > 0 ? found : await settleAndCheck(world)
  } catch (error) {
    const says = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return [...found, { invariant: 'INV-7', kind: 'broken', says }]
  } finally {
    await postgres?.stop()
    disk.remove()
    if (options.ignoresSyncs) removeWorld(world)
  }
}

/**
 * The journal against the files themselves, after a life that ended well: files that the journal
 * gets wrong. None may be, or a power cut would be played on a disk that never was.
 */
export async function unrecordedChanges(scene: Scene): Promise<string[]> {
  const machine = await machineFor(scene, { cuts: 0, names: 'ordered' })
  const { world, disk, command, postgres } = machine
  try {
    const worker = new Worker({ ...world, cycle: 0, calls: 8 }, command)
    await worker.until('recovered')
    worker.go()
    const found = await finishes(worker)
    await postgres?.shutDown()
    const { writes, syncs } = disk.counts()
    if (writes === 0 || syncs === 0) return ['no write and no sync at all was recorded']
    return [...found.map(({ says }) => says), ...disk.unrecorded()]
  } finally {
    await postgres?.stop()
    disk.remove()
    removeWorld(world)
  }
}

const cutSqlite: Nemesis = {
  name: 'power loss',
  stores: ['sqlite'],
  lacks: lacksDisk,
  run: (scene) => powerCuts(scene, { cuts: 2, names: 'strict' }),
}

/** Makes a server of its own. */
const cutPostgres: Nemesis = {
  name: 'power loss',
  stores: ['postgres'],
  onlyByName: true,
  lacks: lacksDisk,
  run: (scene) => powerCuts(scene, { cuts: 1, names: 'ordered' }),
}

const ERRORS = { EIO: 5, ENOSPC: 28 } as const

/**
 * Writes or syncs fail for a while and succeed again. What a failed sync did not write is gone with
 * the power, although processes could read it until then and later syncs succeeded.
 */
const diskError: Nemesis = {
  name: 'disk error',
  stores: ['sqlite'],
  lacks: lacksDisk,
  async run(scene) {
    const { random } = scene
    const machine = await machineFor(scene, { cuts: 1, names: 'ordered' })
    const { world, disk, command = [] } = machine
    try {
      const worker = await begin(world, { cycle: 0, calls: 12, command })
      const of = random.pick(['syncs', 'syncs', 'writes'] as const)
      const name = random.pick(['EIO', 'ENOSPC'] as const)
      const count = random.pick([1, 1, 3, 20])
      disk.failNext({ of, after: random.below(60), count, errno: ERRORS[name] })
      worker.go()
      await Promise.race([worker.until('done'), sleep(200 + random.below(800))])
      await worker.kill()
      scene.killed()
      const { failed } = disk.counts()
      const { fate } = disk.cut(random, 'ordered')
      scene.note(`${failed} ${of} failed with ${name}, then the power: ${fate}`)
      await jump(world, PAST_SILENCE)
      return await settleAndCheck(world)
    } finally {
      disk.remove()
    }
  },
}

export const POWER_NEMESES = [cutSqlite, cutPostgres, diskError]
