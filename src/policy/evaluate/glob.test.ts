import fc from 'fast-check'
import { expect, test } from 'vitest'
import { globMatches } from './glob.ts'

test.each([
  ['*', ''],
  ['*', 'anything.at-all'],
  ['**', ''],
  ['pay', 'pay'],
  ['delete_*', 'delete_'],
  ['delete_*', 'delete_user'],
  ['*_user', 'delete_user'],
  ['*e*e*', 'delete'],
  ['a*b*c', 'aXbXbXc'],
  ['*ab', 'aab'],
  ['*aab', 'aaaab'],
  ['a**b', 'ab'],
  ['', ''],
])('%j matches %j', (glob, name) => {
  expect(globMatches(glob, name)).toBe(true)
})

test.each([
  ['pay', 'Pay'],
  ['pay', 'payment'],
  ['pay', 'prepay'],
  ['delete_*', 'undelete_x'],
  ['*_user', 'delete_users'],
  ['a*b', 'a'],
  ['a*a', 'a'],
  ['', 'a'],
  ['a?c', 'abc'],
  ['[ab]', 'a'],
  ['{a,b}', 'a'],
  ['a.c', 'abc'],
  ['.*', 'abc'],
  ['\\*', '*'],
  ['pay', ''],
  ['pay*', ''],
])('%j does not match %j', (glob, name) => {
  expect(globMatches(glob, name)).toBe(false)
})

test('agrees with a regular expression on short names', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 })
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), maxLength: 6 })
  const property = fc.property(pattern, text, (glob, name) => {
    const source = glob.replaceAll('.', '\\.').replaceAll('*', '.*')
    expect(globMatches(glob, name)).toBe(new RegExp(`^${source}$`).test(name))
  })
  fc.assert(property, { numRuns: 2_000 })
})

test('a hostile pattern costs no more than its size', () => {
  const started = performance.now()
  expect(globMatches(`${'*a'.repeat(64)}*b`, 'a'.repeat(20_000))).toBe(false)
  expect(performance.now() - started).toBeLessThan(2_000)
})
