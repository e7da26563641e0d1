import { freshDatabase } from '../support/postgres.ts'
import { dbosPostgres } from './dbos-harness.ts'
import { testEngine } from './engine.tests.ts'

testEngine(import.meta.filename, dbosPostgres(freshDatabase))
