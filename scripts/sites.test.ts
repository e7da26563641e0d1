import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { FILES, withLines } from './sites.ts'

test('every site of strictest and every reader of a chain reads in the same way', () => {
  for (const one of FILES) {
    const source = readFileSync(one.file, 'utf8')
    expect(withLines(source, one)).toBe(source)
  }
})
