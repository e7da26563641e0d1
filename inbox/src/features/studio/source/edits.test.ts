import { expect, test } from 'vitest'
import { editFor, lineRange } from './edits.ts'

/** `|` stands at both ends of the selection, or once at the caret. */
function after(key: string, text: string, shiftKey = false): string | undefined {
  const from = text.indexOf('|')
  const bare = text.replaceAll('|', '')
  const to = text.lastIndexOf('|') === from ? from : text.lastIndexOf('|') - 1
  const edit = editFor({ key, shiftKey }, { text: bare, from, to })
  if (!edit) return undefined
  const next = bare.slice(0, edit.from) + edit.text + bare.slice(edit.to)
  const [begin, end] = edit.select
  const marked = `${next.slice(0, end)}|${next.slice(end)}`
  return begin === end ? marked : `${marked.slice(0, begin)}|${marked.slice(begin)}`
}

test.each([
  ['Tab goes to the next step', 'Tab', 'a|', 'a |'],
  ['Tab on a step inserts a whole one', 'Tab', '  |a', '    |a'],
  ['Tab indents every line that is selected', 'Tab', '|a\n\nb|', '  |a\n\n  b|'],
  ['Enter keeps the indentation', 'Enter', '  a|', '  a\n  |'],
  ['Enter goes deeper after an opening bracket', 'Enter', '  f({|', '  f({\n    |'],
  ['Enter between brackets makes room', 'Enter', 'f({|})', 'f({\n  |\n})'],
  ['a closing bracket that begins a line goes back', '}', '{\n    |', '{\n  }|'],
])('%s', (_, key, before, then) => {
  expect(after(key, before)).toBe(then)
})

test('Shift Tab takes a step from every line, and leaves the others alone', () => {
  expect(after('Tab', '  |a\n b\nc|', true)).toBe('|a\nb\nc|')
  expect(after('Tab', 'a\n  b|', true)).toBe('a\nb|')
  expect(after('Tab', '|  a\n|  b', true)).toBe('|a\n|  b')
})

test('every other key types what it says', () => {
  expect(after('a', '|')).toBeUndefined()
  expect(after('}', 'a |')).toBeUndefined()
  expect(after('Enter', '|', true)).toBeUndefined()
})

test('a line is found by its number', () => {
  expect(lineRange('ab\ncd\n', 2)).toEqual([3, 5])
  expect(lineRange('ab\ncd\n', 3)).toEqual([6, 6])
  expect(lineRange('ab', 9)).toEqual([0, 2])
})
