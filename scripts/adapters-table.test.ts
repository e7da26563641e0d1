import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { adaptersPage, adaptersTable, PAGE, withAdapters } from './adapters-table.ts'
import { README } from './promises-table.ts'

const HOW = 'run `npm run adapters`'

// That each case holds is what test/adapters/conformance.test.ts runs; here only what is written.
test('docs/adapters.md says what the cases say', () => {
  expect(readFileSync(PAGE, 'utf8'), HOW).toBe(adaptersPage(() => true))
})

test('the README has the table of adapters, up to date', () => {
  const text = readFileSync(README, 'utf8')
  expect(text, HOW).toBe(
    withAdapters(
      text,
      adaptersTable(() => true),
    ),
  )
})
