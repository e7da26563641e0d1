import { expect, test } from 'vitest'
import { decoded } from './decoded.ts'

test('an address that was cut off is read as it is, and breaks no page', () => {
  expect(['a%3Db', '%', 'x%4', '%zz'].map(decoded)).toEqual(['a=b', '%', 'x%4', '%zz'])
})
