import { describe } from 'vitest'
import { promise } from '../support/promise.ts'
import { awsDurable } from './aws-durable-harness.ts'
import { CASES, playCases } from './engines.ts'

/**
 * Left out: starting a finished workflow again by its id, because the emulator has no names of
 * executions; and workers that die by kill -9, because it keeps executions in the worker's memory.
 */
const PLAYED = CASES.filter(([name]) => !name.startsWith('the id of a finished workflow'))

describe(awsDurable.name, () => {
  const played = playCases(awsDurable)
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
