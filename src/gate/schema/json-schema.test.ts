import { expect, test } from 'vitest'
import { promise } from '../../../test/support/promise.ts'
import type { Json, JsonObject } from '../../base/json/json.ts'
import { jsonSchema } from './json-schema.ts'

const validate = jsonSchema()
const check = (schema: Json, args: JsonObject) => validate(schema, args)

promise(['CS-SEC-6'], 'arguments must fit the schema, and its defaults are filled in', () => {
  const schema = {
    type: 'object',
    required: ['to'],
    additionalProperties: false,
    properties: {
      to: { type: 'string', format: 'email' },
      amount: { type: 'number', maximum: 10, default: 1 },
      tags: { type: 'array', items: { enum: ['a', 'b'] } },
    },
  }
  const args = { to: 'bo@example.com' }
  expect(check(schema, args)).toEqual({ ok: true, args: { to: 'bo@example.com', amount: 1 } })
  expect(args).toEqual({ to: 'bo@example.com' })
  expect(check(schema, { to: 'nobody' })).toMatchObject({ ok: false, at: ['to'] })
  expect(check(schema, {})).toMatchObject({ ok: false, at: ['to'] })
  expect(check(schema, { to: 'a@b.co', amount: '5' })).toMatchObject({
    at: ['amount'],
    problem: 'amount must be number',
  })
  expect(check(schema, { to: 'a@b.co', tags: ['a', 'c'] })).toMatchObject({ at: ['tags', '1'] })
  expect(check(schema, { to: 'a@b.co', extra: 1 })).toMatchObject({ at: ['extra'] })
})

promise(['CS-SEC-6'], 'what is wrong is told without the value', () => {
  const canary = 'canary-value'
  const rules: readonly JsonObject[] = [
    { enum: ['x'] },
    { const: 'x' },
    { pattern: '^x$' },
    { format: 'uuid' },
    { maxLength: 1 },
    { type: 'number' },
    { not: {} },
  ]
  for (const rule of rules) {
    const answer = check({ properties: { a: rule } }, { a: canary })
    expect(answer, JSON.stringify(rule)).toMatchObject({ ok: false, at: ['a'] })
    expect(JSON.stringify(answer)).not.toContain(canary)
  }
})

test('every pattern is searched as itself, by an engine that does not backtrack', () => {
  const schema = {
    properties: { a: { pattern: '^(a+)+$' }, b: { pattern: '^b$' }, c: { pattern: '^\\u0063$' } },
  }
  expect(check(schema, { a: 'aa', b: 'b', c: 'c' })).toMatchObject({ ok: true })
  expect(check(schema, { a: 'aa', b: 'aa' })).toMatchObject({ at: ['b'] })
  expect(check(schema, { c: 'b' })).toMatchObject({ at: ['c'] })
  // Takes the language's own engine longer than a caller waits.
  expect(check(schema, { a: `${'a'.repeat(50_000)}!` })).toMatchObject({ at: ['a'] })
})

test('both drafts are read, and names do not meet between schemas', () => {
  const old = { $schema: 'http://json-schema.org/draft-07/schema#', $id: 'x', items: {} }
  const now = { $schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'x', type: 'object' }
  expect(check(old, {})).toMatchObject({ ok: true })
  expect(check(now, {})).toMatchObject({ ok: true })
  expect(check({ ...now, title: 'other' }, {})).toMatchObject({ ok: true })
  expect(
    check(
      { $defs: { n: { type: 'number' } }, properties: { a: { $ref: '#/$defs/n' } } },
      { a: 'x' },
    ),
  ).toMatchObject({ at: ['a'] })
})

test('names found on every object are no arguments', () => {
  expect(check({ required: ['toString'] }, {})).toMatchObject({ ok: false })
  expect(check({ required: ['__proto__'] }, {})).toMatchObject({ ok: false })
})

const deep = (levels: number): Json => (levels === 0 ? {} : { properties: { a: deep(levels - 1) } })

promise.each(
  ['CS-SEC-6'],
  'a schema that cannot be used safely is refused',
  [
    ['a reference to somewhere else', { $ref: 'https://example.com/schema.json' }],
    ['a reference to nothing', { $ref: '#/$defs/none' }],
    ['a pattern that looks ahead', { properties: { a: { pattern: '(?=a)' } } }],
    ['a type that is none', { type: 'strnig' }],
    ['a bound that is no number', { minimum: '5' }],
    ['too deep', deep(60)],
    ['too large', { description: 'x'.repeat(200_000) }],
    ['too many keys', Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, 1]))],
    [
      'an unknown draft',
      { $schema: 'http://json-schema.org/draft-04/schema#', minimum: 1, exclusiveMinimum: true },
    ],
  ] as [string, Json][],
  (_, schema) => {
    expect(() => check(schema, { a: 'a' })).toThrow(
      expect.objectContaining({ code: 'schema_unusable' }),
    )
  },
)
