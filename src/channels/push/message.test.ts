import { expect, test } from 'vitest'
import type { Notice } from '../../gate/notify/channel.ts'
import { messageFor } from './message.ts'

const CHANGED: Notice = {
  ...{ id: 'a1-2-changed', kind: 'changed', question: true, at: 0, to: [] },
  approval: {
    ...{ id: 'a1', revision: 2, status: 'pending', level: 'review', kind: 'tool' },
    ...{ tool: 'pay', agent: 'biller', message: 'May biller run pay?', askedAt: 0, decideBy: 1 },
  },
}
const reader = { now: 0, home: '/' }
const previous = { ref: 'open', revision: 1 }

test('a changed call does not wait for a person who is no longer asked', () => {
  const told = messageFor(CHANGED, { previous, settles: true }, reader)
  // Still open, so that its end closes it.
  expect([told.payload, told.state]).toEqual([undefined, 'open'])
  const { payload } = messageFor(CHANGED, { previous, settles: false }, reader)
  expect(payload?.notification.title).toBe('pay changed and waits for you')
})
