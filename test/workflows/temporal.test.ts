import { describe } from 'vitest'
import { promise } from '../support/promise.ts'
import { CASES, playCases, playKills } from './engines.ts'
import { type Kill, SOME_KILLS } from './kills.ts'
import { temporal } from './temporal/harness.ts'

describe(temporal.name, () => {
  const played = playCases(temporal)
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
    temporal.name,
    CASES,
    (_, one) => played(one),
  )
})

describe('killed', () => {
  const played = playKills(temporal, SOME_KILLS)
  promise.each(
    ['CS-FLOW-1', 'CS-FLOW-4', 'CF-4'],
    'a worker of Temporal dies by kill -9',
    SOME_KILLS.map((kill): [string, Kill] => [kill, kill]),
    (_, kill) => played(kill),
  )
})
