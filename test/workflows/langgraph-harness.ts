import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { wakeUps, withdrawThread } from '../../src/workflows/langgraph/index.ts'
import { threadsIn } from './langgraph-threads.ts'
import type { EngineHarness } from './world.ts'

export const langgraphFiles: EngineHarness = {
  name: 'LangGraph',
  engine: 'langgraph',
  async open(folder) {
    const database = path.join(folder, 'threads')
    mkdirSync(database)
    const threads = threadsIn(database)
    let started = 0
    return {
      database,
      wakeUps: wakeUps((thread) => threads.wake(thread)),
      async start(workflow, input, id) {
        started += 1
        const thread = { id: id ?? `${workflow}/${started}`, workflow, input }
        threads.add(thread)
        return { id: thread.id }
      },
      result: async ({ id }) => threads.result(id),
      // LangGraph knows no cancelling: a thread is not resumed any more.
      async cancel({ id }, gate) {
        await withdrawThread(gate, id)
      },
      async forge({ id }) {
        threads.wake(id, { approved: true })
      },
      // A worker that starts takes over every thread.
      async expireLeases() {},
      async close() {},
    }
  },
}
