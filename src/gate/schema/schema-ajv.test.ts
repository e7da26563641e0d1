import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../base/json/json.ts'
import { jsonSchema } from './json-schema.ts'

/*
 * A second opinion: on random schemas and values Ajv gives the same answer. Ajv itself is not what
 * runs, because it compiles schemas in quadratic time and checks them without any bound. Left out
 * is what Ajv gets wrong: `contains` inside of loops, and names of Object.prototype beside
 * `unevaluatedProperties`; the tests below say what is right there.
 */

const DRAFT_7 = 'http://json-schema.org/draft-07/schema#'

const names = fc.constantFrom('a', 'b', 'c', 'd')
const scalars = fc.oneof(
  fc.constantFrom<Json>(null, true, false, 0, 1, 2, 2.5, -1, '', 'a', 'ab', '😀', '2020-01-01'),
  fc.integer({ min: -3, max: 12 }),
)
const values = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalars,
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc.dictionary(names, tie('value'), { maxKeys: 4, noNullPrototype: true }),
}))

const size = fc.integer({ min: 0, max: 4 })
const types = fc.constantFrom('string', 'number', 'integer', 'object', 'array', 'null', 'boolean')

function schemas(isOld: boolean) {
  return fc.letrec<{ schema: Json; object: JsonObject }>((tie) => {
    const schema = tie('schema')
    const list = fc.array(schema, { minLength: 1, maxLength: 3 })
    const named = fc.dictionary(names, schema, { maxKeys: 3, noNullPrototype: true })
    const words: { [word: string]: fc.Arbitrary<Json> } = {
      type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 3 })),
      enum: fc.uniqueArray(values.value, {
        minLength: 1,
        maxLength: 3,
        selector: (one) => JSON.stringify(one),
      }),
      const: values.value,
      minimum: fc.integer({ min: -2, max: 5 }),
      exclusiveMaximum: fc.integer({ min: -2, max: 9 }),
      multipleOf: fc.constantFrom(1, 2, 0.5),
      minLength: size,
      maxLength: size,
      pattern: fc.constantFrom('^a', 'b$', '^.$'),
      format: fc.constantFrom('date', 'email', 'unheard-of'),
      minItems: size,
      maxItems: size,
      uniqueItems: fc.boolean(),
      minProperties: size,
      maxProperties: size,
      required: fc.uniqueArray(names, { maxLength: 2 }),
      properties: named,
      patternProperties: fc.dictionary(fc.constantFrom('^a', 'b', '^t'), schema, {
        maxKeys: 2,
        noNullPrototype: true,
      }),
      additionalProperties: schema,
      propertyNames: schema,
      dependencies: fc.dictionary(
        names,
        fc.oneof(schema, fc.uniqueArray(names, { maxLength: 2 })),
        {
          maxKeys: 2,
          noNullPrototype: true,
        },
      ),
      not: schema,
      allOf: list,
      anyOf: list,
      oneOf: list,
      if: schema,
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      then: schema,
      else: schema,
      $ref: fc.constantFrom('#/$defs/one', '#/$defs/two'),
      ...(isOld
        ? { items: fc.oneof(schema, list), additionalItems: schema }
        : {
            items: schema,
            prefixItems: list,
            dependentRequired: fc.dictionary(names, fc.uniqueArray(names, { maxLength: 2 }), {
              maxKeys: 2,
              noNullPrototype: true,
            }),
            dependentSchemas: named,
            unevaluatedProperties: schema,
            unevaluatedItems: schema,
          }),
    }
    const one = fc
      .constantFrom(...Object.keys(words))
      .chain((word) =>
        (words[word] as fc.Arbitrary<Json>).map((value): [string, Json] => [word, value]),
      )
    return {
      schema: fc.oneof(
        { maxDepth: 4 },
        { arbitrary: fc.boolean(), weight: 1 },
        { arbitrary: tie('object'), weight: 5 },
      ),
      object: fc.array(one, { maxLength: 4 }).map((all) => Object.fromEntries(all) as JsonObject),
    }
  }).object
}

function second(schema: JsonObject, isOld: boolean) {
  // Without its own schemas: compiling those anew would be all the time this takes.
  const light = { meta: false, validateSchema: false } as const
  const options = { strict: false, ownProperties: true, logger: false, ...light } as const
  const ajv = isOld ? new Ajv(options) : new Ajv2020(options)
  formats.default(ajv, { mode: 'fast' })
  return ajv.compile(schema)
}

test.each([
  ['draft 7', true],
  ['2020-12', false],
] as const)('%s: Ajv comes to the same answer', (_, isOld) => {
  const validate = jsonSchema()
  const parts = schemas(isOld)
  let compared = 0
  fc.assert(
    fc.property(
      parts,
      parts,
      parts,
      fc.array(values.object, { minLength: 4, maxLength: 4 }),
      (root, one, two, all) => {
        const { $ref: _one, ...plain } = two
        const schema = { ...root, $defs: { one: withoutLoops(one), two: withoutLoops(plain) } }
        let other: ReturnType<typeof second>
        try {
          other = second(schema, isOld)
        } catch {
          return
        }
        for (const value of all) {
          let expected: boolean
          try {
            expected = other(structuredClone(value)) as boolean
          } catch {
            // A reference that leads to itself: the stack is its only end there.
            continue
          }
          const own = validate(isOld ? { ...schema, $schema: DRAFT_7 } : schema, value)
          expect({ ok: (own as { ok: boolean }).ok }).toEqual({ ok: expected })
          compared += 1
        }
      },
    ),
    // The same in every run; COUNTERSIGN_SEED looks elsewhere.
    { numRuns: 700, seed: Number(process.env.COUNTERSIGN_SEED ?? 2026) },
  )
  expect(compared).toBeGreaterThan(500)
})

// Not compared above: Ajv carries the answer of `contains` from one member or item to the next.
test.each<[string, Json, JsonObject, boolean]>([
  ['one of them', { type: 'integer' }, { a: ['x', 1] }, true],
  ['none of them', { type: 'integer' }, { a: ['x'] }, false],
  ['nothing at all', { type: 'integer' }, { a: [] }, false],
  ['whatever it is', {}, { a: [] }, false],
  ['one list that has it before one that does not', {}, { c: [{}], a: [] }, false],
  ['the same in the other order', {}, { a: [], c: [{}] }, false],
  ['no list', { type: 'integer' }, { a: 'x' }, true],
])('contains: %s', (_, contains, value, ok) => {
  const validate = jsonSchema()
  const every: JsonObject[] = [
    { additionalProperties: { contains } },
    { patternProperties: { '.': { contains } } },
    { $schema: DRAFT_7, additionalProperties: { contains } },
  ]
  for (const schema of every) expect(validate(schema, value)).toMatchObject({ ok })
  expect(
    validate({ properties: { list: { items: { contains } } } }, { list: Object.values(value) }),
  ).toMatchObject({ ok })
})

test.each(['toString', 'constructor', 'hasOwnProperty', '__proto__'])(
  'a member called %s is one like any other',
  (name) => {
    const schema = { patternProperties: { '^a': {} }, unevaluatedProperties: { type: 'string' } }
    const value = JSON.parse(`{"${name}":[]}`) as JsonObject
    expect(jsonSchema()(schema, value)).toMatchObject({ ok: false })
    expect(jsonSchema()({ required: [name] }, {})).toMatchObject({ ok: false })
    expect(jsonSchema()({ required: [name] }, value)).toMatchObject({ ok: true })
  },
)

test.each<[string, number, boolean]>([
  ['too few', 1, false],
  ['enough', 2, true],
  ['as many as may be', 3, true],
  ['too many', 4, false],
])('minContains and maxContains: %s', (_, count, ok) => {
  const schema = {
    properties: { a: { contains: { const: 1 }, minContains: 2, maxContains: 3 } },
  }
  expect(jsonSchema()(schema, { a: [0, ...Array(count).fill(1)] })).toMatchObject({ ok })
})

/** References that lead back to where they stand never end, in any validator. */
function withoutLoops(schema: JsonObject): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', '"$comment":"'))
}
