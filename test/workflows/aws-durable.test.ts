import { describe } from 'vitest'
import { promise } from '../support/promise.ts'
import { awsDurable } from './aws-durable-harness.ts'
import { casesWithout, playCases, playKills } from './engines.ts'
import { type Kill, SOME_KILLS } from './kills.ts'

/** Left out: the emulator has no names of executions, so none can be started again by its name. */
const WITHOUT = ['the id of a finished workflow, started again, asks and runs nothing again']
const PLAYED = casesWithout(WITHOUT)

describe(awsDurable.name, () => {
  const played = playCases(awsDurable, { without: WITHOUT })
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
    awsDurable.name,
    PLAYED,
    (_, one) => played(one),
  )
})

describe('killed', () => {
  const played = playKills(awsDurable, SOME_KILLS)
  promise.each(
    ['CS-FLOW-1', 'CS-FLOW-4', 'CF-4'],
    'a function of AWS Lambda dies by kill -9',
    SOME_KILLS.map((kill): [string, Kill] => [kill, kill]),
    (_, kill) => played(kill),
  )
})
