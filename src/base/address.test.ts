import { expect, test } from 'vitest'
import { foldAddress, parseAddress } from './address.ts'

test.each(['ana@example.com', 'a.n-a+x_1@mail.example.com', 'root@localhost'])(
  '%s is an address',
  (text) => {
    expect(parseAddress(text)).toEqual({ ok: true, value: text })
  },
)

test.each([
  ' ana@example.com',
  'ana@example.com ',
  'Ana <ana@example.com>',
  '<ana@example.com>',
  'ana@@example.com',
  'ana@example.com@evil.example',
  'ana@example.com,bo@example.com',
  'ａｎａ@example.com',
  'ana＠example.com',
  '\u212Aim@example.com',
  'ana@ex\u200Bample.com',
  'ana@example.com\u0000',
  'mailto:ana@example.com',
  'ana',
  '@example.com',
  'ana@',
  `${'a'.repeat(250)}@example.com`,
])('S15: %j is refused', (text) => {
  expect(parseAddress(text).ok).toBe(false)
})

test('S12: only ASCII letters are folded', () => {
  expect(foldAddress('ANA@Example.COM')).toBe('ana@example.com')
  expect(foldAddress('\u212Aim@example.com')).toBe('\u212Aim@example.com')
  expect(parseAddress('Ana@Example.com')).toEqual({ ok: true, value: 'ana@example.com' })
})
