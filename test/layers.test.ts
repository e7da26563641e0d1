import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { expect, test } from 'vitest'
import { importsOf, withoutComments } from './support/imports.ts'

const INWARDS_OF_GATE = ['store', 'policy', 'approval', 'base']
const EDGE = ['gate', ...INWARDS_OF_GATE]
const EDGES = [
  'server',
  'gateway',
  'authzen',
  'adapters',
  'workflows',
  'channels',
  'client',
  'studio',
]

/** The architecture: what each entry of src/ may import. Reading top to bottom is reading inwards. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  // The public surface: a gate, with a store of its own or over a server.
  'index.ts': ['client', 'api', ...EDGE],
  cli: ['app', ...EDGES, 'api', ...EDGE],
  // Puts server and gateway together, which do not know each other.
  app: ['chat', ...EDGES, 'api', ...EDGE],
  // Conversations: the AI SDK's loop with the gate in it.
  chat: ['adapters', 'api', ...EDGE],
  ...Object.fromEntries(EDGES.map((edge) => [edge, ['api', ...EDGE]])),
  // One contract per HTTP route: schemas, types, the OpenAPI document and the client.
  api: ['base'],
  testing: EDGE,
  gate: INWARDS_OF_GATE,
  store: ['approval', 'base'],
  policy: ['base'],
  approval: ['base'],
  base: [],
}

/** Policy and approval meet here. The other two only hand on what both offer. */
const MAY_KNOW_BOTH = ['gate', 'testing', 'index.ts']

/** Run in Workers and browsers too: Web-standard APIs only. */
const PORTABLE = ['base', 'policy', 'approval', 'gate', 'api', 'client']

/** Modules of Node that a portable file may import all the same: `file → [module]`, with a reason. */
const NODE_ALLOWED: Readonly<Record<string, readonly string[]>> = {}

/** Pure: no I/O, no clock. The time is handed in. */
const PURE = ['policy', 'approval']
const IMPURE =
  /\bDate\.now\b|\bDate\(\s*\)|\bperformance\.now\b|\bset(?:Timeout|Interval)\b|\bMath\.random\b|\bfetch\s*\(/g

const src = path.resolve(import.meta.dirname, '../src')

interface SourceFile {
  /** From src, with forward slashes. */
  readonly name: string
  readonly layer: string
  readonly code: string
  readonly text: string
  /** Entries of src that it imports from, other than its own. */
  readonly layers: readonly string[]
  /** Everything it imports that is not a file of ours. */
  readonly outside: readonly string[]
}

function readSource(name: string): SourceFile {
  const text = readFileSync(path.join(src, name), 'utf8')
  const layer = name.split('/')[0] ?? ''
  const specifiers = importsOf(text)
  const folder = path.posix.dirname(name)
  const layers = specifiers
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => path.posix.join(folder, specifier).split('/')[0] ?? '')
    .filter((target) => target !== layer)
  return {
    name,
    layer,
    code: withoutComments(text),
    text,
    layers: [...new Set(layers)],
    outside: specifiers.filter((specifier) => !specifier.startsWith('.')),
  }
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((name) => name.split(path.sep).join('/'))
  .filter((name) => /\.[jt]sx?$/.test(name) && !name.endsWith('.test.ts'))
  .sort()
  .map(readSource)

const within = (layers: readonly string[]) => files.filter(({ layer }) => layers.includes(layer))

test('src holds code', () => {
  expect(files.length).toBeGreaterThan(0)
})

test('every entry of src has its place in the order', () => {
  const strangers = files.filter(({ layer }) => MAY_IMPORT[layer] === undefined)
  expect(strangers.map(({ name }) => name)).toEqual([])
})

test.each(files)('$name imports only inwards', ({ layer, layers }) => {
  const allowed = MAY_IMPORT[layer] ?? []
  expect(layers.filter((target) => !allowed.includes(target))).toEqual([])
})

test('the order has no way back', () => {
  const order = Object.keys(MAY_IMPORT)
  for (const [layer, targets] of Object.entries(MAY_IMPORT)) {
    for (const target of targets) {
      expect(order.indexOf(target), `${layer} → ${target}`).toBeGreaterThan(order.indexOf(layer))
    }
  }
})

test('the command line has no HTTP routes of its own', () => {
  const routes = within(['cli']).filter(({ text }) =>
    /server\/(?:http\/route|app|server)\.ts/.test(text),
  )
  expect(routes.map(({ name }) => name)).toEqual([])
})

test('policy and approval meet only in the gate', () => {
  const meeting = files
    .filter(({ layer }) => !MAY_KNOW_BOTH.includes(layer))
    .filter(({ layers }) => layers.includes('policy') && layers.includes('approval'))
  expect(meeting.map(({ name }) => name)).toEqual([])
})

test('what runs in Workers imports no module of Node', () => {
  const uses = within(PORTABLE).flatMap(({ name, outside }) =>
    outside
      .filter((specifier) => isBuiltin(specifier) && !NODE_ALLOWED[name]?.includes(specifier))
      .map((specifier) => `${name} → ${specifier}`),
  )
  expect(uses).toEqual([])
})

test('policy and approval read no clock and reach for nothing', () => {
  const uses = within(PURE).flatMap(({ name, code }) =>
    [...code.matchAll(IMPURE)].map(([use]) => `${name}: ${use}`),
  )
  expect(uses).toEqual([])
})

test('no file imports what cannot be read off the page', () => {
  const blind = files.filter(({ outside }) => outside.includes('?'))
  expect(blind.map(({ name }) => name)).toEqual([])
})

test('src imports its own files by path, never by the public name', () => {
  const own = files.filter(({ outside }) => outside.some((it) => /^countersign(\/|$)/.test(it)))
  expect(own.map(({ name }) => name)).toEqual([])
})

const MOST_FILES = 25

test('no room holds more than 25 files', () => {
  const sizes = new Map<string, number>()
  for (const { name } of files) {
    const room = path.posix.dirname(name)
    sizes.set(room, (sizes.get(room) ?? 0) + 1)
  }
  expect([...sizes].filter(([, size]) => size > MOST_FILES)).toEqual([])
})

test.each(['faults', 'promises'])('no room of %s holds more than 25 files', (folder) => {
  const root = path.resolve(src, '..', folder)
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  const rooms = Map.groupBy(names, (name) => path.dirname(name))
  expect([...rooms].filter(([, room]) => room.length > MOST_FILES).map(([room]) => room)).toEqual(
    [],
  )
  expect(names.filter((name) => name.endsWith('.test.ts'))).toEqual([])
})

const MOST_LINES = 400
const ROOMS = ['src', 'inbox', 'test', 'promises', 'faults', 'bench', 'scripts', 'examples']

test('no file has more than 400 lines, tests included', () => {
  const root = path.dirname(src)
  const long = ROOMS.flatMap((room) =>
    readdirSync(path.join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:[jt]sx?|mjs|css)$/.test(name))
      .filter((name) => !/(?:^|[\\/])(?:node_modules|dist)[\\/]/.test(name))
      .map((name) => path.join(room, name)),
  ).filter(
    (name) => readFileSync(path.join(root, name), 'utf8').split('\n').length > MOST_LINES + 1,
  )
  expect(long).toEqual([])
})
