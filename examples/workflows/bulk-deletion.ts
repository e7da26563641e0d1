/**
 * DBOS on Postgres: a clean-up that deletes accounts in bulk. The tool itself is the step that asks,
 * with a reason required, and it runs at most once. Needs an empty database: DATABASE_URL.
 */
import assert from 'node:assert/strict'
import { DBOS } from '@dbos-inc/dbos-sdk'
import { createGate, definePolicy } from 'countersign'
import { guardStep, wakeUps } from 'countersign/dbos'
import { postgresStore } from 'countersign/postgres'
import { answer } from './people.ts'

const url = process.env.DATABASE_URL
if (!url) throw new Error('set DATABASE_URL to an empty Postgres database')

const store = postgresStore(url)
const gate = createGate({
  policy: definePolicy({
    tools: { delete_accounts: { risk: 'L4', approval: { reason: 'required_always' } } },
  }),
  store,
  agent: 'janitor',
  channels: [wakeUps(DBOS)],
})

const deleted: string[] = []
const deleteAccounts = guardStep(gate, {
  name: 'delete_accounts',
  run({ ids }: { ids: string[] }) {
    deleted.push(...ids)
    return ids.length
  },
})

const cleanUp = DBOS.registerWorkflow(
  async () => {
    const ids = await DBOS.runStep(async () => ['a1', 'a2', 'a3'], { name: 'find idle accounts' })
    return deleteAccounts({ ids }, { says: `${ids.length} accounts, idle for two years` })
  },
  { name: 'clean-up' },
)

DBOS.setConfig({ name: 'janitor', systemDatabaseUrl: url, runAdminServer: false, logLevel: 'error' })
await DBOS.launch()
const run = await DBOS.startWorkflow(cleanUp)()

// Risk L4 and `required_always`: a yes without a reason is refused, and nothing is deleted.
await assert.rejects(answer(gate, 'ana', 'delete_accounts', { verdict: 'approve' }))
assert.deepEqual(deleted, [])
await answer(gate, 'ana', 'delete_accounts', { verdict: 'approve', reason: 'Asked for by legal' })

assert.equal(await run.getResult(), 3)
assert.deepEqual(deleted, ['a1', 'a2', 'a3'])
await DBOS.shutdown()
await gate.close()
await store.close()
console.log('Deleted 3 accounts, once.')
