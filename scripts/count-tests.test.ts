import { expect, test } from 'vitest'
import { countTests } from './count-tests.ts'

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((it) => ({ status: it })),
})
const report = (...testResults: unknown[]) => ({ testResults })

test.each([
  ['all passed', report(file('passed', 'passed', 'passed')), 0, 2, 0],
  ['one failed', report(file('failed', 'passed', 'failed')), 1, 1, 1],
  ['a file that does not load', report(file('passed', 'passed'), file('failed')), 1, 1, 1],
  ['a hook that fails after its tests', report(file('failed', 'passed')), 1, 1, 1],
  ['an error outside any test', report(file('passed', 'passed')), 1, 1, 1],
  ['no test at all', report(), 0, 0, 1],
  ['skipped tests only', report(file('passed', 'skipped', 'todo')), 0, 0, 1],
  ['no report', undefined, 1, 0, 1],
  ['a report of another shape', { testResults: 'none' }, 0, 0, 1],
])('%s', (_, given, exitCode, passed, failed) => {
  expect(countTests(given, exitCode)).toMatchObject({ passed, failed })
})
