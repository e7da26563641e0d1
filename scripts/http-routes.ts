/** `npm run http-routes`: writes the table of routes in docs/reference/http.md from the contracts. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Contract, Who } from '../src/api/contract.ts'
import { CONTRACTS } from '../src/api/contracts.ts'
import { root } from './tool.ts'

export const PAGE = path.join(root, 'docs', 'reference', 'http.md')
const OPENING = '<!-- routes -->'
const CLOSING = '<!-- /routes -->'

export function routesTable(): string {
  const rows = Object.entries<Contract>(CONTRACTS).map(
    ([name, { who, summary }]) => `| \`${name}\` | ${callers(who)} | ${cell(summary)} |`,
  )
  return ['| Route | For | Does |', '|---|---|---|', ...rows].join('\n')
}

function callers(who: readonly Who[]): string {
  const people = who.filter((one) => one !== 'agent' && one !== 'anyone')
  const isAll = people.length === 4
  const words = [
    ...(who.includes('anyone') ? ['all'] : []),
    ...(isAll ? ['people'] : people.map((one) => `${one}s`)),
    ...(who.includes('agent') ? ['agents'] : []),
  ]
  return words.join(', ')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}

/** The page with the table between its two markers. */
export function withRoutes(page: string): string {
  const start = page.indexOf(OPENING)
  const end = page.indexOf(CLOSING)
  if (start < 0 || end < start) throw new Error(`http.md has no ${OPENING} … ${CLOSING}`)
  return `${page.slice(0, start + OPENING.length)}\n${routesTable()}\n${page.slice(end)}`
}

if (import.meta.main) {
  const before = readFileSync(PAGE, 'utf8')
  const after = withRoutes(before)
  if (after !== before) writeFileSync(PAGE, after)
  process.stdout.write(`docs/reference/http.md ${after === before ? 'is up to date' : 'written'}\n`)
}
