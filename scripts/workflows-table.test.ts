import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { lastCase, workflowCases } from '../test/workflows/cases.ts'
import { ENGINES } from '../test/workflows/conformance.ts'
import { root } from './tool.ts'
import { enginesPage, PAGE } from './workflows-table.ts'

// That each case holds is what test/workflows runs; here only what is written.
test('docs/workflow-engines.md says what the cases say', () => {
  expect(readFileSync(PAGE, 'utf8'), 'run `npm run workflows`').toBe(enginesPage())
})

test.each(ENGINES)('the tests of $name run what the page says', ({ test: file, leftOut = {} }) => {
  const text = readFileSync(path.join(root, 'test', 'workflows', file), 'utf8')
  // Which reads from the same facts what to leave out, and whether to run over HTTP.
  expect(text).toMatch(/^testEngine\(import\.meta\.filename, /m)
  const known = [...workflowCases, lastCase].map(({ name }) => name)
  expect(known).toEqual(expect.arrayContaining(Object.keys(leftOut)))
})
