import type { UIMessage } from 'ai'
import { expect } from 'vitest'
import { unsentText } from '../../inbox/src/features/chat/unsent-text.ts'
import { promise } from '../support/promise.ts'

const said = (id: string, text: string): UIMessage => ({
  id,
  role: 'user',
  parts: [{ type: 'text', text }],
})

promise(['CS-CHAT-7'], 'a message that did not arrive comes back, an edited one as well', () => {
  const kept = [said('a', 'Pay 40')]
  expect(unsentText([said('a', 'Pay 40')], kept)).toBeUndefined()
  expect(unsentText([said('a', 'Pay 40'), said('b', 'Pay 50')], kept)).toBe('Pay 50')
  // An edit keeps the id of the message it replaces.
  expect(unsentText([said('a', 'Pay 4')], kept)).toBe('Pay 4')
  expect(unsentText([], kept)).toBeUndefined()
})
