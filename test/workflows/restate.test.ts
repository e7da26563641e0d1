import { testEngine } from './engine.tests.ts'
import { restate } from './restate-harness.ts'

testEngine(import.meta.filename, restate)
