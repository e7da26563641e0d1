import fc from 'fast-check'
import { RE2JS } from 're2js'
import { expect, test } from 'vitest'
import { spelledOut, spelledTest } from './pattern-literal.ts'

test.each<[pattern: string, texts: string[], atStart: boolean, atEnd: boolean]>([
  ['.*@external\\.com$', ['@external.com'], false, true],
  ['^https?://', ['https://', 'http://'], true, false],
  ['rm -rf', ['rm -rf'], false, false],
  ['^(?:prod|staging)$', ['prod', 'staging'], true, true],
  ['@(a|b(c|d))\\.com.*', ['@a.com', '@bc.com', '@bd.com'], false, false],
  ['', [''], false, false],
  ['.*', [''], false, false],
  ['\\$', ['$'], false, false],
])('%j spells out %j', (pattern, texts, atStart, atEnd) => {
  expect(spelledOut(pattern)).toEqual({ texts, atStart, atEnd })
})

test.each([
  '^.*a', // `.` does not cross a line break, so the text before matters
  'a.*$',
  'a.b',
  'a|b',
  '^a|b$',
  'a+',
  'a{2}',
  'a??',
  '[ab]',
  '\\d',
  '\\n',
  '\\\\$',
  '(?i)a',
  '(?P<n>a)',
  '(^a)',
  '(a$)',
  'a^',
  '\u{1f600}',
  '(a|b)(c|d)(e|f)(g|h)',
])('%j is left to the engine', (pattern) => {
  expect(spelledOut(pattern)).toBeUndefined()
})

const pieces = [
  'a',
  'b',
  '-',
  '\\.',
  '\\$',
  '\\\\',
  '?',
  '(',
  ')',
  '|',
  '(?:',
  '.*',
  '^',
  '$',
  '.',
  '{',
  '\\_',
  '[',
]
const pattern = fc.array(fc.constantFrom(...pieces), { maxLength: 7 }).map((all) => all.join(''))
const text = fc
  .array(fc.constantFrom('a', 'b', '-', '.', '$', '\\', '\n', '\u{1f600}', '\ud83d'), {
    maxLength: 8,
  })
  .map((all) => all.join(''))

test('every rewrite answers as re2js does', () => {
  let rewritten = 0
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 8, maxLength: 20 }), (source, texts) => {
      const spelled = spelledOut(source)
      if (!spelled || !compiles(source)) return
      rewritten++
      const regex = RE2JS.compile(source)
      const find = spelledTest(spelled)
      // Texts that nearly match say more than random ones.
      const near = spelled.texts.flatMap((one) => [one, `${one}\n`, `\n${one}`, `a${one}b`])
      for (const one of [...texts, ...near]) {
        expect([source, one, find(one)]).toEqual([source, one, regex.test(one)])
      }
    }),
    { numRuns: 6_000 },
  )
  expect(rewritten).toBeGreaterThan(500)
})

function compiles(source: string): boolean {
  try {
    return Boolean(RE2JS.compile(source))
  } catch {
    return false
  }
}
