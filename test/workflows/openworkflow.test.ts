import { freshDatabase } from '../support/postgres.ts'
import { testEngine } from './engine.tests.ts'
import { openworkflowPostgres, openworkflowSqlite } from './openworkflow-harness.ts'

testEngine(import.meta.filename, openworkflowSqlite, {
  alsoAs: [openworkflowPostgres(freshDatabase)],
})
