import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PROMISES } from '../promises/all.ts'
import { AISVS } from '../promises/compliance/aisvs.ts'
import { isMet } from '../promises/compliance/requirement.ts'
import { compliancePage, PAGE, STANDARDS } from './compliance-table.ts'

test('docs/compliance.md is up to date', () => {
  expect(existsSync(PAGE) && readFileSync(PAGE, 'utf8'), 'run `npm run compliance`').toBe(
    compliancePage(),
  )
})

test('each line is met by promises that exist, or says why it is not', () => {
  const lines = STANDARDS.flatMap(({ requirements }) => Object.entries(requirements))
  for (const [id, line] of lines) {
    expect(line.asks, id).toMatch(/^[A-Z].*\.$/)
    if (isMet(line)) {
      expect(
        line.by.filter((one) => !Object.hasOwn(PROMISES, one)),
        id,
      ).toEqual([])
      expect(new Set(line.by).size, id).toBe(line.by.length)
    } else expect(line.reason, id).toMatch(/^[A-Z].*\.$/)
  }
})

test('every line of AISVS C9.2 is there', () => {
  const lines = Object.keys(AISVS.requirements).filter((id) => id.startsWith('9.2.'))
  expect(lines).toEqual(['9.2.1', '9.2.2', '9.2.3', '9.2.4', '9.2.5', '9.2.6'])
})
