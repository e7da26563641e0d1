import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { THREAT_SECTIONS } from '../promises/threats/all.ts'
import { PRIOR_ART } from '../promises/threats/prior-art.ts'
import { countsOf, PAGE, threatsPage } from './threats-table.ts'

test('docs/threats.md is up to date', () => {
  expect(existsSync(PAGE) && readFileSync(PAGE, 'utf8'), 'run `npm run threats`').toBe(
    threatsPage(),
  )
})

test('every threat and every bug stands on the page in a row of its own', () => {
  const page = threatsPage()
  const [, tables = ''] = page.split('\n## B1. ')
  const ids = [
    ...THREAT_SECTIONS.flatMap(({ threats }) => Object.keys(threats)),
    ...Object.keys(PRIOR_ART),
  ]
  const rows = ids.map((id) => tables.split(`\n| ${id} |`).length - 1)
  expect(ids.filter((_, index) => rows[index] !== 1)).toEqual([])
})

test('each is counted once', () => {
  const tests = { 'a.test.ts': ['one'] } as const
  const { all, ...parts } = countsOf([
    ['a', { threat: 'A.', tests }],
    ['b', { threat: 'B.', tests, partly: 'Half.' }],
    ['e', { threat: 'E.', tests, limit: 'Nothing prevents it.' }],
    ['c', { threat: 'C.', reason: 'Not offered.' }],
    ['d', { threat: 'D.', reason: 'No test yet: nobody wrote it.' }],
  ])
  expect(parts).toEqual({ tested: 1, partly: 1, limits: 1, reasons: 1, gaps: 1 })
  expect(all).toBe(5)
})
