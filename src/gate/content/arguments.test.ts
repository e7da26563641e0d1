import { expect, test } from 'vitest'
import { snapshot } from './arguments.ts'

test('optional arguments that are undefined are left out', () => {
  expect(snapshot({ a: undefined, b: { c: undefined, d: 1 } }).text).toBe('{"b":{"d":1}}')
})

test('arguments that multiply with every level are refused before they are copied out', () => {
  let args: object = { end: 1 }
  for (let level = 0; level < 40; level++) args = { left: args, right: args }
  expect(() => snapshot(args)).toThrow(expect.objectContaining({ code: 'too_large' }))
})
