import { describe } from 'vitest'
import { promise } from '../support/promise.ts'
import { CASES, playCases, playKills, SHARED } from './engines.ts'
import { type Kill, SOME_KILLS } from './kills.ts'
import { restate } from './restate-harness.ts'

describe(restate.name, () => {
  const played = playCases(restate)
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
    restate.name,
    CASES,
    (_, one) => played(one),
  )
})

describe('over HTTP', () => {
  const played = playCases(restate, { over: 'http' })
  promise.each(
    ['CS-FLOW-1', 'CS-FLOW-2', 'CS-FLOW-3', 'CS-FLOW-5'],
    'Restate, with approvals on a server',
    SHARED,
    (_, one) => played(one),
  )
})

describe('killed', () => {
  const played = playKills(restate, SOME_KILLS)
  promise.each(
    ['CS-FLOW-1', 'CS-FLOW-4', 'CF-4'],
    'a worker of Restate dies by kill -9',
    SOME_KILLS.map((kill): [string, Kill] => [kill, kill]),
    (_, kill) => played(kill),
  )
})
