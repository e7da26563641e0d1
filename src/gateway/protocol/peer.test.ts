import { expect, onTestFinished, vi } from 'vitest'
import { promise } from '../../../test/support/promise.ts'
import { type Message, NoAnswer } from './message.ts'
import { createPeer } from './peer.ts'

function peer(send: (message: Message) => boolean) {
  return createPeer({ send, onRequest: () => Promise.reject(), onNotification: () => {} })
}

promise(['CS-MCP-24'], 'a request knows whether it was heard when no answer comes', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const sent: Message[] = []
  const one = peer((message) => sent.push(message) > 0)
  const why = (asked: Promise<unknown>) =>
    asked.then(
      () => 'answered',
      (error: NoAnswer) => [error instanceof NoAnswer, error.message, error.wasSent],
    )
  const hung = why(one.request('tools/call', {}, { timeout: 900_000 }))
  vi.advanceTimersByTime(899_999)
  expect(sent).toHaveLength(1)
  vi.advanceTimersByTime(1)
  expect(await hung).toEqual([true, 'no answer in time', true])
  expect(sent[1]).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 1 } })

  const stop = new AbortController()
  const cancelled = why(one.request('tools/call', {}, { signal: stop.signal }))
  stop.abort()
  expect(await cancelled).toEqual([true, 'cancelled', true])
  const before = why(one.request('tools/call', {}, { signal: stop.signal }))
  expect(await before).toEqual([true, 'cancelled', false])

  const left = why(one.request('tools/call', {}))
  one.close(new Error('it ended'))
  expect(await left).toEqual([true, 'it ended', true])
  expect(await why(one.request('tools/call', {}))).toEqual([true, 'it ended', false])
  const deaf = peer(() => false)
  expect(await why(deaf.request('tools/call', {}))).toEqual([
    true,
    'the peer is not connected',
    false,
  ])
})
