import { setTimeout as sleep } from 'node:timers/promises'
import { query } from '../workload/query.ts'
import type { World } from '../workload/world.ts'
import { type CommitFault, faultProxy } from './commit-proxy.ts'
import { begin, finishes, type Nemesis, serverOf, settleAndCheck, worldOf } from './episode.ts'

/** The server crashes and recovers under a process that goes on. */
const restart: Nemesis = {
  name: 'server crash',
  stores: ['postgres'],
  async run(scene) {
    const server = serverOf(scene)
    const world = await worldOf(scene)
    const worker = await begin(world, { cycle: 0, calls: 12 })
    worker.go()
    await sleep(scene.random.below(150))
    await server.crash()
    await sleep(scene.random.below(200))
    await server.start()
    return settleAndCheck(world, await finishes(worker))
  },
}

/** The server and the process die together. */
const both: Nemesis = {
  name: 'server crash and kill',
  stores: ['postgres'],
  async run(scene) {
    const server = serverOf(scene)
    const world = await worldOf(scene)
    const worker = await begin(world, { cycle: 0, calls: 12 })
    worker.go()
    await sleep(scene.random.below(150))
    await Promise.all([server.crash(), worker.kill()])
    scene.killed()
    await server.start()
    return settleAndCheck(world)
  },
}

const FAULTS: readonly [CommitFault, ...CommitFault[]] = ['lose', 'deafen', 'cut']

/** COMMIT was sent and nobody hears what became of it. */
const cut: Nemesis = {
  name: 'connection cut at COMMIT',
  stores: ['postgres'],
  async run(scene) {
    const { random } = scene
    const direct = await worldOf(scene)
    const proxy = await faultProxy({ host: '127.0.0.1', port: serverOf(scene).port })
    const through = new URL(direct.database)
    through.port = String(proxy.port)
    const world: World = { ...direct, database: through.href, direct: direct.database }
    const worker = await begin(world, { cycle: 0, calls: 10 })
    worker.go()
    const faults = new Set<CommitFault>()
    for (let count = 0; count < 6 && !worker.heard('done'); count += 1) {
      const fault = random.pick(FAULTS)
      const before = proxy.broken
      proxy.breakCommit(fault, random.below(4))
      for (let wait = 0; wait < 30 && proxy.broken === before; wait += 1) await sleep(10)
      if (proxy.broken > before) faults.add(fault)
    }
    proxy.breakCommit('cut', 1_000_000)
    scene.note(`${proxy.broken} commits broken (${[...faults].join(', ')})`)
    const found = await finishes(worker)
    await proxy.close()
    return settleAndCheck(world, found)
  },
}

/** Single connections are ended by the server, again and again. */
const backends: Nemesis = {
  name: 'backends killed',
  stores: ['postgres'],
  async run(scene) {
    const world = await worldOf(scene)
    const worker = await begin(world, { cycle: 0, calls: 10 })
    worker.go()
    for (let count = 0; count < 5; count += 1) {
      await sleep(scene.random.below(60))
      await query(world.database, [
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'countersign' and datname = current_database()`,
      ])
    }
    return settleAndCheck(world, await finishes(worker))
  },
}

export const SERVER_NEMESES = [restart, both, cut, backends]
