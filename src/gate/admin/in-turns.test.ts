import { expect, test } from 'vitest'
import { inTurns } from './in-turns.ts'

function busy(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('other work has its turn before the last of many slow items', async () => {
  const order: unknown[] = []
  setTimeout(() => order.push('other'), 0)
  const done = await inTurns([1, 2, 3, 4], async (item) => {
    busy(25)
    order.push(item)
    return item * 2
  })
  expect(done).toEqual([2, 4, 6, 8])
  expect(order.indexOf('other')).toBeLessThan(order.indexOf(4))
  expect(order).toContain('other')
})
