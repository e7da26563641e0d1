import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isCountersignError } from '../errors.ts'
import { parseStrict } from './strict-json.ts'

function codeOf(source: string | Uint8Array, limits = {}): string {
  try {
    parseStrict(source, limits)
    return 'accepted'
  } catch (error) {
    if (!isCountersignError(error)) throw error
    return error.code
  }
}

const utf8 = (text: string) => new TextEncoder().encode(text)
const bytes = (...values: number[]) => Uint8Array.from([0x22, ...values, 0x22])

test.each<[string, unknown]>([
  ['{"a":[1,-2.5,1e3,true,false,null,"x"]}', { a: [1, -2.5, 1000, true, false, null, 'x'] }],
  [' \t\r\n{ "a" : { } , "b" : [ ] } \n', { a: {}, b: [] }],
  ['"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00"', '"\\/\b\f\n\r\té😀'],
  ['"a\\u0000b"', 'a\0b'],
  ['9007199254740991', 9007199254740991],
  ['-9007199254740991', -9007199254740991],
  ['1.0', 1],
  ['1E2', 100],
  ['0.1', 0.1],
  ['5e-324', 5e-324],
])('%s is read', (text, value) => {
  expect(parseStrict(text)).toEqual(value)
  expect(parseStrict(utf8(text))).toEqual(value)
})

test.each(['-0', '-0.0', '-0e5', '0e-9', '[-0]'])('%s is plain zero', (text) => {
  expect(Object.is([parseStrict(text)].flat()[0], 0)).toBe(true)
})

test.each<[string, string | Uint8Array, string]>([
  ['nothing', '', 'invalid_json'],
  ['blanks only', ' \n', 'invalid_json'],
  ['two values', '1 2', 'invalid_json'],
  ['something after the end', '{"a":1}x', 'invalid_json'],
  ['a NUL after the end', '1\0', 'invalid_json'],
  ['a comma too many', '[1,]', 'invalid_json'],
  ['a comma too many in an object', '{"a":1,}', 'invalid_json'],
  ['no comma', '[1 2]', 'invalid_json'],
  ['no colon', '{"a" 1}', 'invalid_json'],
  ['no value', '{"a":}', 'invalid_json'],
  ['no quotes', '{a:1}', 'invalid_json'],
  ['single quotes', "['a']", 'invalid_json'],
  ['comments', '[1] // one', 'invalid_json'],
  ['NaN', 'NaN', 'invalid_json'],
  ['Infinity', '-Infinity', 'invalid_json'],
  ['undefined', 'undefined', 'invalid_json'],
  ['a word cut short', 'tru', 'invalid_json'],
  ['a word run on', 'truex', 'invalid_json'],
  ['capital words', 'True', 'invalid_json'],
  ['a plus sign', '+1', 'invalid_json'],
  ['a leading zero', '01', 'invalid_json'],
  ['a leading dot', '.5', 'invalid_json'],
  ['a trailing dot', '1.', 'invalid_json'],
  ['an empty exponent', '1e', 'invalid_json'],
  ['a lone minus', '-', 'invalid_json'],
  ['hexadecimal', '0x10', 'invalid_json'],
  ['other digits', '١', 'invalid_json'],
  ['other blanks', '\u00a01', 'invalid_json'],
  ['an open string', '"a', 'invalid_json'],
  ['an open list', '[1', 'invalid_json'],
  ['an open object', '{"a":1', 'invalid_json'],
  ['a raw line break in a string', '"a\nb"', 'invalid_json'],
  ['a raw NUL in a string', '"a\0b"', 'invalid_json'],
  ['a raw tab after an escape', '"\\n\t"', 'invalid_json'],
  ['an unknown escape', '"\\x41"', 'invalid_json'],
  ['a short escape', '"\\u12"', 'invalid_json'],
  ['an escape with signs', '"\\u+123"', 'invalid_json'],
  ['a byte order mark', '\ufeff1', 'invalid_json'],
  ['a byte order mark in bytes', Uint8Array.of(0xef, 0xbb, 0xbf, 0x31), 'invalid_json'],
  ['two equal keys', '{"amount":1,"amount":99999}', 'duplicate_key'],
  ['two equal keys, deep', '[{"a":{"b":[{"c":1,"d":2,"c":1}]}}]', 'duplicate_key'],
  ['two equal keys, one escaped', '{"a":1,"\\u0061":2}', 'duplicate_key'],
  ['two equal empty keys', '{"":1,"":2}', 'duplicate_key'],
  ['__proto__ twice', '{"__proto__":1,"__proto__":2}', 'duplicate_key'],
  ['a raw half of a pair', '"\ud800"', 'invalid_unicode'],
  ['an escaped half of a pair', '"\\ud800"', 'invalid_unicode'],
  ['the other half', '"\\udc00"', 'invalid_unicode'],
  ['halves in the wrong order', '"\\ude00\\ud83d"', 'invalid_unicode'],
  ['half of a pair in a key', '{"\\ud800":1}', 'invalid_unicode'],
  ['overlong UTF-8', bytes(0xc0, 0xaf), 'invalid_unicode'],
  ['surrogates as UTF-8', bytes(0xed, 0xa0, 0x80), 'invalid_unicode'],
  ['cut UTF-8', bytes(0xe2, 0x82), 'invalid_unicode'],
  ['beyond Unicode', bytes(0xf4, 0x90, 0x80, 0x80), 'invalid_unicode'],
  ['latin-1', bytes(0xe9), 'invalid_unicode'],
  ['a number beyond double', '1e400', 'unsafe_number'],
  ['a negative number beyond double', '-1e400', 'unsafe_number'],
  ['2^53', '9007199254740992', 'unsafe_number'],
  ['2^53 + 1', '9007199254740993', 'unsafe_number'],
  ['twenty digits', '12345678901234567890', 'unsafe_number'],
  ['a large power', '1e20', 'unsafe_number'],
  ['large with a fraction', '9007199254740991.9', 'unsafe_number'],
  ['too small to be anything but zero', '1e-400', 'unsafe_number'],
  ['too small, written out', `0.${'0'.repeat(400)}1`, 'unsafe_number'],
  ['an unsafe number deep inside', '{"a":[{"b":1e999}]}', 'unsafe_number'],
])('%s is refused', (_, source, code) => {
  expect(codeOf(source)).toBe(code)
})

test('nesting ends at 64', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
  expect(codeOf(nested(64))).toBe('accepted')
  expect(codeOf(nested(65))).toBe('too_deep')
  expect(codeOf('['.repeat(500_000))).toBe('too_deep')
  expect(codeOf(`{"a":${nested(64)}}`)).toBe('too_deep')
})

test('size ends at one megabyte of UTF-8', () => {
  const filled = (length: number, letter = 'x') => `"${letter.repeat(length)}"`
  expect(codeOf(filled(1_048_574))).toBe('accepted')
  expect(codeOf(filled(1_048_575))).toBe('too_large')
  expect(codeOf(filled(524_288, 'é'))).toBe('too_large')
  expect(codeOf(utf8(filled(1_048_575)))).toBe('too_large')
  expect(codeOf('[1,2]', { bytes: 4 })).toBe('too_large')
})

test('ten thousand keys are enough', () => {
  const keys = (n: number) => `{${Array.from({ length: n }, (_, i) => `"k${i}":0`).join(',')}}`
  expect(codeOf(keys(10_000))).toBe('accepted')
  expect(codeOf(keys(10_001))).toBe('too_large')
})

test('__proto__ is data and touches no prototype', () => {
  const value = parseStrict('{"__proto__":{"admin":true},"constructor":1}')
  expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor'])
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  expect(({} as { admin?: boolean }).admin).toBeUndefined()
  expect(JSON.stringify(value)).toBe('{"__proto__":{"admin":true},"constructor":1}')
})

test('an error says where', () => {
  expect(() => parseStrict('{"a":1,"a":2}')).toThrow('position 7: the key "a" stands here twice')
  expect(() => parseStrict('[1,x]')).toThrow('position 3: "x" where a value is needed')
  expect(() => parseStrict('[1,')).toThrow('position 3: the text ends where a value is needed')
})

test('whatever it accepts, JSON.parse reads alike', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.boolean(), (text, asBytes) => {
      if (codeOf(text) !== 'accepted') return
      const value = parseStrict(asBytes ? utf8(text) : text)
      expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)))
    }),
    { numRuns: 2_000 },
  )
})

const piece = fc.constantFrom(
  ...['{', '}', '[', ']', ',', ':', '"', '"a"', '"b":', '\\', 'u', 'd800', '\\u0061', '\\ud83d'],
  ...['\\ude00', '-', '0', '1', '9007199254740993', '.', 'e', '+', '400', 'true', 'null', ' '],
  ...['\n', '\0', '\ufeff', '\ud800', '"__proto__":', '//', "'"],
)

test('soup never breaks it: JSON.parse refuses what it refuses as syntax, and reads the rest alike', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const text = pieces.join('')
      const code = codeOf(text)
      const syntax = parses(text)
      if (code === 'accepted') {
        expect(syntax).toBe(true)
        expect(parseStrict(text)).toEqual(withoutMinusZero(JSON.parse(text)))
      } else if (code === 'invalid_json') {
        expect(syntax).toBe(false)
      }
    }),
    { numRuns: 20_000 },
  )
})

test('flipped bytes never break it', () => {
  const good = utf8('{"to":["é😀","b"],"amount":12.5e1,"deep":{"x":[null,true,{"y":"\\u00e9"}]}}')
  fc.assert(
    fc.property(fc.nat(good.length - 1), fc.nat(255), fc.nat(good.length), (at, byte, end) => {
      const broken = Uint8Array.from(good)
      broken[at] = byte
      expect(codeOf(broken)).toMatch(/^(accepted|[a-z_]+)$/)
      expect(codeOf(broken.subarray(0, end))).toMatch(/^[a-z_]+$/)
    }),
    { numRuns: 3_000 },
  )
})

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function withoutMinusZero(value: unknown): unknown {
  if (value === 0) return 0
  if (Array.isArray(value)) return value.map(withoutMinusZero)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutMinusZero(one)]))
}

test('text as programs write it is read as any other text is', () => {
  const read = (text: string) => {
    try {
      return { value: parseStrict(text, { depth: 4, keys: 6 }) }
    } catch (error) {
      return { code: isCountersignError(error) ? error.code : error }
    }
  }
  const leaf = fc.oneof(
    fc.constantFrom<unknown>(0, -0, 1e21, 2 ** 53, 2 ** 53 - 1, 1e-7, '\ud800', '\\u0041', null),
    fc.double(),
    fc.string({ unit: 'binary' }),
  )
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 6 },
      leaf,
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', '2', '10', '__proto__'), tie('tree')),
    ),
  }))
  let accepted = 0
  fc.assert(
    fc.property(tree, (value) => {
      const text = JSON.stringify(value)
      // The blank before it is what no program writes, so this one is read letter by letter.
      const slow = read(` ${text}`)
      expect(read(text)).toEqual(slow)
      if ('value' in slow) accepted += 1
    }),
    { numRuns: 5_000 },
  )
  expect(accepted).toBeGreaterThan(500)
})
