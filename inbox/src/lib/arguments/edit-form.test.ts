import { expect, test } from 'vitest'
import { cardWith } from '../../../test/approval-card.ts'
import { applyEdits, type EditField, fieldsOf, readField, writeField } from './edit-form.ts'
import { mayEdit, readPath } from './editable.ts'

const card = cardWith(
  {
    id: 'a',
    tool: 'pay',
    args: { amount: 5, note: 'x', deep: { on: true, tags: [], 'a.b': 1 }, key: '[secret]' },
    masked: [['key']],
    schema: {
      properties: {
        amount: { type: 'integer', maximum: 9 },
        note: { type: 'string', maxLength: 3 },
      },
    },
    terms: { minAssurance: 'chat', reason: 'optional', edit: true, grants: false, useBy: 1 },
  },
  0,
)

test('every value may get a field', () => {
  expect(fieldsOf(card).map(({ keys, kind, hint }) => [keys.join('/'), kind, hint])).toEqual([
    ['amount', 'number', 'whole number, up to 9'],
    ['note', 'text', 'text, up to 3'],
    ['deep/on', 'choice', 'one of these'],
    ['deep/tags', 'json', 'JSON'],
    ['deep/a.b', 'number', 'number'],
    ['key', 'secret', 'masked; empty leaves it as it is'],
  ])
})

test.each([
  [true, ['a'], true],
  [false, ['a'], false],
  [['a'], ['a', 'b'], true],
  [['a.b'], ['a'], false],
  [['a\\.b'], ['a.b'], true],
  [['a'], ['ab'], false],
] as const)('with edit %j the path %j may be changed: %s', (edit, keys, may) => {
  expect(mayEdit(edit, { keys })).toBe(may)
})

test('paths are read the way policies write them', () => {
  expect(readPath('a.b\\.c.d\\\\e')).toEqual(['a', 'b.c', 'd\\e'])
})

test.each([
  ['10', 'At most 9.'],
  ['1.5', 'Write a whole number.'],
  ['1e400', 'This number is too large to be exact.'],
  ['9007199254740993', 'This number is too large to be exact.'],
  ['12 000', 'Write a number, like 1200 or 12.5.'],
  ['0x10', 'Write a number, like 1200 or 12.5.'],
  ['', 'Write a number, like 1200 or 12.5.'],
])('the number %j is refused: %s', (text, why) => {
  const [amount] = fieldsOf(card)
  expect(readField(amount as EditField, text)).toEqual({ ok: false, why })
})

test('an edit changes what was typed and nothing else', () => {
  const typed = (field: EditField) =>
    field.keys.join('/') === 'deep/on' ? 'false' : writeField(field)
  const { arguments: args, changed, wrong } = applyEdits(card, fieldsOf(card), typed)
  expect(args).toEqual({
    amount: 5,
    note: 'x',
    deep: { on: false, tags: [], 'a.b': 1 },
    key: '[secret]',
  })
  expect(changed).toEqual([{ keys: ['deep', 'on'], was: true, now: false }])
  expect(wrong).toEqual([])
})

test('a key called __proto__ stays an ordinary one', () => {
  const odd = { ...card, schema: undefined, masked: [], arguments: '{"__proto__":{"a":1}}' }
  const edited = applyEdits(odd, fieldsOf(odd), () => '2')
  expect(JSON.stringify(edited.arguments)).toBe('{"__proto__":{"a":2}}')
})

test('a masked value starts empty, stays masked when nothing is typed, and is replaced unseen', () => {
  const fields = fieldsOf(card)
  const typing = (text: string) => (field: EditField) =>
    field.kind === 'secret' ? text : writeField(field)
  expect(applyEdits(card, fields, typing(''))).toMatchObject({
    changed: [],
    arguments: { key: '[secret]' },
  })
  expect(applyEdits(card, fields, typing('new'))).toMatchObject({
    changed: [{ keys: ['key'], now: 'new' }],
    arguments: { key: 'new' },
  })
})
