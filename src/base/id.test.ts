import { expect, test } from 'vitest'
import { newId } from './id.ts'

test('ids are letters and digits, and no two are alike', () => {
  const ids = Array.from({ length: 1_000 }, () => newId())
  expect(new Set(ids).size).toBe(1_000)
  for (const id of ids) expect(id).toMatch(/^[0-9a-z]{9}[0-9a-v]{26}$/)
})

test('ids sort by the time they were made', () => {
  const times = [0, 1, 35, 36, Date.UTC(2026, 0, 1), Date.UTC(2050, 0, 1)]
  const ids = times.map((time) => newId(time))
  expect([...ids].sort()).toEqual(ids)
})
