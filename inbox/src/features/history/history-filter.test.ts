import { expect, test } from 'vitest'
import { isNarrowed, readFilter, requestOf, writeFilter } from './history-filter.ts'

const NOW = new Date(2026, 10, 17, 15, 30).getTime()
const read = (query: string) => readFilter(new URLSearchParams(query))

test('a filter survives the address, and the usual one leaves it empty', () => {
  const query =
    'q=pay&outcome=denied&agent=bot&tool=pay&server=bank&person=ana%40example.com&risk=L3%2CL4&period=dates&from=2026-11-01&to=2026-11-02&sort=risk'
  expect(writeFilter(read(query)).toString()).toBe(query)
  expect(writeFilter(read('')).toString()).toBe('')
  expect(isNarrowed(read('sort=oldest'))).toBe(false)
  expect(isNarrowed(read('risk=L4'))).toBe(true)
})

test('what an address cannot mean counts as absent', () => {
  expect(read('outcome=constructor&period=x&sort=y&risk=L9&from=1-1-1')).toEqual(read(''))
})

test('days begin and end at midnight where the reader is', () => {
  expect(requestOf(read('period=today'), NOW).since).toBe(new Date(2026, 10, 17).getTime())
  expect(requestOf(read('period=7d'), NOW).since).toBe(new Date(2026, 10, 11).getTime())
  const dates = requestOf(read('period=dates&from=2026-11-01&to=2026-11-01'), NOW)
  expect(dates.since).toBe(new Date(2026, 10, 1).getTime())
  expect(dates.until).toBe(new Date(2026, 10, 2).getTime() - 1)
  expect(requestOf(read('from=2026-11-01'), NOW).since).toBeUndefined()
})
