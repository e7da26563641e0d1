import { expect, test } from 'vitest'
import { bindingMessage } from './ciba-offer.ts'

const DIGEST = '27f576cadeadbeef'.repeat(4)

test.each([
  ['a tool', { tool: 'delete_user' }, 'delete_user-27f576ca'],
  ['a tool of a server', { tool: 'delete', server: 'crm' }, 'crm.delete-27f576ca'],
  ['41 characters and the digest', { tool: 'a'.repeat(41) }, `${'a'.repeat(41)}-27f576ca`],
  ['one more than fits', { tool: 'a'.repeat(42) }, undefined],
  ['a space', { tool: 'pay lena' }, undefined],
  ['a letter that looks like another', { tool: 'p\u0430y' }, undefined],
  ['a line of its own', { tool: 'pay\nok' }, undefined],
  ['a sign that turns the text', { tool: 'pay\u202e' }, undefined],
  ['a server that does not fit', { tool: 'pay', server: 'a b' }, undefined],
])('%s', (_, call, message) => {
  expect(bindingMessage(call, DIGEST)).toBe(message)
})
