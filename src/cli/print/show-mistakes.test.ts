import { expect, test } from 'vitest'
import type { Mistake } from '../../policy/document.ts'
import { PLAIN } from './colour.ts'
import { showMistake } from './show-mistakes.ts'

function mistake(line: number, column: number): Mistake {
  return {
    place: { file: 'countersign.yaml', line, column },
    path: 'tools.pay.aproval',
    kind: 'unknown_key',
    message: 'did you mean `approval`?',
  }
}

test('a mistake is one line; with the text at hand, the line and a caret follow', () => {
  const source = 'version: 1\r\ntools:\r\n  pay:\r\n    aproval: true\r\n'
  const head = 'countersign.yaml:4:5: tools.pay.aproval: did you mean `approval`?'
  expect(showMistake(mistake(4, 5), 'mistake', PLAIN)).toEqual([head])
  expect(showMistake(mistake(4, 5), 'mistake', PLAIN, source)).toEqual([
    head,
    '    4 │     aproval: true',
    '      │     ^',
  ])
})

test('the caret stays under its place when a character is shown by number', () => {
  const [, line = '', caret = ''] = showMistake(mistake(1, 4), 'mistake', PLAIN, 'a\u202Eb: x')
  expect(line).toBe('    1 │ a‹U+202E›b: x')
  expect(caret.indexOf('^')).toBe(line.indexOf(': x'))
})

test('of a long line only the part that matters is shown', () => {
  const source = `${'x'.repeat(500)}HERE${'y'.repeat(500)}`
  const [, line = '', caret = ''] = showMistake(mistake(1, 501), 'mistake', PLAIN, source)
  expect(line.length).toBeLessThan(130)
  expect(line.slice(caret.indexOf('^')).startsWith('HERE')).toBe(true)
})

test('a place outside the text has no line to show', () => {
  expect(showMistake(mistake(9, 1), 'warning', PLAIN, 'version: 1\n')).toHaveLength(1)
})
