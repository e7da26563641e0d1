import { Command, entrypoint, task } from '@langchain/langgraph'
import { settleThread } from '../../src/adapters/langchain/settle-thread.ts'
import type { Json, JsonObject } from '../../src/base/json/json.ts'
import { startSweeper } from '../../src/gate/background/sweep.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import {
  guardStep,
  requireApproval,
  waitForApproval,
  wakeUps as wakeUpsOf,
} from '../../src/workflows/langgraph/index.ts'
import { FileSaver } from '../support/langgraph/file-saver.ts'
import { type Thread, threadsIn } from './langgraph-threads.ts'
import type { WorkerParts } from './worker.ts'
import type { WorkerConfig } from './worker-config.ts'

export async function wakeUps({ engineDatabase }: WorkerConfig) {
  const threads = threadsIn(engineDatabase)
  return wakeUpsOf((thread) => threads.wake(thread))
}

const LOOK_MS = 25
const SWEEP_MS = 500

/** LangGraph has no queue of its own: this one starts threads, and resumes those that are woken. */
export async function work({ config, gate, tools, bodies }: WorkerParts): Promise<void> {
  const threads = threadsIn(config.engineDatabase)
  const pay = guardStep(gate, tools.pay)
  const breaks = guardStep(gate, tools.break)

  function graphOf({ id, workflow }: Thread) {
    const body = bodies[workflow]
    if (!body) throw new Error(`there is no workflow ${workflow}`)
    const checkpointer = new FileSaver(threads.checkpoints(id))
    return entrypoint({ name: workflow, checkpointer }, async (input: JsonObject) => {
      const done = await body({
        input,
        step: (name, doing) => task(name, doing)() as ReturnType<typeof doing>,
        waitForApproval: (request) => waitForApproval(gate, request),
        requireApproval: (request) => requireApproval(gate, request),
        pay,
        break: breaks,
        both: ([one, other]) => Promise.all([one(), other()]),
      })
      return { done: done as Json }
    })
  }

  async function serve(thread: Thread): Promise<void> {
    const { id, input } = thread
    const run = { configurable: { thread_id: id }, durability: 'sync' as const }
    const isPaused = async () => {
      const { tasks } = await graphOf(thread).getState(run)
      return tasks.some(({ interrupts }) => interrupts.length > 0)
    }
    try {
      const isNew = (await new FileSaver(threads.checkpoints(id)).getTuple(run)) === undefined
      // What a worker left in the middle goes on without an input.
      let said: unknown
      if (isNew) said = await graphOf(thread).invoke(input, run)
      else if (!(await isPaused())) said = await graphOf(thread).invoke(null, run)
      while (said === undefined || (await isPaused())) {
        const wake = threads.nextWake(id)
        if (!wake) {
          await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
          continue
        }
        const graph = graphOf(thread)
        const command =
          'value' in wake
            ? new Command({ resume: wake.value })
            : (await settleThread(graph, run)).command
        said = await graph.invoke(command, run)
        wake.done()
      }
      threads.end(id, { output: (said as { readonly done: Json }).done })
    } catch (error) {
      threads.end(id, { error: String(error) })
    }
  }

  // No server runs on this database, and LangGraph has no timer: so this process sees to the time.
  startSweeper({ store: await openSqlite(config.gateDatabase), every: SWEEP_MS })
  const served = new Set<string>()
  setInterval(() => {
    for (const thread of threads.all()) {
      if (served.has(thread.id) || threads.result(thread.id)) continue
      served.add(thread.id)
      void serve(thread)
    }
  }, LOOK_MS)
}
