import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addDecimal, isAmount, isAtMost, leftOf } from './decimal.ts'

test('amounts add up as people add them', () => {
  expect(addDecimal(addDecimal('0.1', 0.2), 0)).toBe('0.3')
  expect(addDecimal('9007199254740991', 0.25)).toBe('9007199254740991.25')
  expect(addDecimal('0', 1e21)).toBe(`1${'0'.repeat(21)}`)
  expect(addDecimal('1', 5e-7)).toBe('1.0000005')
  expect(leftOf(400, '399.5')).toBe('0.5')
  expect(leftOf(1, '2')).toBe('0')
})

test('a sum is within its bound or not, to the last digit', () => {
  expect(isAtMost('0.3', 0.3)).toBe(true)
  expect(isAtMost('0.30000000000000000001', 0.3)).toBe(false)
  expect(isAtMost('9007199254740991.25', 9007199254740991)).toBe(false)
})

test('what is no amount is never spent', () => {
  const strange = [Number.NaN, Number.POSITIVE_INFINITY, -1, -1e-300, '5', null, undefined, 5n]
  expect(strange.filter(isAmount)).toEqual([])
  expect([0, -0, 5, 5e-324].every(isAmount)).toBe(true)
})

test('adding never loses an amount, however small', () => {
  const amount = fc.double({ min: 0, max: 1e15, noNaN: true })
  fc.assert(
    fc.property(
      fc.array(amount, { maxLength: 20 }),
      fc.double({ min: 5e-324, max: 1, noNaN: true }),
      (list, more) => {
        const sum = list.reduce(addDecimal, '0')
        expect(addDecimal(sum, more)).not.toBe(sum)
      },
    ),
  )
})
