import path from 'node:path'
import type { Json } from '../../src/base/json/json.ts'
import { openStorage, wakesBy } from './cloudflare-worker.ts'
import { MiniWorkflow } from './mini-cloudflare.ts'
import { withdrawAll } from './withdraw-all.ts'
import type { EngineHarness } from './world.ts'

export const cloudflareContract: EngineHarness = {
  name: 'the contract of Cloudflare Workflows',
  engine: 'cloudflare',
  async open(folder) {
    const database = path.join(folder, 'cloudflare.db')
    const storage = openStorage(database)
    const workflow = new MiniWorkflow(storage, 'cases')
    return {
      database,
      wakeUps: wakesBy(storage),
      async start(name, input, id) {
        try {
          const given = id === undefined ? {} : { id }
          return await workflow.create({ ...given, params: { workflow: name, input } })
        } catch (error) {
          if (id === undefined || !/already_exists/.test(String(error))) throw error
          return { id }
        }
      },
      async result({ id }) {
        const { status, output, error } = await (await workflow.get(id)).status()
        if (status === 'complete') return { output: output as Json }
        if (status === 'errored') return { error: JSON.stringify(error) }
        return status === 'terminated' ? { error: 'terminated' } : undefined
      },
      async cancel(started, gate) {
        await (await workflow.get(started.id)).terminate()
        await withdrawAll(gate, 'cloudflare', started)
      },
      async forge({ id }, approval) {
        const instance = await workflow.get(id)
        const payload = { approved: true }
        await instance.sendEvent({ type: `countersign-${approval}`, payload })
        await instance.sendEvent({ type: 'approval', payload })
      },
      async expireLeases() {},
      async close() {
        storage.close()
      },
    }
  },
}
