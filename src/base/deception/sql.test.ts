import { expect, test } from 'vitest'
import { processorTime } from '../../../test/support/processor-time.ts'
import { sqlRemarks } from './remarks.ts'
import { looksLikeSql } from './sql.ts'

test('a statement begins behind comments, spaces and brackets', () => {
  const begins = [
    'select 1',
    ' (\n( Delete from a',
    '-- a\n--b\n/* x **/ drop table a',
    '/**/with a',
  ]
  expect(begins.filter((text) => !looksLikeSql(text))).toEqual([])
  const others = ['', 'selection', '1 select', '-- select', '/* select', '/* a */', 'update1']
  expect(others.filter(looksLikeSql)).toEqual([])
})

test('a text that is made to be hard to read is read in a moment', () => {
  const took = processorTime()
  for (const text of ['/**/'.repeat(250_000), '('.repeat(1_000_000), '/* '.repeat(300_000)]) {
    expect(looksLikeSql(`${text}1`)).toBe(false)
  }
  const [inside] = sqlRemarks('query', `select '${'do\n'.repeat(300_000)}'`)
  expect(inside?.startsWith('Inside a text or a comment: DO in line 1, DO in line 2,')).toBe(true)
  expect(sqlRemarks('query', `select '${'do '.repeat(300_000)}'`)).toEqual([
    'Inside a text or a comment: DO in line 1. Databases differ in where those end.',
  ])
  expect(took()).toBeLessThan(5_000)
}, 60_000)
