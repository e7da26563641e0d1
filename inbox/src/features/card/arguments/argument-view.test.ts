import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shownBy, viewOf } from '../../../../../src/api/arguments/argument-view.ts'
import { changedLines, sideOf } from '../../../../../src/api/arguments/line-diff.ts'
import { patchLines } from '../../../../../src/api/arguments/patch-lines.ts'
import { sqlTokens, sqlWriting } from '../../../../../src/base/deception/sql.ts'
import { PAYLOADS } from '../../../../../test/corpus-payloads/payloads.ts'
import { VIEWS } from '../../../../dev/seeds/views.ts'
import { type Json, parseArguments, readAt } from '../../../lib/arguments/values.ts'
import { changedWords } from '../../../lib/changed-words.ts'
import { sqlLines } from './sql-lines.ts'

const TEXTS = PAYLOADS.map(({ text }) => text)

test.each([
  ['mail', 'Message'],
  ['sql', 'SQL'],
  ['patch', 'Changes'],
  ['edit', 'Changes'],
  ['bash', 'Command'],
  ['table', 'Table'],
  ['text', 'Text'],
])('the shape of %s chooses %s', (shape, name) => {
  const args = parseArguments(JSON.stringify(VIEWS[shape]?.args))
  const masked = shape === 'bash' ? [['env', 'NPM_TOKEN']] : []
  expect(viewOf(args, masked)?.name).toBe(name)
})

test.each<[string, Json]>([
  ['no object', ['to', 'subject', 'body']],
  ['names alone', { sql: 'how many are there?', query: 'weather in Graz' }],
  ['a subject without a letter', { to: 'a@example.com', subject: 'x' }],
  ['a list of different things', { rows: [{ a: 1 }, { a: { b: 1 } }] }],
  ['an edit with more in it', { edits: [{ oldText: 'a', newText: 'b', also: 'c' }] }],
])('%s gets no view of its own', (_, args) => {
  expect(viewOf(args, [])).toBeUndefined()
})

test('a masked value is never part of a view', () => {
  const mail = { to: 'a@example.com', subject: 'x', body: '[secret]', cc: 'b@example.com' }
  expect(viewOf(mail, [['body']])).toBeUndefined()
  expect([...(viewOf(mail, [['cc']])?.covers ?? [])].sort()).toEqual(['body', 'subject', 'to'])
})

const name = fc.constantFrom(
  ...['to', 'cc', 'subject', 'body', 'text', 'sql', 'query', 'patch', 'command', 'path', 'content'],
  ...['old_string', 'new_string', 'edits', 'oldText', 'newText', 'rows', '__proto__', '0', ''],
)
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(...TEXTS),
  fc.constantFrom(...TEXTS).map((one) => `select '${one}' from "${one}" -- ${one}`),
  fc.constantFrom(...TEXTS).map((one) => `--- a\n+++ b\n@@ -1 +1 @@\n-${one}\n+${one}`),
  fc.array(fc.constantFrom('a', 'b', '', 'c\r'), { maxLength: 9 }).map((all) => all.join('\n')),
)
const { args } = fc.letrec<{ args: Json; value: Json }>((tie) => ({
  args: fc
    .array(fc.tuple(name, tie('value')), { maxLength: 7 })
    .map((all) => Object.fromEntries(all)),
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.double({ noNaN: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(tie('args'), { maxLength: 4 }),
    tie('args'),
  ),
}))

test('what a view shows is what is bound, whatever is in it', () => {
  let views = 0
  fc.assert(
    fc.property(args, (given) => {
      const bound = JSON.parse(JSON.stringify(given)) as Json
      const view = viewOf(bound, [])
      if (view === undefined) return
      views += 1
      // Names that the view covers are drawn whole; all others stay rows of the tree.
      const rebuilt = new Map<string, Json>()
      for (const [keys, value] of shownBy(view.blocks)) {
        expect(readAt(bound, keys)).toEqual(value)
        rebuilt.set(JSON.stringify(keys), value)
      }
      for (const key of view.covers) {
        expect([...rebuilt.keys()].some((one) => (JSON.parse(one) as string[])[0] === key)).toBe(
          true,
        )
      }
    }),
    { numRuns: 3_000, seed: 7 },
  )
  expect(views).toBeGreaterThan(200)
})

test('SQL is cut without a loss, and words that write are found', () => {
  for (const one of TEXTS) {
    const statement = `SELECT '${one}', ${one} FROM t; /* ${one} */`
    const tokens = sqlTokens(statement)
    expect(tokens.map((token) => token.text).join('')).toBe(statement)
    const lines = sqlLines(tokens).map((line) => line.map((token) => token.text).join(''))
    expect(lines.join('\n')).toBe(statement)
  }
  const sql =
    "select 1;\nwith x as (delete from t returning *)\nselect replace(a, 'DROP') -- update"
  expect(sqlWriting(sqlTokens(sql))).toEqual({
    plain: [{ word: 'DELETE', line: 2 }],
    inside: [
      { word: 'DROP', line: 3 },
      { word: 'UPDATE', line: 3 },
    ],
  })
  // A letter of another alphabet makes another word, and is no keyword.
  expect(sqlTokens('s\u0435lect 1')[0]?.kind).toBe('plain')
})

test('a change gives back both of its sides', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })
  fc.assert(
    fc.property(lines, lines, fc.boolean(), (old, next, end) => {
      const before = old.join('\n') + (end ? '\n' : '')
      const after = next.join('\n')
      const found = changedLines(before, after)
      expect([sideOf(found, 'removed'), sideOf(found, 'added')]).toEqual([before, after])
    }),
  )
})

test('in a patch only what a hunk counts is taken at its sign', () => {
  const patch = '--- a\n+++ b\n@@ -7,2 +9,2 @@\n same\n-old\n+new\n-after the end\n'
  expect(patchLines(patch)).toEqual([
    { kind: 'same' },
    { kind: 'same' },
    { kind: 'hunk' },
    { kind: 'same', before: 7, after: 9 },
    { kind: 'removed', before: 8 },
    { kind: 'added', after: 10 },
    { kind: 'same' },
    { kind: 'same' },
  ])
})

test('a line of a patch has the number it has in the file, in each of its hunks', () => {
  const patch = '--- a\n+++ b\n@@ -3 +3,2 @@\n-x\n+y\n+z\n@@ -90,1 +91 @@ f()\n-x\n+y\n'
  expect(patchLines(patch).map(({ before, after }) => [before, after])).toEqual([
    [undefined, undefined],
    [undefined, undefined],
    [undefined, undefined],
    [3, undefined],
    [undefined, 3],
    [undefined, 4],
    [undefined, undefined],
    [90, undefined],
    [undefined, 91],
    [undefined, undefined],
  ])
  const [, , , line] = patchLines(`--- a\n+++ b\n@@ -${'9'.repeat(30)} +1 @@\n-x\n+y\n`)
  expect(line).toEqual({ kind: 'removed' })
})

test('the words that changed are marked inside of lines that are otherwise the same', () => {
  const line = (kind: string, text: string) => ({ kind, text })
  const lines = [
    line('removed', '  return round(order.total * rate)'),
    line('added', '  return round(order.total * (exempt ? 0 : rate))'),
    line('same', ''),
    line('removed', 'one thing'),
    line('added', 'quite another'),
    line('removed', 'a 👩‍👩‍👧 b'),
    line('added', 'a 👩‍👩‍👦 b'),
  ]
  const marked = [...changedWords(lines)].map(([at, [from, to]]) => [
    at,
    lines[at]?.text.slice(from, to),
  ])
  expect(marked).toEqual([
    [0, 'rate'],
    [1, '(exempt ? 0 : rate)'],
    [5, '👩‍👩‍👧'],
    [6, '👩‍👩‍👦'],
  ])
})
