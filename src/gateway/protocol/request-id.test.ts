import { expect, test } from 'vitest'
import { requestIdIn } from './request-id.ts'

const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`

test.each([
  ['a number', '{"jsonrpc":"2.0","id":7,"method":"m","params":{"n":9007199254740993}}', 7],
  ['a text', '{"method":"m","id":"a\\u0062","params":{"s":"\\ud800"}}', 'ab'],
  ['behind what is nested deep', `{"method":"m","params":${deep},"id":3}`, 3],
  ['behind a long text', `{"method":"m","params":{"s":"${'a\\n'.repeat(4_000_000)}"},"id":3}`, 3],
  ['an id further in is another', '{"method":"m","params":{"id":4},"id":5}', 5],
  ['an id in a text is none', '{"method":"m","params":{"s":"\\",\\"id\\":4"},"id":5}', 5],
  ['beside another member twice', '{"method":"m","params":{},"params":{},"id":6}', 6],
  ['twice', '{"id":1,"method":"m","id":2}', null],
  ['twice, once in escapes', '{"id":1,"method":"m","\\u0069d":2}', null],
  ['no id', '{"method":"m","params":{"id":1}}', null],
  ['not the answer to a request of ours', '{"id":1,"result":{"n":9007199254740993}}', null],
  ['a list', '[{"id":1,"method":"m"}]', null],
  ['cut off', '{"id":1,"method":"m","params":{"a":', null],
  ['followed by something', '{"id":1,"method":"m"} {"id":2,"method":"m"}', null],
  ['beyond 2^53', '{"id":9007199254740993,"method":"m"}', null],
  ['half of a pair', '{"id":"\\ud800","method":"m"}', null],
  ['an object', '{"id":{"id":1},"method":"m"}', null],
  ['no JSON', 'hello {"id":1}', null],
])('the id of a request that cannot be read: %s', (_, line, id) => {
  expect(requestIdIn(new TextEncoder().encode(line))).toBe(id)
})

test('the id of a request in bytes that are no text is read where it is plain', () => {
  const start = new TextEncoder().encode('{"id":9,"method":"m","params":{"s":"')
  const end = new TextEncoder().encode('"}}')
  expect(requestIdIn(new Uint8Array([...start, 0xff, ...end]))).toBe(9)
})
