import { describe } from 'vitest'
import { promise } from '../support/promise.ts'
import { CASES, playCases, playKills, SHARED } from './engines.ts'
import { inngestExecutor } from './inngest-harness.ts'
import { type Kill, SOME_KILLS } from './kills.ts'

const harness = inngestExecutor()

for (const one of [harness, inngestExecutor({ checkpointing: false })]) {
  describe(one.name, () => {
    const played = playCases(one)
    promise.each(
      [
        'CS-FLOW-1',
        'CS-FLOW-2',
        'CS-FLOW-3',
        'CS-FLOW-5',
        'CF-3',
        'CF-4',
        'CF-5',
        'CF-9',
        'CF-13',
        'CF-14',
      ],
      one.name,
      CASES,
      (_, workflow) => played(workflow),
    )
  })
}

describe('over HTTP', () => {
  const played = playCases(harness, { over: 'http' })
  promise.each(
    ['CS-FLOW-1', 'CS-FLOW-2', 'CS-FLOW-3', 'CF-3', 'CF-4', 'CF-5'],
    'Inngest, with approvals on a server',
    SHARED,
    (_, one) => played(one),
  )
})

describe('killed', () => {
  const played = playKills(harness, SOME_KILLS)
  promise.each(
    ['CS-FLOW-1', 'CS-FLOW-4', 'CF-4'],
    'a worker of Inngest dies by kill -9',
    SOME_KILLS.map((kill): [string, Kill] => [kill, kill]),
    (_, kill) => played(kill),
  )
})
