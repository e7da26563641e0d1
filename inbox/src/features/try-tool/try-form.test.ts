import { expect, test } from 'vitest'
import { fillForm, tryFields } from './try-form.ts'

const SCHEMA = {
  type: 'object',
  properties: {
    memo: { type: 'string' },
    to: { type: 'string' },
    amount: { type: 'number', maximum: 100 },
    urgent: { type: 'boolean', default: false },
    tags: { type: 'array' },
  },
  required: ['to', 'amount'],
}

test('what is required comes first, and defaults are filled in', () => {
  const fields = tryFields(SCHEMA) ?? []
  expect(fields.map(({ name, start }) => [name, start])).toEqual([
    ['to', ''],
    ['amount', ''],
    ['memo', ''],
    ['urgent', 'false'],
    ['tags', ''],
  ])
  expect(fields.map(({ field }) => field.kind)).toEqual([
    'text',
    'number',
    'text',
    'choice',
    'json',
  ])
})

test('what is empty is left out, and what is wrong is said', () => {
  const fields = tryFields(SCHEMA) ?? []
  expect(fillForm(fields, { to: 'Lena', amount: '5', tags: '["a"]' })).toEqual({
    arguments: { to: 'Lena', amount: 5, urgent: false, tags: ['a'] },
    wrong: {},
  })
  expect(fillForm(fields, { amount: '500', tags: '[' }).wrong).toEqual({
    amount: 'At most 100.',
    tags: 'This is not JSON.',
  })
  expect(fillForm(fields, {}).wrong).toEqual({ amount: 'This one is needed.' })
})

test('a schema that names nothing makes no form', () => {
  expect(tryFields({ type: 'object' })).toBeUndefined()
  expect(tryFields(undefined)).toBeUndefined()
})
