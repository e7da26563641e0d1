import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../base/json/json.ts'
import { jsonSchema } from './json-schema.ts'

/*
 * B10-17: schemas made to crash or hang the checker. Each would take longer than any caller
 * waits, or end the process, without a budget: so that a test of these ends at all is the point.
 */

const validate = jsonSchema()

/** Each level refers to the next one twice: 2^levels ways to the end. */
function doubling(levels: number): JsonObject {
  const parts = Array.from({ length: levels }, (_, level): [string, Json] => {
    const next = { $ref: `#/$defs/d${level + 1}` }
    return [`d${level}`, { allOf: [next, next] }]
  })
  return { $ref: '#/$defs/d0', $defs: { ...Object.fromEntries(parts), [`d${levels}`]: {} } }
}

function nested(depth: number): JsonObject {
  return depth === 0 ? {} : { a: nested(depth - 1) }
}

const wide: JsonObject = Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`k${n}`, n]))

/** Every level passes on what the one below has seen. */
function passedOn(levels: number): JsonObject {
  const parts = Array.from({ length: levels }, (_, level): [string, Json] => [
    `c${level}`,
    { anyOf: [{ $ref: `#/$defs/c${level + 1}` }] },
  ])
  const last = { [`c${levels}`]: { additionalProperties: true } }
  const $defs = { ...Object.fromEntries(parts), ...last }
  return { $ref: '#/$defs/c0', unevaluatedProperties: false, $defs }
}

test.each([
  ['references that double', doubling(32), { a: 1 }],
  ['references that double where no schema is expected', hidden(32), { a: 1 }],
  ['alternatives that double with the depth of the arguments', branching(), nested(40)],
  ['a reference to itself', { $ref: '#' }, {}],
  ['a default that holds itself', { properties: { a: { $ref: '#', default: {} } } }, {}],
  ['two defaults that hold themselves', twins(), {}],
  ['a default for each of many items', grown(), { rows: Array(9_000).fill({}) }],
  ['many patterns over many names', patterned(99), wide],
  ['alternatives that pass on what they have seen', passedOn(300), wide],
  ['names that want others, for many items', wanting(), { a: Array(9_000).fill({ r0: 1 }) }],
  ['values compared with long lists', compared(), { a: Array(9_000).fill({ x: [1] }) }],
] as [string, JsonObject, JsonObject][])(
  '%s: checking ends, and the call is refused',
  (_, schema, args) => {
    const unusable = expect.objectContaining({ code: 'schema_unusable' })
    expect(() => validate(schema, args)).toThrow(unusable)
    // Nothing of it is left behind: the next call is checked as ever.
    expect(validate({ required: ['a'] }, {})).toMatchObject({ ok: false })
  },
)

test.each([
  ['a schema that answers later', { $async: true, not: {} }],
  ['a part that answers later', { properties: { a: { $async: 1 } } }],
  ['a part elsewhere that answers later', { $ref: '#/x/y', x: { y: { $async: true } } }],
  ['more patterns than a tool needs', patterned(101)],
  ['references one behind the other', chain(1_900)],
  ['a part with a name of its own', { $defs: { a: { $id: 'https://a.example/' } } }],
  ['one name for two parts', { $defs: { a: { $anchor: 'x' }, b: { $anchor: 'x' } } }],
] as [string, JsonObject][])('%s is refused before anything is checked', (_, schema) => {
  for (const _again of [1, 2]) {
    expect(() => validate(schema, {})).toThrow(expect.objectContaining({ code: 'schema_unusable' }))
  }
})

/** The value is looked at 2^levels times, so what one look costs is what counts. */
function again(levels: number, leaf: JsonObject): JsonObject {
  const { $defs } = doubling(levels)
  return {
    $defs: { ...($defs as JsonObject), [`d${levels}`]: leaf },
    properties: { v: { $ref: '#/$defs/d0' } },
  }
}

const long = 'x'.repeat(60_000)

test.each([
  ['a long text compared with a constant', 12, { const: long }, long],
  ['a long text counted', 9, { minLength: 1 }, long],
  ['a long text checked by its format', 9, { format: 'uri-reference' }, long],
  ['the members of a large object counted', 9, { minProperties: 1 }, wide],
  ['long items compared', 7, { uniqueItems: true }, [long]],
  ['a short pattern that is large', 6, { pattern: '(a|b)*a(a|b){900}' }, 'ab'.repeat(4_000)],
] as [string, number, JsonObject, Json][])(
  '%s: each look is paid for by its size',
  (_, levels, leaf, v) => {
    const unusable = expect.objectContaining({ code: 'schema_unusable' })
    expect(() => validate(again(levels, leaf), { v })).toThrow(unusable)
    expect(validate({ properties: { v: leaf } }, { v })).toMatchObject({ ok: true })
  },
)

test('lists are told to have no equal items in time that grows with the list', () => {
  const schema = { properties: { a: { uniqueItems: true } } }
  const rows = Array.from({ length: 60_000 }, (_, n) => [n])
  expect(validate(schema, { a: rows })).toMatchObject({ ok: true })
  expect(validate(schema, { a: [...rows, [7]] })).toMatchObject({ ok: false, at: ['a'] })
  expect(
    validate(schema, {
      a: [
        { x: 1, y: 2 },
        { y: 2, x: 1 },
      ],
    }),
  ).toMatchObject({ ok: false })
})

test('what an honest tool takes is far below the budget', () => {
  const row = {
    type: 'object',
    required: ['name', 'n'],
    additionalProperties: false,
    properties: {
      name: { type: 'string', maxLength: 50, pattern: '^[a-z0-9]+$' },
      n: { type: 'number', minimum: 0 },
      kind: { enum: ['x', 'y', 'z'] },
      day: { type: 'string', format: 'date' },
    },
  }
  const rows = Array.from({ length: 2_400 }, (_, n) => ({
    name: `n${n}`,
    n,
    kind: 'z',
    day: '2020-01-01',
  }))
  expect(validate({ properties: { rows: { items: row } } }, { rows })).toMatchObject({ ok: true })
})

test('defaults are filled in once it is certain that they apply', () => {
  const filled = (schema: JsonObject, args: JsonObject) => validate(schema, args)
  const a = { properties: { a: { default: 1 } } }
  expect(filled({ ...a, required: ['a'] }, {})).toMatchObject({ ok: true, args: { a: 1 } })
  expect(filled({ allOf: [a] }, {})).toMatchObject({ args: { a: 1 } })
  expect(filled({ $ref: '#/$defs/a', $defs: { a } }, {})).toMatchObject({ args: { a: 1 } })
  expect(filled({ if: false, else: a }, {})).toMatchObject({ args: { a: 1 } })
  expect(filled({ if: true, else: a }, {})).toEqual({ ok: true, args: {} })
  expect(filled({ anyOf: [{ ...a, required: ['b'] }, {}] }, {})).toEqual({ ok: true, args: {} })
  expect(filled({ anyOf: [{ $ref: '#/$defs/a' }], $defs: { a } }, {})).toEqual({
    ok: true,
    args: {},
  })
  const proto = JSON.parse('{"properties":{"__proto__":{"default":{"x":1}}}}')
  const answer = filled(proto, {}) as { readonly args: JsonObject }
  expect(Object.keys(answer.args)).toEqual(['__proto__'])
  expect(Object.getPrototypeOf(answer.args)).toBe(Object.prototype)
})

function hidden(levels: number): JsonObject {
  const { $defs } = doubling(levels)
  return JSON.parse(
    JSON.stringify({ $ref: '#/x-kept/d0', 'x-kept': $defs }).replaceAll('$defs', 'x-kept'),
  )
}

function branching(): JsonObject {
  return { properties: { a: { allOf: [{ $ref: '#' }, { $ref: '#' }] } } }
}

function twins(): JsonObject {
  const again = { $ref: '#', default: {} }
  return { properties: { a: again, b: again } }
}

function grown(): JsonObject {
  const row = { properties: { z: { default: 'x'.repeat(30_000) } } }
  return { properties: { rows: { items: row } } }
}

function patterned(count: number): JsonObject {
  const patterns = Array.from({ length: count }, (_, n) => [`^x${n}[a-z]+$`, {}])
  return { patternProperties: Object.fromEntries(patterns) }
}

function compared(): JsonObject {
  const values = Array.from({ length: 1_000 }, (_, n) => ({ x: [n + 2] }))
  return { properties: { a: { items: { not: { enum: values } } } } }
}

function wanting(): JsonObject {
  const names = Array.from({ length: 3_000 }, (_, n) => [`r${n}`, ['r0']])
  return { properties: { a: { items: { dependentRequired: Object.fromEntries(names) } } } }
}

function chain(length: number): JsonObject {
  const parts = Array.from({ length }, (_, n) => [`c${n}`, { $ref: `#/$defs/c${n + 1}` }])
  return { $ref: '#/$defs/c0', $defs: { ...Object.fromEntries(parts), [`c${length}`]: {} } }
}
