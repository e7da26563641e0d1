import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEventReader } from './event-stream.ts'

const line = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => !/[\r\n]/.test(text))

test('events are the same wherever the stream is cut, with either end of line', () => {
  const events = fc.array(fc.array(line, { minLength: 1, maxLength: 3 }), { maxLength: 4 })
  fc.assert(
    fc.property(events, fc.constantFrom('\n', '\r\n'), fc.array(fc.nat(9)), (all, end, cuts) => {
      const text = all
        .map(
          (lines) =>
            `id: 1${end}retry: 20${end}${lines.map((one) => `data: ${one}${end}`).join('')}${end}`,
        )
        .join('')
      const bytes = new TextEncoder().encode(text)
      const read: unknown[] = []
      const retries: number[] = []
      const reader = createEventReader(1_000, {
        onEvent: (event) => read.push(event),
        onRetry: (ms) => retries.push(ms),
      })
      let at = 0
      for (const cut of [...cuts, bytes.length]) {
        expect(reader.push(bytes.subarray(at, at + cut))).toBe(true)
        at += cut
      }
      expect(read).toEqual(all.map((lines) => ({ data: lines.join('\n'), id: '1' })))
      expect(retries).toEqual(all.map(() => 20))
    }),
  )
})

test('an event that never ends is cut off soon', () => {
  const reader = createEventReader(32_000_000, { onEvent() {}, onRetry() {} })
  const piece = new TextEncoder().encode('x'.repeat(16_384))
  const started = performance.now()
  let taken = 0
  while (reader.push(piece)) taken += piece.length
  expect(taken).toBeGreaterThan(31_900_000)
  expect(taken).toBeLessThanOrEqual(32_000_000)
  expect(performance.now() - started).toBeLessThan(2_000)
})

function readAll(text: string): { read: unknown[]; retries: number[] } {
  const read: unknown[] = []
  const retries: number[] = []
  const reader = createEventReader(1_000, {
    onEvent: (event) => read.push(event),
    onRetry: (ms) => retries.push(ms),
  })
  reader.push(new TextEncoder().encode(text))
  return { read, retries }
}

test('an event without text names the place to go on from', () => {
  expect(readAll('id: 7\ndata:\n\n').read).toEqual([{ data: '', id: '7' }])
})

test('a time to wait counts without an event, and only where it is a sane number', () => {
  expect(readAll('retry: 50\n\n').retries).toEqual([50])
  for (const wrong of ['', 'x', '-1', '1e3', '9999999999']) {
    expect(readAll(`retry: ${wrong}\n\n`).retries).toEqual([])
  }
})

test('comments and unknown fields are no events', () => {
  const { read } = readAll(': alive\n\nfoo: 1\nfoo\n\nevent: message\ndata: {}\n\n')
  expect(read).toEqual([{ event: 'message', data: '{}', id: undefined }])
})
