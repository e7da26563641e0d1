import { expect, test } from 'vitest'
import { longestGap, splitLines } from '../../../../src/base/deception/blank-lines.ts'
import { findLookAlikes } from '../../../../src/base/deception/look-alike.ts'
import { countUnseen } from '../../../../src/base/deception/remarks.ts'
import { splitVisible, visibleText } from './invisible-characters.ts'

test.each([
  ['right-to-left override', 'a\u202eb', 'a⟦U+202E⟧b'],
  ['isolates', '\u2066x\u2069', '⟦U+2066⟧x⟦U+2069⟧'],
  ['zero width space', 'a\u200bb', 'a⟦U+200B⟧b'],
  ['joiner', 'a\u200db', 'a⟦U+200D⟧b'],
  ['byte order mark', '\ufeffa', '⟦U+FEFF⟧a'],
  ['soft hyphen', 'pay\u00adpal', 'pay⟦U+00AD⟧pal'],
  ['tag letters', 'a\u{e0041}\u{e007f}', 'a⟦U+E0041⟧⟦U+E007F⟧'],
  ['variation selector', 'a\ufe0f', 'a⟦U+FE0F⟧'],
  ['supplementary selector', 'a\u{e0100}', 'a⟦U+E0100⟧'],
  ['escape', '\u001b[2J', '⟦U+001B⟧[2J'],
  ['carriage return', 'good\rbad', 'good⟦U+000D⟧bad'],
  ['C1 control', 'a\u009bm', 'a⟦U+009B⟧m'],
  ['delete', 'a\u007f', 'a⟦U+007F⟧'],
  ['no-break space', 'a\u00a0b', 'a⟦U+00A0⟧b'],
  ['ideographic space', 'a\u3000b', 'a⟦U+3000⟧b'],
  ['line separator', 'a\u2028b', 'a⟦U+2028⟧b'],
  ['Hangul filler', 'a\u3164b', 'a⟦U+3164⟧b'],
  ['blank Braille', 'a\u2800b', 'a⟦U+2800⟧b'],
  ['private use', 'a\ue000', 'a⟦U+E000⟧'],
  ['unassigned', 'a\u0378', 'a⟦U+0378⟧'],
  ['lone surrogate', 'a\ud800', 'a⟦U+D800⟧'],
  ['a pile of accents', `a${'\u0301'.repeat(5)}`, `a${'\u0301'.repeat(3)}⟦U+0301⟧⟦U+0301⟧`],
  ['padding', `a${' '.repeat(412)}b`, 'a⟦412 spaces⟧b'],
])('%s is drawn as text', (_, text, shown) => {
  expect(visibleText(text)).toBe(shown)
})

test.each([
  'plain text',
  'naïve café',
  'Žluťoučký kůň',
  '日本語のテキスト',
  'ไทย',
  '  a  b',
  '👍',
  '<b>&amp;',
])('%s stays as it is', (text) => {
  expect(visibleText(text)).toBe(text)
})

test('every invisible character of Unicode is drawn', () => {
  const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u
  const missed: string[] = []
  for (let code = 0; code <= 0x10ffff; code += 1) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const char = String.fromCodePoint(code)
    if (invisible.test(char) && countUnseen(char) !== 1) missed.push(code.toString(16))
  }
  expect(missed).toEqual([])
})

test('nothing is lost: the parts of a text carry all of it', () => {
  const text = ' a\u200bb billing@n\u043erthwind.example \u202e '
  const parts = splitVisible(text, true)
  expect(parts.map(({ kind }) => kind)).toEqual([
    'space',
    'plain',
    'unseen',
    'plain',
    'odd',
    'plain',
    'unseen',
    'space',
  ])
  expect(parts.map(({ text: shown }) => shown).join('')).toBe(
    '·a⟦U+200B⟧b billing@n\u043erthwind.example ⟦U+202E⟧·',
  )
})

test.each([
  ['billing@n\u043erthwind.example', 'domain', 'Latin and Cyrillic', 'xn--nrthwind-nbh.example'],
  ['kai@ex\u0430mple.org', 'domain', 'Latin and Cyrillic', 'xn--exmple-4nf.org'],
  ['https://\u0430\u0440\u0440\u04cf\u0435.com/x', 'domain', 'Cyrillic', 'xn--80ak6aa92e.com'],
  ['g\u03bfogle.com', 'domain', 'Latin and Greek', 'xn--gogle-rce.com'],
  ['p\u0430yroll', 'word', 'Latin and Cyrillic', undefined],
  ['\uff41dmin', 'word', 'styled letters', undefined],
  ['\u{1d41a}dmin', 'word', 'styled letters', undefined],
])('%s is recognised as an imitation', (text, kind, alphabets, real) => {
  const [found] = findLookAlikes(text)
  expect(found?.kind).toBe(kind)
  expect(found?.alphabets).toBe(alphabets)
  expect(found?.real).toBe(real)
  expect(found?.odd.length).toBeGreaterThan(0)
})

test.each([
  'example.com',
  'münchen.de',
  'пример.рф',
  'Привет, world',
  '東京.jp',
  'Ω',
  'naïve',
  'a@b.example',
])('%s is an honest name', (text) => {
  expect(findLookAlikes(text)).toEqual([])
})

test('blank lines that push text away are counted, and can be opened', () => {
  const text = `Hello\n\nBye${'\n'.repeat(413)}P.S.`
  const lines = splitLines(text)
  expect(lines.map((line) => (line.kind === 'gap' ? line.count : line.text))).toEqual([
    'Hello',
    '',
    'Bye',
    412,
    'P.S.',
  ])
  expect(longestGap(text)).toBe(412)
  expect(splitLines(text, new Set([4]))).toHaveLength(416)
  expect(longestGap('a\n\n\n\n')).toBe(0)
  expect(splitLines('a\n \u200b\n\t\n\u00a0\nb').map(({ kind }) => kind)).toEqual([
    'line',
    'gap',
    'line',
  ])
})
