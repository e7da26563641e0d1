import { onTestFinished } from 'vitest'
import { adapterCases } from '../../src/testing/adapter-cases.ts'
import { promise } from '../support/promise.ts'
import { HARNESSES } from './harnesses.ts'
import { WORLDS } from './worlds.ts'

for (const harness of HARNESSES) {
  for (const [where, open] of Object.entries(WORLDS)) {
    promise.each(
      ['CS-SDK-1', 'CS-SDK-2', 'CS-SDK-3', 'CS-SDK-4'],
      `${harness.name}, ${where}`,
      adapterCases.map((one): [string, typeof one] => [one.name, one]),
      async (_name, { run }) => {
        const world = await open()
        onTestFinished(() => world.close())
        await run(harness, world)
      },
    )
  }
}
