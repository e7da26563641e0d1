import { awsDurable } from './aws-durable-harness.ts'
import { testEngine } from './engine.tests.ts'

testEngine(import.meta.filename, awsDurable)
