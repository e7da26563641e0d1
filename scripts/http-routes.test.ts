import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CONTRACTS } from '../src/api/contracts.ts'
import { PAGE, routesTable, withRoutes } from './http-routes.ts'

test('the table of routes in docs/reference/http.md is up to date', () => {
  const page = readFileSync(PAGE, 'utf8')
  expect(page, 'run `npm run http-routes`').toBe(withRoutes(page))
})

test('every route has a row, with its callers', () => {
  const rows = routesTable().split('\n').slice(2)
  expect(rows).toHaveLength(Object.keys(CONTRACTS).length)
  expect(rows.filter((row) => row.includes('|  |'))).toEqual([])
})
