import { expect, test } from 'vitest'
import { addHistograms, countOf, histogramOf as of, quantile } from './histogram.ts'

test('a quantile is at most 3 % off, from a millisecond to a year', () => {
  for (let ms = 3; ms < 3e10; ms *= 1.37) {
    const read = quantile(of([ms]), 0.5) ?? 0
    expect(Math.abs(read - ms)).toBeLessThanOrEqual(Math.max(1, ms * 0.03))
  }
})

test('quantiles go by rank, and of nothing there are none', () => {
  const times = Array.from({ length: 100 }, (_, n) => (n + 1) * 1_000)
  const near = (share: number, ms: number) =>
    expect(Math.abs((quantile(of(times), share) ?? 0) - ms)).toBeLessThan(ms * 0.03)
  near(0.5, 50_000)
  near(0.95, 95_000)
  expect(quantile({}, 0.5)).toBeUndefined()
  expect(quantile(of([0]), 0.5)).toBe(0)
})

test('two histograms add up', () => {
  const both = addHistograms(of([10, 20, 20]), of([20, 4e12]))
  expect(countOf(both)).toBe(5)
  expect(both).toEqual(of([10, 20, 20, 20, 4e12]))
})
