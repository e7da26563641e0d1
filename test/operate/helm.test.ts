import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { SETTINGS, variableOf } from '../../src/cli/config/settings.ts'
import { loadOwner } from '../../src/policy/load/load.ts'
import { promise } from '../support/promise.ts'
import { renderChart } from './helm-template.ts'

const DEPLOY = path.resolve(import.meta.dirname, '../../deploy')
const CHART = path.join(DEPLOY, 'helm/countersign')
const read = (...names: string[]) => readFileSync(path.join(...names), 'utf8')

type Tree = { readonly [key: string]: unknown }
interface Manifest extends Tree {
  readonly kind: string
}

const chart = parse(read(CHART, 'Chart.yaml')) as Record<string, string>
const values = parse(read(CHART, 'values.yaml')) as Tree
const valid = new Ajv().compile(JSON.parse(read(CHART, 'values.schema.json')))
const templates = Object.fromEntries(
  readdirSync(path.join(CHART, 'templates')).map((name) => [name, read(CHART, 'templates', name)]),
)

/** As Helm lays values over each other. */
function over(base: unknown, given: unknown): unknown {
  if (!isTree(base) || !isTree(given)) return given
  const keys = [...new Set([...Object.keys(base), ...Object.keys(given)])]
  return Object.fromEntries(
    keys.map((key) => [key, key in given ? over(base[key], given[key]) : base[key]]),
  )
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function rendered(given: Tree, release = 'countersign'): Manifest[] {
  const all = over(values, given) as Tree
  expect([valid(all), valid.errors]).toEqual([true, null])
  const dot = {
    Values: all,
    Chart: { AppVersion: chart.appVersion },
    Release: { Name: release, Service: 'Helm' },
  }
  const texts = renderChart(templates, dot, (name) => read(CHART, name))
  return Object.values(texts).flatMap(documents)
}

function documents(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    expect(document.errors).toEqual([])
    const manifest = document.toJS() as Manifest | null
    return manifest ? [manifest] : []
  })
}

const plain = ['config', 'migrate', 'countersign'].flatMap((name) =>
  documents(read(DEPLOY, 'kubernetes', `${name}.yaml`)),
)
const shipped = plain.find(({ kind }) => kind === 'ConfigMap') as Manifest
const { 'config.yaml': config = '', ...files } = shipped.data as Record<string, string>
/** Says what deploy/kubernetes says. */
const SAME = {
  config: parse(config) as Tree,
  files,
  ingress: { enabled: true, host: 'countersign.example.com' },
}

/** What Helm and a chart need beyond the plain files. */
const ADDED =
  /^(?:helm\.sh\/.+|checksum\/.+|app\.kubernetes\.io\/(?:instance|version|managed-by)|imagePullPolicy)$/

/** Without what only the chart has; lists whose order says nothing in one order. */
function bare(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => bare(item))
    return key === 'env' ? items.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)) : items
  }
  if (key === 'image') return String(value).replace(`:${chart.appVersion}`, '')
  if (key === 'config.yaml') return parse(String(value))
  if (!isTree(value)) return value
  const kept = Object.entries(value).flatMap(([name, one]) => {
    const inner = ADDED.test(name) ? undefined : bare(one, name)
    const isGone = inner === undefined || (/^(?:labels|annotations)$/.test(name) && isEmpty(inner))
    return isGone ? [] : [[name, inner] as const]
  })
  return Object.fromEntries(kept)
}

const nameOf = (value: unknown) => String((value as Tree).name)
const isEmpty = (value: unknown) => isTree(value) && Object.keys(value).length === 0

/** The chart labels everything; the plain files label what is looked for. */
function unlabelled({ metadata, ...rest }: Manifest): unknown {
  const { labels: _, ...kept } = metadata as Tree
  return bare({ ...rest, metadata: kept })
}

promise(['CS-DEPLOY-2'], 'the Helm chart makes what deploy/kubernetes has', () => {
  const kinds = (all: readonly Manifest[]) => all.map(({ kind }) => kind).sort()
  const made = rendered(SAME)
  expect(kinds(made)).toEqual(kinds(plain))
  for (const manifest of plain) {
    const ours = made.find(({ kind }) => kind === manifest.kind) as Manifest
    expect(unlabelled(ours)).toEqual(unlabelled(manifest))
  }
})

test('the migration runs before servers are installed or upgraded, and again', () => {
  const job = rendered(SAME).find(({ kind }) => kind === 'Job')?.metadata as Tree
  expect(job.annotations).toEqual({
    'helm.sh/hook': 'pre-install,pre-upgrade',
    'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
  })
  const without = rendered({ ...SAME, migrate: { enabled: false } })
  expect(without.map(({ kind }) => kind)).not.toContain('Job')
})

test('two releases in one namespace share no name and no pod', () => {
  const [one, two] = ['one', 'two'].map((name) => rendered(SAME, name))
  const names = (all: readonly Manifest[] = []) =>
    all.map(({ kind, metadata }) => `${kind} ${(metadata as Tree).name}`)
  expect(names(one).filter((name) => names(two).includes(name))).toEqual([])
  const selectors = (all: readonly Manifest[] = []) =>
    all.flatMap(({ kind, spec }) => (kind === 'Service' ? [(spec as Tree).selector] : []))
  expect(selectors(one)).not.toEqual(selectors(two))
})

test('other text in the policy starts the servers again', () => {
  const checksums = (text: string) => {
    const set = rendered({ ...SAME, files: { 'countersign.yaml': text } }).find(
      ({ kind }) => kind === 'StatefulSet',
    )?.spec as { template: { metadata: { annotations: Tree } } }
    return set.template.metadata.annotations
  }
  expect(checksums('version: 1')).toEqual(checksums('version: 1'))
  expect(checksums('version: 1')['checksum/files']).not.toBe(checksums('')['checksum/files'])
})

test('settings of the chart are settings, and secrets are named and never held', () => {
  const known = SETTINGS.map(variableOf)
  for (const name of Object.keys(values.secretFiles as Tree)) expect(known).toContain(name)
  const made = rendered({ ...SAME, secretFiles: { COUNTERSIGN_OIDC_CLIENT_SECRET: null } })
  expect(made.map(({ kind }) => kind)).not.toContain('Secret')
  expect(JSON.stringify(made)).not.toContain('OIDC_CLIENT_SECRET_FILE')
  const [text = ''] = Object.values(values.files as Record<string, string>)
  expect(loadOwner({ file: 'countersign.yaml', text })).toHaveProperty('document')
})

test('the Prometheus operator is given the token of the metrics and the same alert rules', () => {
  expect(read(CHART, 'files/alerts.yaml')).toBe(read(DEPLOY, 'prometheus/alerts.yaml'))
  const made = rendered({
    ...SAME,
    serviceMonitor: { enabled: true },
    prometheusRule: { enabled: true },
  })
  const spec = (kind: string) => made.find((one) => one.kind === kind)?.spec as Tree
  expect(spec('PrometheusRule')).toEqual(parse(read(DEPLOY, 'prometheus/alerts.yaml')))
  expect(spec('ServiceMonitor').endpoints).toMatchObject([
    { path: '/metrics', authorization: { credentials: { key: 'metrics_token' } } },
  ])
})

test('the chart has the version of the package, and values that cannot work are refused', () => {
  const { version } = JSON.parse(read(DEPLOY, '../package.json')) as { version: string }
  expect([chart.version, chart.appVersion]).toEqual([version, version])
  expect(valid(values), 'without public_url').toBe(false)
  expect(valid(over(values, { ...SAME, replica: 3 })), 'misspelt').toBe(false)
  expect(valid(over(values, { ...SAME, replicas: 0 })), 'no server').toBe(false)
})
