import { onTestFinished } from 'vitest'
import { adapterCases } from '../../src/testing/adapter-cases.ts'
import { promise } from '../support/promise.ts'
import { HARNESSES } from './harnesses.ts'
import { WORLDS } from './worlds.ts'

const ORDER = adapterCases.find(({ needs }) => needs === 'ordered')

promise.each(
  ['SP-39'],
  'the model reads the outcomes of one turn in the order of its calls',
  HARNESSES.filter(({ supports }) => supports.ordered).flatMap((harness) =>
    Object.entries(WORLDS).map(([where, open]): [string, typeof harness, typeof open] => [
      `${harness.name}, ${where}`,
      harness,
      open,
    ]),
  ),
  async (_, harness, open) => {
    const world = await open()
    onTestFinished(() => world.close())
    if (!ORDER) throw new Error('no case looks at the order')
    await ORDER.run(harness, world)
  },
)

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
