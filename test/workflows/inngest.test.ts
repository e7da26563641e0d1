import { testEngine } from './engine.tests.ts'
import { inngestExecutor } from './inngest-harness.ts'

testEngine(import.meta.filename, inngestExecutor(), {
  alsoAs: [inngestExecutor({ checkpointing: false })],
})
