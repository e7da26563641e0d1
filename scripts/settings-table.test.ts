import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PAGE, pageWithTable } from './settings-table.ts'

test('the table of settings in docs/operate/configure.md is up to date', () => {
  const page = readFileSync(PAGE, 'utf8')
  expect(page, 'run `npm run settings`').toBe(pageWithTable(page))
})
