import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { check, type Violation } from '../checks/check.ts'
import { readRecords } from '../checks/records.ts'
import type { Delivery } from '../workload/deliveries.ts'
import { readLog } from '../workload/log.ts'
import { clockNow, jump } from '../workload/open-store.ts'
import { type Operation, PAST_EVERYTHING, PAST_SILENCE } from '../workload/operations.ts'
import { query } from '../workload/query.ts'
import type { Sighting } from '../workload/witness.ts'
import { removeWorld, type World } from '../workload/world.ts'
import { begin, finishes, holdAt, type Nemesis, type Scene, serverOf, worldOf } from './episode.ts'

const PARTS = ['', '-wal', '-shm'] as const

function copyFile(from: string, to: string): void {
  for (const part of PARTS) {
    rmSync(`${to}${part}`, { force: part !== '' || !existsSync(to), recursive: false })
  }
  for (const part of PARTS) if (existsSync(from + part)) copyFileSync(from + part, to + part)
}

/** The same inode with older bytes: only what lies outside of the file can tell. */
function overwriteFile(from: string, to: string): void {
  copyFileSync(from, to)
  for (const part of ['-wal', '-shm']) {
    rmSync(to + part, { force: true })
    if (existsSync(from + part)) copyFileSync(from + part, to + part)
  }
}

/** Dies with a yes that was given and not used: what a copy could bring back to life. */
async function dieWithYes(scene: Scene, world: World): Promise<void> {
  const stop = holdAt('gate answer.known')
  const worker = await begin(world, { cycle: 0, stop })
  worker.go()
  await worker.until('at', 'done')
  // The file outside of the database is written a moment later than the database.
  await worker.kill()
  scene.killed()
}

function doublesIn(sightings: readonly Sighting[]): Violation[] {
  const starts = Map.groupBy(
    sightings.filter(({ phase, approval }) => phase === 'start' && approval !== ''),
    ({ approval }) => approval,
  )
  return [...starts].flatMap(([id, all]): Violation[] => {
    const says = `${id} started ${all.length} times, in copies of one database`
    return all.length > 1 ? [{ invariant: 'INV-2', kind: 'double', says }] : []
  })
}

function unnoticed(quarantine: string | undefined): Violation[] {
  return quarantine === undefined
    ? [{ invariant: 'INV-2', kind: 'broken', says: 'the copy was not noticed' }]
    : []
}

/** An old backup is put back: spent approvals come back to life, and must be worth nothing. */
const restored: Nemesis = {
  name: 'old backup restored',
  stores: ['sqlite', 'postgres'],
  async run(scene) {
    const world = await worldOf(scene)
    const backup = path.join(world.folder, 'backup')
    await dieWithYes(scene, world)
    const server = scene.postgres
    if (world.store === 'sqlite') copyFile(world.database, backup)
    else {
      await serverOf(scene).crash()
      server?.copyTo(backup)
      await server?.start()
    }
    const kept = readLog(world.witness).length
    await jump(world, 1_000)
    const worker = await begin(world, { cycle: 1, resumesAll: true })
    worker.go()
    const found = await finishes(worker)
    await sleep(150)
    const inPlace = scene.random.chance(0.5)
    if (world.store === 'sqlite') {
      scene.note(inPlace ? 'over the same file' : 'as a new file')
      if (inPlace) overwriteFile(backup, world.database)
      else copyFile(backup, world.database)
    } else {
      scene.note('the data folder of the whole server')
      await server?.crash()
      server?.restoreFrom(backup)
      await server?.start()
    }
    const after = readLog(world.witness).length
    const told = readLog(world.deliveries).length
    // The clock of a Postgres was in the backup too.
    await jump(world, PAST_SILENCE)
    const again = await begin(world, { cycle: 2, calls: 4, resumesAll: true })
    const { quarantine } = again.heard('recovered') ?? {}
    again.go()
    found.push(...(await finishes(again)))
    await jump(world, PAST_EVERYTHING)
    const last = await begin(world, { cycle: 3, calls: 0, resumesAll: true })
    last.go()
    found.push(...(await finishes(last)), ...unnoticed(quarantine))
    const sightings = readLog<Sighting>(world.witness)
    // What ran between the backup and its return is on no record any more.
    const later = [...sightings.slice(0, kept), ...sightings.slice(after)]
    const now = clockNow(world.clock)
    const records = await readRecords(world)
    found.push(...doublesIn(sightings))
    // What was asked before is told, but of a history that is gone: its revisions mean nothing now.
    const deliveries = readLog<Delivery>(world.deliveries).map((line, index) =>
      line.phase === 'sent' && index < told ? { ...line, question: false } : line,
    )
    found.push(
      ...check({ records, sightings: later, operations: [], deliveries, now, restored: true }),
    )
    if (found.length === 0) removeWorld(world)
    return found
  },
}

/** Two processes, one on the database and one on a copy of it, both holding the same yes. */
const copied: Nemesis = {
  name: 'two processes on a copy',
  stores: ['sqlite', 'postgres'],
  async run(scene) {
    const world = await worldOf(scene)
    await dieWithYes(scene, world)
    const folder = path.join(world.folder, 'copy')
    mkdirSync(folder)
    let database = path.join(folder, 'approvals.db')
    if (world.store === 'sqlite') copyFile(world.database, database)
    else {
      const name = new URL(world.database).pathname.slice(1)
      database = world.database.replace(name, `${name}_copy`)
      await query(serverOf(scene).url, [
        `create database ${name}_copy template ${name}`,
        `alter database ${name}_copy set search_path = faults, pg_catalog, public`,
      ])
    }
    const clock = path.join(folder, 'clock')
    copyFileSync(world.clock, clock)
    const copy: World = { ...world, database, clock, operations: `${world.operations}.copy` }
    const [one, other] = await Promise.all([
      begin(world, { cycle: 1, calls: 3, resumesAll: true }),
      begin(copy, { cycle: 2, calls: 3, resumesAll: true }),
    ])
    const { quarantine } = other.heard('recovered') ?? {}
    one.go()
    other.go()
    const found = (await Promise.all([finishes(one), finishes(other)])).flat()
    if (one.heard('recovered')?.quarantine !== undefined) {
      found.push({
        invariant: 'INV-2',
        kind: 'broken',
        says: 'the original was taken for the copy',
      })
    }
    await jump(world, PAST_EVERYTHING)
    const last = await begin(world, { cycle: 3, calls: 0 })
    last.go()
    found.push(...(await finishes(last)), ...unnoticed(quarantine))
    const sightings = readLog<Sighting>(world.witness)
    found.push(...doublesIn(sightings))
    // Each start is founded in its own database.
    const own = sightings.filter(({ pid }) => pid !== other.pid)
    const operations = readLog<Operation>(world.operations)
    const records = await readRecords(world)
    const deliveries = readLog<Delivery>(world.deliveries)
    const now = clockNow(world.clock)
    found.push(...check({ records, sightings: own, operations, deliveries, now }))
    if (found.length === 0) removeWorld(world)
    return found
  },
}

export const COPY_NEMESES = [restored, copied]
