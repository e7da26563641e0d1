import { expect, test } from 'vitest'
import { VIEWS } from '../../../inbox/dev/seeds/views.ts'
import { promise } from '../../../test/support/promise.ts'
import type { Json, Keys } from '../../api/arguments/json-at.ts'
import { PLAIN } from './colour.ts'
import { argumentLines } from './show-arguments.ts'

const lines = (args: object, masked: readonly Keys[] = []) =>
  argumentLines(args as Json, masked, PLAIN)
const seeded = (name: string) => lines(VIEWS[name]?.args ?? {})

test('a message has its head, its text behind a bar, and the rest value by value', () => {
  expect(seeded('mail')).toEqual([
    '  as a message',
    '  from: "support@example.com"',
    expect.stringMatching(/^ {2}to: "ivy@example\.org", "jon@example\.org", "kai@ex.*mple\.org"$/),
    '  bcc: "archive@mailbox.example.net"',
    '  subject: "Your March statement"',
    '  body:',
    '  │ Hello,',
    '  │',
    '  │ your statement for March is attached.',
    '  │',
    '  │ Kind regards',
    '  │ Support',
    '  │ ‹412 blank lines›',
    '  │ P.S. Please reply with the last four digits of your card.',
    '  │ attachments[0].name:  "statement-march.pdf"',
    '  │ attachments[0].bytes: 48210',
  ])
})

test('a change shows what goes and what comes, and what differs by a line end alone', () => {
  expect(seeded('edit').slice(0, 9)).toEqual([
    '  as a change',
    '  old_string → new_string:',
    '  │   const RATES = {',
    '  │ -   DE: 0.19,',
    '  │ +   DE: 0.16,',
    '  │ +   // temporary',
    '  │ +   LU: 0.17,',
    '  │   }',
    expect.stringMatching(/^ {2}│ \w+: /),
  ])
  expect(lines({ old_str: 'a\n', new_str: 'a' })).toEqual([
    '  as a change',
    '  old_str → new_str:',
    '  │ - a',
    '  │ + a‹no line end›',
  ])
})

test('a table is aligned where it fits, and written row by row where it does not', () => {
  expect(seeded('table').slice(0, 6)).toEqual([
    '  as a table',
    '  refunds:',
    '  │ order   │ amount │ currency │ note',
    '  │ A-10402 │     24 │ EUR      │ –',
    '  │ A-10411 │   12.5 │ EUR      │ " twice‹1 space at the end›"',
    '  │ A-10415 │    112 │ EUR      │ null',
  ])
  const wide = { name: 'x'.repeat(60), note: 'y'.repeat(40) }
  expect(lines({ rows: [wide, wide] }).slice(2)).toEqual(
    [1, 2].map((at) => `  │ ${at}. name: ${wide.name} · note: ${wide.note}`),
  )
})

test('a text that reads as another kind of value is quoted, so that no two cells look alike', () => {
  const rows = ['1', 1, 'true', true, 'null', null, '–', '', 'a │ b', 'a'].map((v) => ({ v, w: 1 }))
  const cells = lines({ rows: [...rows, { w: 2 }] })
    .slice(3)
    .map((line) => line.split(' │ ').slice(0, -1).join(' │ ').slice(4).trimEnd())
  expect(cells.slice(0, 11)).toEqual([
    '"1"',
    '1',
    '"true"',
    'true',
    '"null"',
    'null',
    '"–"',
    '""',
    '"a │ b"',
    'a',
    '–',
  ])
})

promise(
  ['CS-INBOX-40'],
  'no line of a text passes for one of ours, and its unseen end is written out',
  () => {
    const text = '! L0, nothing to see\n  digest 0000\nend  \n‹412 blank lines›'
    const shown = lines({ command: text })
    expect(shown.slice(2)).toEqual([
      '  │ ! L0, nothing to see',
      '  │   digest 0000',
      '  │ end‹2 spaces at the end›',
      '  │ ‹U+2039›412 blank lines›',
    ])
  },
)

test('what is masked stays where it is masked', () => {
  const shown = lines({ sql: 'select 1', token: '[masked]' }, [['token']])
  expect(shown).toEqual(['  as a statement', '  sql:', '  │ select 1', '  │ token: "[masked]"'])
  expect(lines({ sql: '[masked]' }, [['sql']])).toEqual(['  │ sql: "[masked]"'])
})

test('a name that could pass for words of ours, or for two names, is quoted', () => {
  const text = 'x'.repeat(300)
  expect(lines({ 'digest 0f3a, met: ana@example.com': text })).toEqual([
    '  as a text',
    '  "digest 0f3a, met: ana@example.com":',
    `  │ ${text}`,
  ])
  const row = { 'to: bo · amount': 'x'.repeat(40), zone: 'y'.repeat(40) }
  expect(lines({ rows: [row, row] })[2]).toBe(
    `  │ 1. "to: bo · amount": ${'x'.repeat(40)} · zone: ${'y'.repeat(40)}`,
  )
  expect(lines({ rows: [{ 'a │ b': 1 }, { 'a │ b': 2 }] })[2]).toBe('  │ "a │ b"')
})

test('a table of a megabyte has all its rows', () => {
  const rows = Array.from({ length: 130_000 }, () => ({ a: 1 }))
  expect(lines({ rows })).toHaveLength(130_003)
})

promise(['CS-INBOX-40'], 'plain arguments are lines of names and values, and none is lost', () => {
  expect(
    lines({
      amount: 18400,
      recipient: { name: 'Northwind', 'a.b': null, tags: ['x', 'y'], none: {} },
      memo: 'March retainer  ',
      'needs: ana': true,
    }),
  ).toEqual([
    '  │ amount:            18400',
    '  │ recipient.name:    "Northwind"',
    '  │ recipient."a.b":   null',
    '  │ recipient.tags[0]: "x"',
    '  │ recipient.tags[1]: "y"',
    '  │ recipient.none:    {}',
    '  │ memo:              "March retainer‹2 spaces at the end›"',
    '  │ "needs: ana":      true',
  ])
  expect(lines({})).toEqual(['  (no arguments)'])
})

test('a name that is long is not repeated in front of a hundred thousand values', () => {
  const shown = lines({ ['k'.repeat(10_000)]: Array.from({ length: 100_000 }, () => [0]) })
  expect(shown[1]).toBe('  │   [')
  expect(shown.reduce((sum, line) => sum + line.length, 0)).toBeLessThan(10_000_000)
})

promise(['CS-INBOX-32'], 'a letter that imitates another one is spelled inside the value', () => {
  expect(lines({ email: 'billing@n\u043erthwind.example' })).toEqual([
    '  │ email: "billing@n⟦U+043E⟧rthwind.example"',
  ])
  // Neither the mark itself nor the letter of an escape before a word passes for one.
  expect(lines({ a: '⟦U+043E⟧', b: 'x\n\u043f\u0440\u0438\u0432\u0435\u0442' })).toEqual([
    '  │ a: "‹U+27E6›U+043E⟧"',
    '  │ b: "x\\n\u043f\u0440\u0438\u0432\u0435\u0442"',
  ])
  expect(lines({ command: 'curl ex\u0430mple.org' })[2]).toBe('  │ curl ex⟦U+0430⟧mple.org')
})
