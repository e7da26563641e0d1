import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { promise } from './support/promise.ts'

const root = path.resolve(import.meta.dirname, '..')
const guides = path.join(root, 'docs/guides')
const page = readFileSync(path.join(guides, 'which-door.md'), 'utf8')

/** The rows of the guide's table, by their number. */
const rows = new Map(
  [...page.matchAll(/^\| (\d) \| (.*) \|$/gm)].map(([, n = '', text = '']) => [Number(n), text]),
)

function linksIn(text: string): string[] {
  return [...text.matchAll(/\]\(([^)#]+\.md)/g)].map(([, link = '']) => link)
}

promise(['CF-1'], 'every pattern has a door with a page, and every import named exists', () => {
  const patterns = ['waitForApproval', 'needsApproval', 'onToolCall', 'elicitation', 'gate.guard']
  const table = [...rows.values()].join('\n')
  expect(patterns.filter((pattern) => !table.includes(pattern))).toEqual([])
  const links = linksIn(table)
  expect(links.length).toBeGreaterThan(6)
  expect(links.filter((link) => !existsSync(path.join(guides, link)))).toEqual([])

  const { exports } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, unknown>
  }
  const texts = ['workflows.md', ...readdirSync(path.join(guides, 'workflows'))].map((name) =>
    readFileSync(path.join(guides, name === 'workflows.md' ? '' : 'workflows', name), 'utf8'),
  )
  const named = new Set(texts.flatMap((text) => text.match(/\bcountersign\/[a-z/-]+[a-z]/g) ?? []))
  expect(named).toContain('countersign/openworkflow')
  const missing = [...named].filter((name) => !(name.replace('countersign', '.') in exports))
  expect(missing).toEqual([])
})

promise(['CF-2'], 'the guide decides in the order of the page', () => {
  const [, tree = ''] = /```\n([\s\S]*?)```/.exec(page) ?? []
  // As they stand in the tree, each with what its row of the table is about.
  const order = [...tree.matchAll(/→ (\d) /g)].map(([, n]) => Number(n))
  expect(order[0]).toBe(1)
  const about = [
    [1, /survive a crash or a deploy/],
    [2, /MCP servers that you do not own/],
    [3, /MCP server of your own/],
    [5, /chat or agent loop/],
    [6, /browser.*nothing here sees it run/],
    [7, /Any other code/],
  ] as const
  for (const [n, text] of about) expect(rows.get(n)).toMatch(text)
  const said = [...tree.matchAll(/(?<!\d)([1-8])(?= {2}|$|\s)/gm)].map(([, n]) => Number(n))
  expect(said).toEqual([1, 2, 3, 4, 6, 5, 7, 8])
})

promise(['CF-37'], 'nothing but the MCP side elicits', () => {
  const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .filter((name) => {
      const text = readFileSync(path.join(root, 'src', name), 'utf8')
      return /elicitation\/create|elicitInput/.test(text)
    })
  expect(sources.length).toBeGreaterThan(0)
  expect(sources.filter((name) => !name.startsWith('gateway/'))).toEqual([])
})
