import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { importsOf } from '../../test/support/imports.ts'

/** What each folder of inbox/src may import. Reading top to bottom is reading inwards. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'main.tsx': ['routes', 'components', 'api', 'lib', 'styles'],
  routes: ['features', 'components', 'api', 'lib'],
  features: ['components', 'api', 'lib'],
  components: ['api', 'lib'],
  api: ['lib'],
  lib: [],
}

/** Components show what they are given: of the API they know errors alone. */
const API_FOR_COMPONENTS = ['api/errors.ts']

/** Features that build on others, each through the files named here and no others. */
const BUILDS_ON: Readonly<Record<string, readonly string[]>> = {
  inbox: [
    'card/card.tsx',
    'batch/batch.tsx',
    'batch/picked.ts',
    'set-up/set-up.tsx',
    'views/views-dialog.tsx',
  ],
  shell: ['set-up/set-up.tsx'],
  batch: [
    'card/arguments/argument-tree.tsx',
    'card/arguments/arguments.tsx',
    'card/card-preview.tsx',
    'card/claimed.tsx',
    'decide/approve-button.tsx',
    'decide/bar.tsx',
    'decide/offline-bar.tsx',
    'decide/reasons.tsx',
    'decide/use-armed.ts',
    'decide/use-seen.ts',
  ],
  history: [
    'card/answer-form.tsx',
    'card/claimed.tsx',
    'card/computed.tsx',
    'decide/outcome-bar.tsx',
    'decide/resolve-panel.tsx',
    'decide/use-decide.ts',
    'views/views-dialog.tsx',
  ],
  card: [
    'decide/answer-panel.tsx',
    'decide/ask-panel.tsx',
    'decide/changed-bar.tsx',
    'decide/decision-bar.tsx',
    'decide/drafts.ts',
    'decide/edit-panel.tsx',
    'decide/extend-panel.tsx',
    'decide/grant-panel.tsx',
    'decide/offline-bar.tsx',
    'decide/outcome-bar.tsx',
    'decide/resolve-panel.tsx',
    'decide/use-answers.ts',
    'decide/use-decide.ts',
    'decide/use-seen.ts',
  ],
  decide: ['grants/grant-rule.tsx'],
  grants: ['policy/grant-ideas.tsx'],
  insights: ['policy/grant-ideas.tsx'],
  policy: ['tools/switch-list.tsx'],
  clients: ['decide/use-armed.ts'],
  chat: ['card/card.tsx'],
  runs: ['card/workflow.tsx'],
  studio: ['try-tool/try-form.ts'],
  tools: ['servers/add-server.tsx', 'servers/sign-in-at-server.tsx', 'try-tool/try-tool.tsx'],
}

const src = path.resolve(import.meta.dirname, '../src')

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((name) => name.split(path.sep).join('/'))
  .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.'))
  .sort()
  .map((name) => {
    const text = readFileSync(path.join(src, name), 'utf8')
    const own = importsOf(text)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => path.posix.join(path.posix.dirname(name), specifier))
    return { name, text, own: own.filter((target) => !target.startsWith('..')) }
  })

const folderOf = (name: string) => name.split('/')[0] ?? ''
const featureOf = (name: string) => /^features\/([^/]+)\//.exec(name)?.[1]

test('the inbox holds code', () => {
  expect(files.length).toBeGreaterThan(100)
})

test.each(files)('$name imports only inwards', ({ name, own }) => {
  const allowed = [folderOf(name), ...(MAY_IMPORT[folderOf(name)] ?? [])]
  expect(own.filter((target) => !allowed.includes(folderOf(target)))).toEqual([])
})

test('a component knows nothing of the API but its errors', () => {
  const uses = files
    .filter(({ name }) => folderOf(name) === 'components')
    .flatMap(({ own }) => own.filter((target) => folderOf(target) === 'api'))
  expect(uses.filter((target) => !API_FOR_COMPONENTS.includes(target))).toEqual([])
})

test('a feature uses another one through named files, all of them in use', () => {
  const uses = files.flatMap(({ name, own }) => {
    const from = featureOf(name)
    return own
      .filter((target) => from !== undefined && featureOf(target) !== undefined)
      .filter((target) => featureOf(target) !== from)
      .map((target) => `${from} → ${target.replace('features/', '')}`)
  })
  const named = Object.entries(BUILDS_ON).flatMap(([from, targets]) =>
    targets.map((target) => `${from} → ${target}`),
  )
  expect([...new Set(uses)].sort()).toEqual(named.sort())
})

test('no two features build on each other, not even by way of a third', () => {
  const reaches = (from: string, seen: readonly string[] = []): readonly string[] =>
    [...new Set((BUILDS_ON[from] ?? []).map(folderOf))].flatMap((next) =>
      seen.includes(next) ? [next] : [next, ...reaches(next, [...seen, next])],
    )
  expect(Object.keys(BUILDS_ON).filter((feature) => reaches(feature).includes(feature))).toEqual([])
})

/** A write outside of a mutation has no error display; a fetch outside of `api` has no error type. */
test('only the API folder sends requests', () => {
  const SENDS = /\bfetch\(|\bnew EventSource\(|\bcreateClient\(|\bcall\('|\bopen\('/
  // A client of MCP, and samples whose texts hold the source of tools.
  const OTHERS = ['features/try-tool/mcp-client.ts', 'features/studio/samples.ts']
  const senders = files.filter(({ text }) => SENDS.test(text)).map(({ name }) => name)
  expect(senders.filter((name) => folderOf(name) !== 'api' && !OTHERS.includes(name))).toEqual([])
})

test('a query key is written in the API folder alone', () => {
  const written = files.filter(({ text }) => /queryKey: \[/.test(text)).map(({ name }) => name)
  expect(written.filter((name) => folderOf(name) !== 'api')).toEqual([])
})

test('no folder holds more than 25 files, no file more than 400 lines', () => {
  const sizes = Map.groupBy(files, ({ name }) => path.posix.dirname(name))
  expect([...sizes].filter(([, held]) => held.length > 25).map(([folder]) => folder)).toEqual([])
  const long = files.filter(({ text }) => text.split('\n').length - 1 > 400)
  expect(long.map(({ name }) => name)).toEqual([])
})
