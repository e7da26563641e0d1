import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { CONTRACTS } from '../src/api/contracts.ts'
import { running } from './server/harness.ts'
import { openPostgres } from './stores/place.ts'
import { freshDatabase } from './support/postgres.ts'
import { promise } from './support/promise.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')

interface Alert {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string }
}

interface Panel {
  readonly id: number
  readonly title: string
  readonly targets: readonly { readonly expr: string }[]
}

const alerts = (
  parse(read('deploy/prometheus/alerts.yaml')) as { groups: { rules: Alert[] }[] }
).groups.flatMap(({ rules }) => rules)
const { panels } = JSON.parse(read('deploy/grafana/countersign.json')) as { panels: Panel[] }
const expressions = [
  ...alerts.map(({ expr }) => expr),
  ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
]

/** What Prometheus adds itself. */
const OWN = new Set(['up'])
const NAME = /\b(up|(?:countersign|process)_[a-z_]+)/g

async function metricNames(): Promise<Set<string>> {
  const { send, agent } = running({ store: await openPostgres(await freshDatabase()) })
  // A refusal, so that its counter has a sample.
  await send('/v1/locks', { as: await agent('bot'), body: {} })
  const { body } = await send('/metrics')
  const families = [...String(body).matchAll(/^# TYPE (\S+) (\w+)$/gm)]
  return new Set(
    families.flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  )
}

promise(
  ['CS-WATCH-3'],
  'every metric in the alert rules, the dashboard and the page on monitoring is there',
  async () => {
    const known = await metricNames()
    const unknown = expressions.flatMap((expr) =>
      [...expr.matchAll(NAME)].flatMap(([name]) =>
        known.has(name) || OWN.has(name) ? [] : [name],
      ),
    )
    expect(unknown).toEqual([])
    const page = [...read('docs/operate/monitor.md').matchAll(/`(countersign_[a-z_]+)/g)]
    const onPage = new Set(page.map(([, name = '']) => name))
    const bases = new Set([...known].map((name) => name.replace(/_(?:bucket|sum|count)$/, '')))
    expect([...onPage].filter((name) => !bases.has(name))).toEqual([])
    expect(
      [...bases].filter((name) => name.startsWith('countersign_') && !onPage.has(name)),
    ).toEqual([])
  },
)

test('alerts are named once, with a severity and a sentence, and brackets close', () => {
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length)
  for (const { labels, annotations } of alerts) {
    expect(['page', 'ticket']).toContain(labels.severity)
    expect(annotations.summary).toMatch(/^[A-Z].*\.$/)
  }
  for (const expr of expressions) {
    for (const [open, close] of ['()', '{}', '[]']) {
      expect([expr, expr.split(open ?? '').length]).toEqual([expr, expr.split(close ?? '').length])
    }
  }
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
})

test('routes that the dashboard names are routes of the server', () => {
  const routes = new Set(Object.keys(CONTRACTS).map((name) => name.split(' ')[1]))
  const named = expressions.flatMap((expr) => /route=~"([^"]+)"/.exec(expr)?.[1] ?? [])
  expect(named).toHaveLength(1)
  for (const pattern of named[0]?.split('|') ?? []) {
    expect([...routes].some((route) => route === pattern)).toBe(true)
  }
})
