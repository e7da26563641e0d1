/** DBOS as its guide has it: a workflow that receives a message, then a step. */
import { DBOS } from '@dbos-inc/dbos-sdk'
import { ARGS, RESULT } from './args.mjs'

const woken = new Map()

export async function open(url) {
  const transfer = DBOS.registerWorkflow(
    async () => {
      const approved = await DBOS.recv('decision', { timeoutSeconds: 600 })
      if (approved !== true) throw new Error('not approved')
      return DBOS.runStep(
        async () => {
          woken.get(DBOS.workflowID)?.()
          return RESULT
        },
        { name: 'transfer' },
      )
    },
    { name: 'transfer' },
  )
  DBOS.setConfig({
    name: 'bench',
    systemDatabaseUrl: url,
    systemDatabasePoolSize: 32,
    runAdminServer: false,
    logLevel: 'error',
  })
  await DBOS.launch()
  return {
    async cycle() {
      const workflowID = crypto.randomUUID()
      let at = Number.NaN
      woken.set(workflowID, () => {
        at = performance.now()
      })
      const handle = await DBOS.startWorkflow(transfer, { workflowID })(ARGS)
      const sent = performance.now()
      await DBOS.send(workflowID, true, 'decision')
      await handle.getResult()
      woken.delete(workflowID)
      return { wake: at - sent }
    },
    close: () => DBOS.shutdown(),
  }
}
