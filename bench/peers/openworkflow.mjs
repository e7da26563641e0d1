/** OpenWorkflow on SQLite, its embedded default: a workflow that waits for a signal, then a step. */
import { setTimeout as sleep } from 'node:timers/promises'
import { OpenWorkflow } from 'openworkflow'
import { BackendSqlite } from 'openworkflow/sqlite'
import { ARGS, RESULT } from './args.mjs'

const woken = new Map()

export async function open(folder) {
  const backend = BackendSqlite.connect(`${folder}/cycle.db`)
  const client = new OpenWorkflow({ backend })
  const transfer = client.defineWorkflow({ name: 'transfer' }, async ({ input, step }) => {
    await step.waitForSignal({ name: 'wait', signal: `decided:${input.id}`, timeout: '10m' })
    return step.run({ name: 'transfer' }, async () => {
      woken.get(input.id)?.()
      return RESULT
    })
  })
  const signalled = async (id) => {
    const { workflowRunIds } = await client.sendSignal({ signal: `decided:${id}`, data: true })
    return workflowRunIds.length > 0
  }
  const worker = client.newWorker({ concurrency: 64 })
  await worker.start()
  return {
    async cycle() {
      const id = crypto.randomUUID()
      let at = Number.NaN
      woken.set(id, () => {
        at = performance.now()
      })
      const handle = await transfer.run({ id, ...ARGS })
      const workflowRunId = handle.workflowRun.id
      // A signal that no run waits for is dropped, so it is sent once the run waits.
      let sent = performance.now()
      while (!(await signalled(id))) {
        await sleep(10)
        sent = performance.now()
      }
      // `handle.result()` looks once a second; looking more often is in its favour.
      while ((await backend.getWorkflowRun({ workflowRunId }))?.status !== 'completed') {
        await sleep(10)
      }
      woken.delete(id)
      return { wake: at - sent }
    },
    async close() {
      await worker.stop()
      await backend.stop()
    },
  }
}
