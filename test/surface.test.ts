import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { packageVersion } from '../src/app/version.ts'
import { createGate as createAnyGate } from '../src/client/create-gate.ts'
import { remoteGate } from '../src/client/remote-gate.ts'
import { createGate } from '../src/gate/gate.ts'
import { denyAll } from '../src/policy/evaluate/mode.ts'
import { parsePolicy } from '../src/policy/load/parse-policy.ts'
import { memoryStore } from '../src/store/memory/index.ts'

const root = path.resolve(import.meta.dirname, '..')

interface Entry {
  readonly 'countersign-source': string
  readonly types: string
  readonly default: string
}

interface Manifest {
  readonly version: string
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, Entry | string>>
  readonly dependencies: Readonly<Record<string, string>>
}

const manifest: Manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
const entries = Object.entries(manifest.exports).flatMap(([name, entry]) =>
  typeof entry === 'string' ? [] : [{ name, entry }],
)

/** What Node loads for `import 'countersign…'`: files of ours from src, packages, built-ins. */
function loadedBy(name: string): { ours: string[]; others: string[]; native: string[] } {
  const program = path.join(import.meta.dirname, 'support/loaded-modules.mjs')
  const specifier = path.posix.join('countersign', name)
  const output = execFileSync(
    process.execPath,
    ['--conditions=countersign-source', program, specifier],
    { cwd: root, encoding: 'utf8' },
  )
  const { urls, native } = JSON.parse(output) as { urls: string[]; native: string[] }
  const src = `${pathToFileURL(path.join(root, 'src')).href}/`
  const packages = `${pathToFileURL(path.join(root, 'node_modules')).href}/`
  return {
    ours: urls.filter((url) => url.startsWith(src)).map((url) => url.slice(src.length)),
    others: [
      ...new Set(
        urls
          .filter((url) => !url.startsWith(src))
          .map((url) => url.replace(packages, ''))
          .map((url) => /^(?:node:[^/]+|@[^/]+\/[^/]+|[^/]+)/.exec(url)?.[0] ?? url),
      ),
    ],
    native,
  }
}

test('the exports map has the root', () => {
  expect(entries.map(({ name }) => name)).toContain('.')
})

test.each(entries)('$name is the same file in src and in dist', ({ entry }) => {
  const source = entry['countersign-source']
  expect(existsSync(path.join(root, source))).toBe(true)
  const built = source.replace(/^\.\/src\//, './dist/')
  // The order counts: the first condition that holds wins.
  expect(Object.entries(entry)).toEqual([
    ['countersign-source', source],
    ['types', built.replace(/\.ts$/, '.d.ts')],
    ['default', built.replace(/\.ts$/, '.js')],
  ])
})

test('functions are guarded by the gate: no entry of their own', () => {
  expect(Object.keys(manifest.exports)).not.toContain('./tools')
})

/** Of every gate, wherever its approvals are stored. */
const everywhere = [
  ...['answer', 'approvals', 'batch', 'check', 'close', 'declare', 'delegate'],
  ...['guard', 'on', 'ready', 'resume', 'run', 'with'],
]

test('a gate has exactly its public members', async () => {
  const store = memoryStore()
  const policy = parsePolicy({ owner: { file: 'countersign.yaml', text: 'version: 1' } })
  const gate = createGate({ policy, store })
  expect(Object.keys(gate).sort()).toEqual([...everywhere, 'admin'].sort())
  expect(Object.keys(gate.admin).sort()).toEqual([
    'grants',
    'holds',
    'locks',
    'standIns',
    'switches',
    'tools',
  ])
  const remote = remoteGate({ url: 'http://127.0.0.1:4747', token: 'cs_000000000000_x' })
  expect(Object.keys(remote).sort()).toEqual(everywhere)
  await gate.close()
  await store.close()
})

test('a gate over a server is made by createGate too, and takes nothing of the other kind', () => {
  const server = { url: 'http://127.0.0.1:4747', token: 'cs_000000000000_x' }
  expect(Object.keys(createAnyGate({ server, run: 'chat', mode: denyAll() })).sort()).toEqual(
    everywhere,
  )
  expect(() => createAnyGate({ server, store: memoryStore() } as never)).toThrow(/takes no store/)
  expect(() => createAnyGate({ server: { ...server, url: 'nonsense' } })).toThrow(/address/)
  expect(() => createAnyGate({} as never)).toThrow(/needs a policy/)
})

test('a server that stands in Object.prototype is no server of a gate', async () => {
  const root = Object.prototype as { server?: unknown }
  root.server = { url: 'http://127.0.0.1:4747', token: 'cs_000000000000_x' }
  try {
    const policy = parsePolicy({ owner: { file: 'countersign.yaml', text: 'version: 1' } })
    expect(Object.keys(createAnyGate({ policy, store: memoryStore() }))).toContain('admin')
  } finally {
    delete root.server
  }
})

test('what every user may import is in the exports map', () => {
  const testing = path.join(root, 'src/testing/index.ts')
  expect('./testing' in manifest.exports).toBe(existsSync(testing))
  for (const file of Object.values(manifest.bin)) {
    expect(existsSync(path.join(root, file))).toBe(true)
  }
})

test('importing the root loads no server, no SDK and nothing native', () => {
  const { ours, others, native } = loadedBy('.')
  expect(ours).toContain('index.ts')
  const layers = ['index.ts', 'client', 'api', 'gate', 'store', 'policy', 'approval', 'base']
  expect(ours.filter((file) => !layers.includes(file.split('/')[0] ?? ''))).toEqual([])
  // The two built-ins are what yaml asks for.
  const harmless = ['jose', 're2js', 'yaml', 'node:process', 'node:buffer']
  expect(others.filter((name) => !harmless.includes(name))).toEqual([])
  expect(native).toEqual([])
})

test('importing the server loads no listener, no file system and no gateway', () => {
  const { ours, others, native } = loadedBy('server')
  expect(ours).toContain('app/create-countersign.ts')
  expect(ours.filter((file) => /^(?:gateway|cli|adapters|channels|client)\//.test(file))).toEqual(
    [],
  )
  expect(ours.filter((file) => /^server\/serve\.ts$|read-inbox|mcp-gateway/.test(file))).toEqual([])
  const nodeOnly = /^node:(?:http|https|fs|child_process|net\/|path|url|stream|worker)/
  expect(others.filter((name) => nodeOnly.test(name) || name.startsWith('@hono'))).toEqual([])
  expect(native).toEqual([])
})

test('the version that is compiled in is that of the package', () => {
  expect(packageVersion()).toBe(manifest.version)
})
