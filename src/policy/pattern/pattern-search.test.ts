import fc from 'fast-check'
import { RE2JS } from 're2js'
import { expect, test } from 'vitest'
import { readProgram } from './pattern-program.ts'
import { searcher } from './pattern-search.ts'

const ATOMS = (
  'a b c A K _ 1 é ſ \u{1f600} . \\. \\d \\w \\W \\s \\b \\B ^ $ \\A \\z \\n \\pL [a-c] [^a] [^\\n] ' +
  '[[:alpha:]] (?i:k) (?i:s) (?i:é) (?m:^) (?m:$) (?s:.)'
).split(' ')
const REPEATS = ['*', '+', '?', '*?', '{2}', '{2,}', '{0,2}', '{1,3}']
const CHARACTERS = [...'abcAkK\u212asſ1_-. \n\ré\u{1f600}', '\ud83d', '\ude00']

const pattern = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    { weight: 4, arbitrary: fc.constantFrom(...ATOMS) },
    { weight: 3, arbitrary: fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => a + b) },
    {
      weight: 2,
      arbitrary: fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(${a}|${b})`),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(tie('pattern'), fc.constantFrom(...REPEATS))
        .map(([a, r]) => `(?:${a})${r}`),
    },
  ),
})).pattern

const text = fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 14 }).map((all) => all.join(''))

// Zero and one: nearly everything is worked out afresh, as on hostile texts.
test.each([500, 1, 0])('finds exactly what re2js finds, keeping at most %i spots', (maxSpots) => {
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 5, maxLength: 15 }), (source, texts) => {
      const regex = RE2JS.compile(source)
      const program = readProgram(regex)
      fc.pre(program !== undefined)
      if (!program) return
      const search = searcher(program, maxSpots)
      for (const one of texts)
        expect([source, one, search(one)]).toEqual([source, one, regex.test(one)])
    }),
    { numRuns: 1_500 },
  )
})

test('finds what stands behind more text than it keeps spots for', () => {
  const program = readProgram(RE2JS.compile('a.{12}c'))
  if (!program) throw new Error('too large')
  const search = searcher(program, 20)
  const noise = Array.from({ length: 3_000 }, (_, index) =>
    ((index * index) % 7) & 1 ? 'a' : 'b',
  ).join('')
  expect(search(noise)).toBe(false)
  expect(search(`${noise}a${'-'.repeat(12)}c${noise}`)).toBe(true)
  expect(search(`${noise}a${'-'.repeat(11)}\nc`)).toBe(false)
})
