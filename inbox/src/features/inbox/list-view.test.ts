import { expect, test } from 'vitest'
import { filterWords } from './filter-words.ts'
import { FIRST_VIEW, fits, type ListView, readView, writeView } from './list-view.ts'

const NOW = 1_000_000_000
const row = {
  mine: { may: true },
  risk: 'L3',
  agent: 'Billing agent',
  tool: 'refund',
  server: 'payments',
  principal: 'ana@example.com',
  askedAt: NOW - 7_200_000,
} as const
const of = (view: Partial<ListView>) => fits(row, { ...FIRST_VIEW, ...view }, NOW)

test('each filter leaves out what it does not name', () => {
  expect(of({})).toBe(true)
  expect(of({ whose: 'others' })).toBe(false)
  expect([of({ from: 3 }), of({ from: 4 })]).toEqual([true, false])
  expect([of({ agent: 'Billing agent' }), of({ agent: 'Billing' })]).toEqual([true, false])
  expect([of({ tool: 'payments/refund' }), of({ tool: 'refund' })]).toEqual([true, false])
  expect([of({ person: 'ana@example.com' }), of({ person: 'bo@example.com' })]).toEqual([
    true,
    false,
  ])
  expect([of({ asked: 'day' }), of({ asked: 'hour' })]).toEqual([true, false])
})

test('a call without a rating passes every filter by risk', () => {
  const { risk: _, ...unrated } = row
  expect(fits(unrated, { ...FIRST_VIEW, from: 4 }, NOW)).toBe(true)
})

test('an address says the whole view, and only what differs from the usual', () => {
  const view: ListView = {
    order: 'newest',
    whose: 'all',
    from: 4,
    find: 'a & b',
    agent: 'x=1&y',
    tool: 'payments/refund',
    person: 'ana@example.com',
    asked: 'week',
  }
  expect(readView(new URLSearchParams(writeView(view)))).toEqual(view)
  expect(writeView(FIRST_VIEW)).toBe('')
  expect(writeView({ ...FIRST_VIEW, from: 3 })).toBe('risk=3')
})

test('words that an address cannot mean are as good as absent', () => {
  const params = new URLSearchParams('risk=9&order=up&whose=none&asked=ever&constructor=1')
  expect(readView(params)).toEqual(FIRST_VIEW)
})

test('names of a call are marked as such in the line that says what is left out', () => {
  expect(filterWords({ ...FIRST_VIEW, from: 2, agent: 'bot', asked: 'hour' })).toEqual([
    { text: 'L2 and up' },
    { text: 'bot', isValue: true },
    { text: 'last hour' },
  ])
})
