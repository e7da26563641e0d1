import { expect, test } from 'vitest'
import { escapeUnseen, splitUnseen } from './invisible-characters.ts'

const shown = (text: string) =>
  splitUnseen(text)
    .map((part) => (part.unseen ? `[${part.text}]` : part.text))
    .join('')

test.each([
  ['plain text, ÄÖ and 漢字 stay', 'plain text, ÄÖ and 漢字 stay'],
  ['emoji 🎉 stay', 'emoji 🎉 stay'],
  ['a\u202Eb', 'a[U+202E]b'],
  ['\u001b[31m', '[U+001B][31m'],
  ['\u009b31m', '[U+009B]31m'],
  ['a\r\nb\tc', 'a[U+000D][U+000A]b[U+0009]c'],
  ['zero\u200Bwidth\u2060joins\uFEFF', 'zero[U+200B]width[U+2060]joins[U+FEFF]'],
  ['no\u00A0break', 'no[U+00A0]break'],
  ['tag \u{E0041}', 'tag [U+E0041]'],
  ['half \uD800', 'half [U+D800]'],
  ['hangul \u3164 filler', 'hangul [U+3164] filler'],
  ['lines\u2028and\u2029', 'lines[U+2028]and[U+2029]'],
  ['', ''],
])('%j is shown as %j', (text, expected) => {
  expect(shown(text)).toBe(expected)
})

test('escaped JSON means the same and shows everything', () => {
  const value = { 'a\u202E': ['x\u200B\u{E0041}', 'ä\n'] }
  const text = escapeUnseen(JSON.stringify(value, null, 2))
  expect(JSON.parse(text)).toEqual(value)
  expect(text).toBe('{\n  "a\\u202e": [\n    "x\\u200b\\udb40\\udc41",\n    "ä\\n"\n  ]\n}')
})
