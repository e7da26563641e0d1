/** Runs one call that a grant covers, and is killed on the way: at the crash point it is given. */
import { appendFileSync } from 'node:fs'
import { createTestGate } from '../../../src/gate/gate.ts'
import { parsePolicy } from '../../../src/policy/load/parse-policy.ts'
import { sqliteStore } from '../../../src/store/sqlite/index.ts'

const [database = '', witness = '', point = ''] = process.argv.slice(2)

function dieAt(reached: string): void {
  if (reached === point) process.kill(process.pid, 'SIGKILL')
}

const gate = createTestGate({
  policy: parsePolicy({
    owner: { file: 'countersign.yaml', text: 'version: 1\ntools: { pay: { approval: true } }\n' },
  }),
  store: await sqliteStore(database, {
    // Inside the transaction, before it is committed.
    probe: (reached, commands) => {
      if (commands.some((one) => one.type === 'request' && one.grant)) dieAt(reached)
    },
  }),
  agent: 'biller',
  run: 'chat-1',
  probe: dieAt,
})
await gate.run({ tool: 'pay', key: 'k2', args: { amount: 40 } }, async () => {
  appendFileSync(witness, 'ran\n')
  dieAt('in the tool')
})
