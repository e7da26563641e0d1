import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { FILE, withCases } from './sites.ts'

test('every site of strictest reads in the same way', () => {
  const source = readFileSync(FILE, 'utf8')
  expect(withCases(source)).toBe(source)
})
