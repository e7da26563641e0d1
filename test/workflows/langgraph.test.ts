import { testEngine } from './engine.tests.ts'
import { langgraphFiles } from './langgraph-harness.ts'

testEngine(import.meta.filename, langgraphFiles)
