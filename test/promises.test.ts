import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { AREAS, type Promised, type Source } from './promises/promised.ts'
import { PROMISES } from './promises.ts'
import { type Citations, citationsIn } from './support/citations.ts'

const root = path.resolve(import.meta.dirname, '..')
const promises = Object.entries<Promised>(PROMISES)

const PREFIXES: Readonly<Record<Source, RegExp>> = {
  'Agent Format': /^AF[-!]\d+$/,
  Atmosphere: /^AT[-!]\d+$/,
  'Spring AI Playground': /^SP[-!]\d+$/,
  'adk-rs': /^AR[-!]\d+$/,
  'Cloudflare Agents': /^CF[-!]\d+$/,
  Countersign: /^CS-[A-Z]+-\d+$/,
}

function testFiles(): { readonly file: string; readonly cited: Citations }[] {
  return ['src', 'test', 'scripts', 'bench', 'examples']
    .filter((folder) => existsSync(path.join(root, folder)))
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
        .map((name) => path.join(folder, name)),
    )
    .map((file) => ({ file, cited: citationsIn(readFileSync(path.join(root, file), 'utf8')) }))
}

const files = testFiles()

test('every promise is kept by a test', () => {
  const cited = new Set(files.flatMap(({ cited }) => cited.ids))
  expect(promises.map(([id]) => id).filter((id) => !cited.has(id))).toEqual([])
})

test('no test cites a promise that does not exist', () => {
  const unknown = files.flatMap(({ file, cited }) =>
    cited.ids.filter((id) => !Object.hasOwn(PROMISES, id)).map((id) => `${file}: ${id}`),
  )
  expect(unknown).toEqual([])
})

test('every citation is written out', () => {
  expect(files.filter(({ cited }) => cited.unreadable > 0).map(({ file }) => file)).toEqual([])
})

test.each(promises)('%s is one sentence', (id, { says, source, area, differs }) => {
  // What stands in backquotes may hold dots of its own.
  const prose = says.replaceAll(/`[^`]*`/g, 'x')
  expect(prose).toMatch(/^[^.!?;]*(?:; [^.!?;]*)?\.$/)
  expect(says).toMatch(/^[A-Z`-]/)
  expect(says.length).toBeLessThanOrEqual(180)
  expect(id).toMatch(PREFIXES[source])
  expect(Object.keys(AREAS)).toContain(area)
  if (differs !== undefined) expect(differs).toMatch(/^[A-Z`].*\.$/)
})

test('no two promises say the same', () => {
  const sentences = promises.map(([, { says }]) => says.toLowerCase())
  expect(new Set(sentences).size).toBe(sentences.length)
})

test('the documents we implement are covered without gaps', () => {
  const numbers = promises.flatMap(([id]) => /^AF-(\d+)$/.exec(id)?.[1] ?? []).map(Number)
  expect(numbers.toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 55 }, (_, index) => index + 1),
  )
})
