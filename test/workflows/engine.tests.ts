import path from 'node:path'
import { describe } from 'vitest'
import { promise } from '../support/promise.ts'
import { ENGINES } from './conformance.ts'
import { casesWithout, playCases, playKills, SHARED } from './engines.ts'
import { KILLS, type Kill } from './kills.ts'
import type { EngineHarness } from './world.ts'

/**
 * The tests of one engine: the cases, and with its usual set-up also those with approvals on a
 * server, and the kills. `file` is the test's own; what it leaves out is said in `conformance.ts`,
 * of which the published table is made.
 */
export function testEngine(
  file: string,
  harness: EngineHarness,
  { alsoAs = [] }: { readonly alsoAs?: readonly EngineHarness[] } = {},
): void {
  const facts = ENGINES.find(({ test }) => test === path.basename(file))
  if (!facts) throw new Error(`conformance.ts does not name ${file}`)
  const without = Object.keys(facts.leftOut ?? {})

  for (const one of [harness, ...alsoAs]) {
    describe(one.name, () => {
      const played = playCases(one, { without })
      promise.each(
        [
          'CS-FLOW-1',
          'CS-FLOW-2',
          'CS-FLOW-3',
          'CS-FLOW-5',
          'CS-FORM-1',
          'CF-3',
          'CF-4',
          'CF-5',
          'CF-9',
          'CF-13',
          'CF-14',
        ],
        one.name,
        casesWithout(without),
        (_, workflow) => played(workflow),
      )
    })
  }

  if (facts.overHttp) {
    describe('over HTTP', () => {
      const played = playCases(harness, { over: 'http', without })
      promise.each(
        ['CS-FLOW-1', 'CS-FLOW-2', 'CS-FLOW-3', 'CS-FORM-1', 'CF-3', 'CF-4', 'CF-5'],
        `${harness.name}, with approvals on a server`,
        SHARED.filter(([name]) => !without.includes(name)),
        (_, workflow) => played(workflow),
      )
    })
  }

  describe('killed', () => {
    const played = playKills(harness, KILLS)
    promise.each(
      ['CS-FLOW-1', 'CS-FLOW-4', 'CF-4'],
      `a worker of ${harness.name} dies by kill -9`,
      KILLS.map((kill): [string, Kill] => [kill, kill]),
      (_, kill) => played(kill),
    )
  })
}
