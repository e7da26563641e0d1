import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { PROMISES } from '../promises/all.ts'
import { AREAS, type Promised, type Source } from '../promises/promised.ts'
import { STATEMENTS, UNPROMISED, WEAKNESSES } from '../promises/seeds/seed-coverage.ts'
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
  return ['src', 'test', 'scripts', 'bench', 'examples', 'inbox']
    .filter((folder) => existsSync(path.join(root, folder)))
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
        // `.tests.ts`: tests that several files share.
        .filter((name) => /\.tests?\.ts$/.test(name) && !name.includes('node_modules'))
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

function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`)
}

const stated = Object.entries(STATEMENTS)

test.each(stated)(
  'every statement of %s is a promise, or says why not',
  (prefix, { stated: all }) => {
    const known = numbered(`${prefix}-`, all)
    const promised = promises.map(([id]) => id).filter((id) => id.startsWith(`${prefix}-`))
    const without = Object.keys(UNPROMISED).filter((id) => id.startsWith(`${prefix}-`))
    expect([...promised, ...without].toSorted()).toEqual(known.toSorted())
  },
)

test.each(stated)(
  'every weakness of %s is ruled out, or says why not',
  (prefix, { weaknesses }) => {
    const known = numbered(`${prefix}!`, weaknesses)
    const ids = [...promises.map(([id]) => id), ...Object.keys(WEAKNESSES)]
    expect(ids.filter((id) => id.startsWith(`${prefix}!`)).toSorted()).toEqual(known.toSorted())
  },
)

test('what stands in for a promise is one, and every reason is a sentence', () => {
  const kept = Object.values(WEAKNESSES).flatMap((by) => (typeof by === 'string' ? [] : by))
  expect(kept.filter((id) => !Object.hasOwn(PROMISES, id))).toEqual([])
  const reasons = [...Object.values(UNPROMISED), ...Object.values(WEAKNESSES)]
  for (const reason of reasons.filter((one) => typeof one === 'string')) {
    expect(reason).toMatch(/^[A-Z].{20,}\.$/)
  }
})
