import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { userForPostgres } from '../../test/support/postgres-binaries.ts'
import { query } from '../workload/query.ts'
import { newFolder, newWorld } from '../workload/world.ts'
import {
  begin,
  finishes,
  type Nemesis,
  type Scene,
  serverOf,
  settleAndCheck,
  worldOf,
} from './episode.ts'

/** A real small disk, where this is permitted. */
function mountSmall(folder: string, megabytes: number): boolean {
  mkdirSync(folder, { recursive: true })
  const user = userForPostgres()
  const owner = user ? `,uid=${user.uid},gid=${user.gid}` : ''
  const options = `size=${megabytes}m,mode=0777${owner}`
  return spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]).status === 0
}

/** Writes until nothing more fits. Returns how to make room again. */
function fill(folder: string): () => void {
  const file = path.join(folder, 'filler')
  const descriptor = openSync(file, 'w')
  const block = Buffer.alloc(64 * 1024)
  try {
    for (;;) writeSync(descriptor, block)
  } catch {
    // Full, as wanted.
  }
  closeSync(descriptor)
  return () => rmSync(file, { force: true })
}

const fullFile: Nemesis = {
  name: 'disk full',
  stores: ['sqlite'],
  async run(scene) {
    const folder = newFolder()
    const disk = path.join(folder, 'disk')
    if (!mountSmall(disk, 6)) return limitedFile(scene)
    scene.note('a full tmpfs')
    try {
      const database = path.join(disk, 'approvals.db')
      const head = path.join(folder, 'head.json')
      const world = newWorld(scene.seed, { store: 'sqlite', database, head }, folder)
      const worker = await begin(world, { cycle: 0, calls: 10 })
      worker.go()
      await sleep(scene.random.below(80))
      const makeRoom = fill(disk)
      await sleep(300)
      makeRoom()
      return await settleAndCheck(world, await finishes(worker), { keeps: true })
    } finally {
      spawnSync('umount', ['-l', disk])
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

/** Where nothing may be mounted: files of this process can only grow so far. */
async function limitedFile(scene: Scene) {
  scene.note('a limit on the size of files')
  const world = await worldOf(scene)
  const first = await begin(world, { cycle: 0, calls: 2 })
  first.go()
  const began = await finishes(first)
  const limit = ['sh', '-c', 'trap "" XFSZ; ulimit -f 400; exec "$@"', 'sh']
  const worker = await begin(world, { cycle: 1, calls: 30, command: limit })
  worker.go()
  await sleep(1_500)
  await worker.kill()
  scene.killed()
  return settleAndCheck(world, began)
}

const fullTablespace: Nemesis = {
  name: 'disk full',
  stores: ['postgres'],
  async run(scene) {
    const server = serverOf(scene)
    const name = `small_${process.pid}_${Math.round(performance.now())}`
    const disk = path.join(server.folder, name)
    if (!mountSmall(disk, 16)) throw new Error('a small disk cannot be mounted here')
    scene.note('a tablespace on a full tmpfs')
    try {
      await query(server.url, [`create tablespace ${name} location '${disk}'`])
      const folder = newFolder()
      const database = await server.newDatabase(name)
      const head = path.join(folder, 'head.json')
      const world = newWorld(scene.seed, { store: 'postgres', database, head }, folder)
      const worker = await begin(world, { cycle: 0, calls: 10 })
      worker.go()
      await sleep(scene.random.below(80))
      const makeRoom = fill(disk)
      await sleep(300)
      makeRoom()
      const found = await settleAndCheck(world, await finishes(worker))
      await query(server.url, [
        `drop database ${new URL(database).pathname.slice(1)} with (force)`,
        `drop tablespace ${name}`,
      ])
      return found
    } finally {
      spawnSync('umount', ['-l', disk])
    }
  },
}

export const DISK_NEMESES = [fullFile, fullTablespace]
