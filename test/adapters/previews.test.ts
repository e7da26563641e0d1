import { expect, onTestFinished, vi } from 'vitest'
import { call, play, say, through, turn } from '../../src/testing/adapter-play.ts'
import { promise } from '../support/promise.ts'
import { HARNESSES } from './harnesses.ts'
import { plainHarness } from './plain-harness.ts'
import { inProcess } from './worlds.ts'

/** Those whose tools are declared with the SDK and run in the program that guards them. */
const GUARDING = HARNESSES.filter((one) => !one.isOwnProgram && one !== plainHarness)

promise.each(
  ['CS-PREVIEW-1', 'CS-PREVIEW-2'],
  'an adapter previews the calls that people are asked about, once',
  GUARDING.map((harness): [string, typeof harness] => [harness.name, harness]),
  async (_name, harness) => {
    const world = await inProcess()
    onTestFinished(() => world.close())
    const preview = vi.fn(({ amount }) => `pays ${String(amount)}`)
    const played = play(harness, world, turn(call('c1', 'pay', 5), call('c2', 'read', 1)), {
      previews: { pay: preview, read: preview },
    })
    const end = await through(harness, world, played, 1, async ([one]) => {
      const shown = await world.approvals.get(one?.id ?? '')
      expect(shown?.question?.preview).toEqual({ preview: { summary: 'pays 5' } })
      await say(world, one, 'approve')
    })
    expect(end.status).toBe('done')
    expect(preview).toHaveBeenCalledTimes(1)
  },
)
