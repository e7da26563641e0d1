import { expect, test } from 'vitest'
import { processorTime } from '../../../test/support/processor-time.ts'
import { createReport } from './read-report.ts'
import { readYaml } from './yaml.ts'

function read(source: string | Uint8Array) {
  const report = createReport()
  const tree = readYaml('p.yaml', source, report)
  return {
    tree,
    said: report.mistakes().map(({ place, kind }) => `${place.line}:${place.column} ${kind}`),
  }
}

test.each<[what: string, source: string, said: string[]]>([
  ['plain maps', 'a: 1\nb: [x, y]\n', []],
  ['a tab to indent', 'a:\n\tb: 1', ['2:1 yaml']],
  ['a duplicate key, however it is quoted', 'a: 1\n"a": 2', ['2:1 duplicate_key']],
  ['a duplicate key deep inside', 'a: { b: { c: 1, c: 2 } }', ['1:17 duplicate_key']],
  ['a merge key', '<<: { a: 1 }', ['1:1 merge_key']],
  ['a quoted << is a name like any other', '"<<": 1', []],
  ['an anchor', 'a: &x 1', ['1:7 anchor']],
  ['an alias', 'a: *x', ['1:4 alias']],
  ['an alias as a key', '*x : 1', ['1:1 key_not_text']],
  ['a tag', 'a: !!float 1', ['1:12 tag']],
  ['a tag that would run code elsewhere', 'a: !!js/function "x"', ['1:18 tag']],
  ['a directive', '%YAML 1.1\n---\na: yes', ['1:1 directive']],
  ['a second document', 'a: 1\n---\nb: 2', ['2:1 second_document']],
  ['a second document that is empty', 'a: 1\n---\n', ['2:1 second_document']],
  ['a number as a key', '1: x', ['1:1 key_not_text']],
  ['a list as a key', '? [a]\n: b', ['1:3 key_not_text']],
  ['nothing', '', ['1:1 empty_file']],
  ['a NUL', 'a: "\0"', ['1:5 binary']],
  ['half a surrogate pair', 'a: "\ud800"', ['1:5 not_utf8']],
  ['half a surrogate pair, escaped', 'a: "\\ud800"', ['1:4 invalid_unicode']],
])('%s', (_, source, said) => {
  expect(read(source).said).toEqual(said)
})

test.each([
  ['', ',', ']', '1:1005 yaml', 'so much here is not YAML that reading stops'],
  ['version: 1\n', '}\n', '', '52:1 more', 'and 950 more'],
])('a file of nothing but mistakes is not read to its end', (begin, slip, end, last, message) => {
  const report = createReport()
  const text = `${begin || 'a: ['}${slip.repeat(200_000)}${end}`
  expect(readYaml('p.yaml', text, report)).toBeUndefined()
  const [said] = report.mistakes().slice(-1)
  const place = `${said?.place.line}:${said?.place.column}`
  expect([`${place} ${said?.kind}`, said?.message]).toEqual([last, message])
})

test('a byte order mark is dropped and does not move columns', () => {
  expect(read('\uFEFFa: *x').said).toEqual(['1:4 alias'])
})

test('Windows line ends do not move lines or columns', () => {
  expect(read('a: 1\r\nb:\r\n  c: *x\r\n').said).toEqual(['3:6 alias'])
})

test('a key named __proto__ is a key, and changes nothing else', () => {
  const { tree } = read('__proto__: { polluted: true }')
  expect(tree).toMatchObject({ kind: 'map', entries: [{ key: '__proto__' }] })
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
})

test.each([
  ['flow lists', '['.repeat(500_000)],
  ['flow maps', '{a: '.repeat(200_000)],
  ['block lists', '- '.repeat(400_000)],
  ['explicit keys', '? '.repeat(400_000)],
  ['indentation', Array.from({ length: 700 }, (_, level) => `${' '.repeat(level)}a:`).join('\n')],
])('%s nested too deep are refused at once', (_, source) => {
  const took = processorTime()
  expect(read(source).said).toHaveLength(1)
  expect(read(source).said[0]).toMatch(/too_deep$/)
  expect(took()).toBeLessThan(1_000)
})

test('sixty levels are read', () => {
  expect(read(`${'- '.repeat(60)}x`).said).toEqual([])
})

test('a bomb of aliases does not expand', () => {
  const lines = ['a0: &a0 [x, x]']
  for (let i = 1; i < 40; i++) {
    lines.push(
      `a${i}: &a${i} [${Array(10)
        .fill(`*a${i - 1}`)
        .join(', ')}]`,
    )
  }
  const took = processorTime()
  expect(read(lines.join('\n')).said.length).toBeGreaterThan(1)
  expect(took()).toBeLessThan(1_000)
})

test.each<[what: string, make: () => string | Uint8Array]>([
  ['text', () => 'a: 1\n'.repeat(2_000_000)],
  ['bytes', () => new Uint8Array(10_000_000).fill(97)],
])('ten megabytes of %s are refused by size alone', (_, make) => {
  const source = make()
  const took = processorTime()
  expect(read(source).said).toEqual(['1:1 too_large'])
  expect(took()).toBeLessThan(200)
})

test('the limit counts bytes, not characters', () => {
  expect(read(`# ${'ü'.repeat(524_280)}\na: 1`).said).toEqual([])
  expect(read(`# ${'ü'.repeat(524_290)}\na: 1`).said).toEqual(['1:1 too_large'])
})

test('a hundred thousand keys are compared in good time', () => {
  const source = Array.from({ length: 100_000 }, (_, i) => `k${i}: 1`).join('\n')
  const took = processorTime()
  expect(read(`${source}\nk7: 2`).said).toEqual(['100001:1 duplicate_key'])
  expect(took()).toBeLessThan(10_000)
})
