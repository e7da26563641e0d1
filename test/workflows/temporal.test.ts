import { testEngine } from './engine.tests.ts'
import { temporal } from './temporal/harness.ts'

testEngine(import.meta.filename, temporal)
