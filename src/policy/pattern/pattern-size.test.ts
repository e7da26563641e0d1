import { RE2JS } from 're2js'
import { expect, test } from 'vitest'
import { compilePattern } from './pattern.ts'
import { patternSize } from './pattern-size.ts'

test.each([
  'abc',
  '^[a-z0-9._-]{1,64}$',
  '(a|b){30}',
  '((a?){30}){30}',
  'x{1000}',
  'x{2,}y{3,40}',
  '[]{3}]{5}',
  '[[:alpha:]{9}]{7}',
  '\\Qx{900}\\E{3}',
  '\\{900}',
  '\\x{41}{20}',
  '(?i:ab){50}',
  'a{x}{4}',
  '\\p{Greek}{12}',
])('%s is not taken for much smaller than it is', (text) => {
  expect(patternSize(text) * 3 + 10).toBeGreaterThanOrEqual(RE2JS.compile(text).programSize())
})

test.each(['[x{1000}]', '\\Q{1000}{1000}\\E', '\\x{1000}', '\\{1000}'])(
  '%s has no count, so it is small',
  (text) => {
    expect(patternSize(text)).toBeLessThan(60)
  },
)

// Compiling them first would take from seconds to hours, or all memory there is.
test.each([
  ['x{1000}'.repeat(9_000)],
  ['((x{30}){30})'.repeat(4_000)],
  [`(${'x{999}'.repeat(9_000)})`],
  ['\\pL'.repeat(20_000)],
])('B12-05: a pattern that is too large is told from its text: %.20s', (text) => {
  expect(compilePattern(text)).toMatchObject({ ok: false })
})
