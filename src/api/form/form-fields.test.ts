import { expect, test } from 'vitest'
import { fillForm, typedFrom, withAt } from './form-answers.ts'
import { formFields } from './form-fields.ts'

const FORM = {
  type: 'object',
  required: ['amount', 'account', 'ship', 'missing', 'agreed'],
  properties: {
    note: { type: 'string', maxLength: 500, description: 'For the books' },
    amount: { type: 'integer', title: 'Amount', minimum: 1, maximum: 500, default: 20 },
    account: {
      oneOf: [
        { const: 'a', title: 'Main account' },
        { const: 'b', title: 'Savings' },
      ],
    },
    agreed: { type: 'boolean' },
    tags: { type: 'array', items: { enum: ['x', 'y', 'z'] }, minItems: 1 },
    ship: { type: 'object', required: ['city'], properties: { city: { $ref: '#/$defs/city' } } },
    deep: { type: 'object', properties: { in: { type: 'object', properties: { a: {} } } } },
    pin: { type: 'string', 'x-secret': true },
    maybe: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    any: {},
  },
  $defs: { city: { type: 'string', title: 'City' } },
}

const name = (...keys: string[]) => JSON.stringify(keys)

test('every part of a form has a field, in the order it is written', () => {
  const fields = formFields(FORM)
  expect(fields.map(({ keys, kind }) => [keys.join('.'), kind])).toEqual([
    ['note', 'lines'],
    ['amount', 'number'],
    ['account', 'choice'],
    ['agreed', 'choice'],
    ['tags', 'choices'],
    ['ship.city', 'text'],
    ['deep', 'json'],
    ['pin', 'secret'],
    ['maybe', 'text'],
    ['any', 'json'],
    ['missing', 'json'],
  ])
  expect(fields.map(({ label }) => label)).toContain('City')
  expect(fields[1]).toMatchObject({ hint: 'whole number, from 1, up to 500', start: '20' })
  expect(fields[2]?.choices).toEqual([
    { value: 'a', label: 'Main account' },
    { value: 'b', label: 'Savings' },
  ])
  expect(fields[5]?.group).toMatchObject({ label: 'ship', isRequired: true })
})

test('what has no fields is one piece of JSON', () => {
  for (const form of [{ type: 'object' }, { type: 'object', oneOf: [{}] }, undefined, 'text']) {
    const [field, ...others] = formFields(form)
    expect(others).toEqual([])
    expect(field).toMatchObject({ kind: 'json', keys: [], isRequired: true })
    if (!field) throw new Error('there is no field')
    expect(fillForm([field], { [name()]: '{"a":1}' }).payload).toEqual({ a: 1 })
    expect(fillForm([field], {}).wrong).toHaveLength(1)
  }
})

test('what was typed becomes the payload, and what is missing is told beside its field', () => {
  const fields = formFields(FORM)
  const typed = {
    [name('account')]: '"b"',
    [name('agreed')]: 'false',
    [name('tags')]: '["z","x"]',
    [name('ship', 'city')]: 'Bern',
    [name('missing')]: '[1]',
    [name('note')]: '',
  }
  const filled = fillForm(fields, typed)
  expect(filled.wrong).toEqual([])
  expect(filled.payload).toEqual({
    amount: 20,
    account: 'b',
    agreed: false,
    tags: ['x', 'z'],
    ship: { city: 'Bern' },
    missing: [1],
  })
  expect(fillForm(fields, typedFrom(fields, filled.payload)).payload).toEqual(filled.payload)
  expect(fillForm(fields, {}).wrong.map(({ keys, why }) => `${keys.join('.')}: ${why}`)).toEqual([
    'account: Choose one.',
    'agreed: Choose one.',
    'ship.city: Fill this in.',
    'missing: Fill this in.',
  ])
})

test.each([
  ['amount', '0', 'At least 1.'],
  ['amount', '501', 'At most 500.'],
  ['amount', '1.5', 'Write a whole number.'],
  ['amount', '1,000', 'Write a number, like 1200 or 12.5.'],
  ['amount', '9007199254740993', 'This number is too large to be exact.'],
  ['note', 'x'.repeat(501), 'At most 500 characters; these are 501.'],
  ['any', '{', 'This is not JSON.'],
  ['account', '"c"', 'Choose one.'],
])('%s does not take %s', (key, text, why) => {
  const { wrong } = fillForm(formFields(FORM), { [name(key)]: text })
  expect(wrong).toContainEqual({ keys: [key], why })
})

test('an optional group is left out whole, and asks for its own once it is begun', () => {
  const fields = formFields({
    type: 'object',
    properties: {
      ship: {
        type: 'object',
        required: ['city'],
        properties: { city: { type: 'string' }, floor: { type: 'integer' } },
      },
    },
  })
  expect(fillForm(fields, {})).toEqual({ payload: {}, wrong: [] })
  expect(fillForm(fields, { [name('ship', 'floor')]: '3' }).wrong).toEqual([
    { keys: ['ship', 'city'], why: 'Fill this in.' },
  ])
})

test('a key called __proto__ is one like any other', () => {
  const form = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}')
  const [field] = formFields(form)
  if (!field) throw new Error('there is no field')
  const { payload } = fillForm([field], { [name('__proto__')]: 'x' })
  expect(JSON.stringify(payload)).toBe('{"__proto__":"x"}')
  expect(JSON.stringify(withAt({}, ['__proto__', 'a'], 1))).toBe('{"__proto__":{"a":1}}')
})

test('references that turn in a circle end', () => {
  const form = { type: 'object', properties: { a: { $ref: '#/properties/a' } } }
  expect(formFields(form)).toMatchObject([{ kind: 'json' }])
})
