import fc from 'fast-check'
import { expect, test } from 'vitest'
import { linesOf, pairAt, type TokenKind, tokensOf } from './tokens.ts'

const shown = (source: string, ...kinds: readonly TokenKind[]) =>
  tokensOf(source)
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ from, to }) => source.slice(from, to))

test('keywords, values and comments are told apart', () => {
  const source = 'export default async ({ a }) => a.default / 2 // half of "a"\nconst b = /["/]/g'
  expect(shown(source, 'keyword')).toEqual(['export', 'default', 'async', 'const'])
  expect(shown(source, 'number')).toEqual(['2'])
  expect(shown(source, 'comment')).toEqual(['// half of "a"'])
  expect(shown(source, 'string')).toEqual(['/["/]/g'])
})

test('a template holds code, and code holds templates', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source that is read.
  const source = '`a ${f({ b: `c ${d}` })} e` + 1'
  expect(shown(source, 'string')).toEqual(['`a ', '`c ', '`', ' e`'])
  expect(shown(source, 'number')).toEqual(['1'])
})

test('what is not closed goes on to where it must end, and no further', () => {
  expect(shown('"abc\n1', 'number')).toEqual(['1'])
  expect(shown('/* abc\n1', 'number')).toEqual([])
  expect(shown('`abc\n1', 'number')).toEqual([])
})

test('a division is no regular expression', () => {
  expect(shown('a / b / c', 'string')).toEqual([])
  expect(shown('(a) / b / c', 'string')).toEqual([])
  expect(shown('return /b/.test(c)', 'string')).toEqual(['/b/'])
})

test('the bracket beside the caret and its partner are found, except in text', () => {
  const source = 'f({ a: "}" })'
  const pair = (caret: number) => pairAt(source, tokensOf(source), caret)
  expect(pair(2)).toEqual([1, 12])
  expect(pair(3)).toEqual([2, 11])
  expect(pair(12)).toEqual([2, 11])
  expect(pair(13)).toEqual([1, 12])
  expect(pair(9)).toBeUndefined()
  expect(pairAt('(]', tokensOf('(]'), 1)).toBeUndefined()
})

test('no source is lost, whatever it is', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source that is read.
  const pieces = fc.constantFrom(...'`${}\'"/\\*\n()[]ax1. ', '//', '${', '😀', '\ud800')
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
      const source = parts.join('')
      const tokens = tokensOf(source)
      expect(tokens.map(({ from, to }) => source.slice(from, to)).join('')).toBe(source)
      const lines = linesOf(source, tokens).map((line) =>
        line.map(({ from, to }) => source.slice(from, to)).join(''),
      )
      expect(lines).toEqual(source.split('\n'))
    }),
    { numRuns: 500 },
  )
})

test('a source as long as it may be is cut in no time', () => {
  for (const piece of ['`${', '/', '"\\', '[', '/*', 'a/']) {
    const source = piece.repeat(32_000 / piece.length)
    const began = performance.now()
    tokensOf(source)
    expect(performance.now() - began, piece).toBeLessThan(1_000)
  }
})
