import { DatabaseSync } from 'node:sqlite'
import type { Json, JsonObject } from '../../src/base/json/json.ts'
import { type Channel, NotDelivered } from '../../src/gate/notify/channel.ts'
import {
  guardStep,
  requireApproval,
  waitForApproval,
  wake,
} from '../../src/workflows/cloudflare/index.ts'
import { signed } from './cloudflare-signed.ts'
import { type KeyValues, MiniWorkflow } from './mini-cloudflare.ts'
import type { WorkerParts } from './worker.ts'
import type { WorkerConfig } from './worker-config.ts'

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

export function openStorage(file: string): KeyValues & { close(): void } {
  const db = new DatabaseSync(file)
  db.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = wal')
  db.exec('create table if not exists kept (key text primary key, value text) strict')
  const get = db.prepare('select value from kept where key = ?')
  const put = db.prepare('insert or replace into kept values (?, ?)')
  const drop = db.prepare('delete from kept where key = ?')
  const list = db.prepare('select key from kept where substr(key, 1, ?) = ? order by key')
  return {
    get(key) {
      const row = get.get(key)
      return row === undefined ? undefined : (JSON.parse(String(row.value)) as Json)
    },
    put: (key, value) => void put.run(key, JSON.stringify(value)),
    delete: (key) => void drop.run(key),
    keys: (prefix) => list.all(prefix.length, prefix).map(({ key }) => String(key)),
    close: () => db.close(),
  }
}

/** As a server's webhook does it: signed, and with its answer taken for what it says. */
export function wakesBy(storage: KeyValues): Channel {
  const workflows = [new MiniWorkflow(storage, 'cases')]
  return {
    name: 'cloudflare',
    async send(notice) {
      const { status } = await wake(signed(notice, SECRET), { secret: SECRET, workflows })
      if (status !== 204) throw new NotDelivered(`it answered ${status}`)
    },
  }
}

export async function wakeUps({ engineDatabase }: WorkerConfig): Promise<Channel> {
  return wakesBy(openStorage(engineDatabase))
}

export async function work({ config, gate, tools, bodies }: WorkerParts): Promise<void> {
  const workflow = new MiniWorkflow(openStorage(config.engineDatabase), 'cases')
  const pay = guardStep(gate, tools.pay)
  const breaks = guardStep(gate, tools.break)
  setInterval(() => {
    workflow.work(async (event, step) => {
      const { workflow: name, input } = event.payload as { workflow: string; input: JsonObject }
      const own = { event, step }
      return bodies[name]?.({
        input,
        step: (label, doing) => step.do(label, doing),
        waitForApproval: (request) => waitForApproval(own, gate, request),
        requireApproval: (request) => requireApproval(own, gate, request),
        pay: (args, options) => pay(own, args, options),
        break: (args) => breaks(own, args),
        both: ([one, other]) => Promise.all([one(), other()]),
      })
    })
  }, 20)
}
