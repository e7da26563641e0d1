import { describe } from 'vitest'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'
import { CASES, playCases, playKills, SHARED } from './engines.ts'
import { SOME_KILLS } from './kills.ts'
import { openworkflowPostgres, openworkflowSqlite } from './openworkflow-harness.ts'

for (const harness of [openworkflowSqlite, openworkflowPostgres(freshDatabase)]) {
  describe(harness.name, () => {
    const played = playCases(harness)
    promise.each(
      [
        'CS-FLOW-1',
        'CS-FLOW-2',
        'CS-FLOW-3',
        'CS-FLOW-5',
        'CS-FORM-1',
        'CF-3',
        'CF-4',
        'CF-5',
        'CF-9',
        'CF-13',
        'CF-14',
      ],
      harness.name,
      CASES,
      (_, one) => played(one),
    )
  })
}

describe('over HTTP', () => {
  const played = playCases(openworkflowSqlite, { over: 'http' })
  promise.each(
    ['CS-FLOW-1', 'CS-FLOW-2', 'CS-FLOW-3', 'CS-FORM-1', 'CF-3', 'CF-4', 'CF-5'],
    'OpenWorkflow on SQLite, with approvals on a server',
    SHARED,
    (_, one) => played(one),
  )
})

describe('killed', () => {
  const played = playKills(openworkflowSqlite, SOME_KILLS)
  promise.each(
    ['CS-FLOW-1', 'CS-FLOW-4', 'CF-4'],
    'a worker of OpenWorkflow on SQLite dies by kill -9',
    SOME_KILLS.map((kill): [string, typeof kill] => [kill, kill]),
    (_, kill) => played(kill),
  )
})
