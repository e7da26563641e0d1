import { expect, test } from 'vitest'
import { isCountersignError } from '../../base/errors.ts'
import { definitionText } from './binding.ts'

function refusalOf(definition: unknown): unknown {
  try {
    return definitionText(definition as never)
  } catch (error) {
    return error
  }
}

const nested = (levels: number): object => (levels === 0 ? {} : { not: nested(levels - 1) })

test.each([
  [
    'a number beyond 2^53',
    { inputSchema: { properties: { id: { maximum: 2 ** 63 } } } },
    '$.inputSchema.properties.id.maximum is a number',
    'beyond ±(2^53−1)',
  ],
  [
    'a number that is none',
    { inputSchema: { minimum: Number.NEGATIVE_INFINITY } },
    '$.inputSchema.minimum is a number',
    'beyond ±(2^53−1)',
  ],
  ['a function', { inputSchema: { check: () => true } }, '$.inputSchema.check', 'plain JSON'],
  ['half a surrogate', { description: '\ud800' }, '$.description', 'plain JSON'],
  ['too many levels', { inputSchema: nested(70) }, '$.inputSchema.not', '64 levels'],
  ['too many bytes', { description: 'x'.repeat(200_000) }, '131072 bytes', '128 kB'],
])(
  'a definition with %s is refused with its place and what to do',
  (_, definition, place, hint) => {
    const error = refusalOf(definition)
    if (!isCountersignError(error)) throw new Error('it was kept')
    expect(error.code).toBe('schema_unusable')
    expect(error.message).toContain(place)
    expect(error.hint).toContain(hint)
  },
)
