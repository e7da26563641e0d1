/** Asks, begins to tell, and is killed on the way: at the crash point it is given. */

import { appendFileSync } from 'node:fs'
import { createTestGate } from '../../../src/gate/gate.ts'
import { internals } from '../../../src/gate/internals.ts'
import { parsePolicy } from '../../../src/policy/load/parse-policy.ts'
import { openSqlite } from '../../../src/store/sqlite/open-store.ts'

const [database = '', told = '', point = ''] = process.argv.slice(2)

const gate = createTestGate({
  policy: parsePolicy({
    owner: { file: 'countersign.yaml', text: 'version: 1\ntools: { pay: { approval: true } }\n' },
  }),
  store: await openSqlite(database),
  agent: 'biller',
  channels: [
    {
      name: 'ears',
      async send({ id }) {
        appendFileSync(told, `${id}\n`)
      },
    },
  ],
  probe: (reached) => {
    if (reached === point) process.kill(process.pid, 'SIGKILL')
  },
})
await gate.check({ tool: 'pay', args: { amount: 5 } })
await gate[internals].idle()
