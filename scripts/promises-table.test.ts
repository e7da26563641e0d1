import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PROMISES } from '../promises/all.ts'
import { PAGE, promisesPage, README, readmeTable, withTable } from './promises-table.ts'

const HOW = 'run `node scripts/run.mjs scripts/promises-table.ts`'

test('docs/promises.md is up to date', () => {
  expect(existsSync(PAGE) && readFileSync(PAGE, 'utf8'), HOW).toBe(promisesPage())
})

test('a README has the table, up to date', () => {
  const text = existsSync(README) ? readFileSync(README, 'utf8') : undefined
  expect(text, HOW).toBe(text && withTable(text, readmeTable()))
})

test('every promise stands on the page once', () => {
  const page = promisesPage()
  const rows = Object.keys(PROMISES).map((id) => page.split(`\n| ${id} |`).length - 1)
  expect(rows.filter((count) => count !== 1)).toEqual([])
})

test('the README shows a handful of promises, and how many there are', () => {
  const table = readmeTable()
  const rows = table.split('\n').filter((line) => /\| (?:AF|AT|SP|CS)/.test(line))
  expect(rows.length).toBeGreaterThan(4)
  expect(rows.length).toBeLessThanOrEqual(20)
  expect(table).toContain(`All ${Object.keys(PROMISES).length} promises`)
})

test('the table goes between its markers and nowhere else', () => {
  const before = 'a\n<!-- promises -->\nold\n<!-- /promises -->\nz\n'
  const after = 'a\n<!-- promises -->\nnew $& `x`\n<!-- /promises -->\nz\n'
  expect(withTable(before, 'new $& `x`')).toBe(after)
  expect(withTable(after, 'new $& `x`')).toBe(after)
  expect(withTable('no markers', 'new')).toBeUndefined()
  expect(withTable('<!-- /promises --> <!-- promises -->', 'new')).toBeUndefined()
})
