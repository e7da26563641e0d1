import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CountersignError } from '../src/base/errors.ts'
import {
  formatMistake,
  type Loaded,
  loadGovernance,
  loadOwner,
  policyError,
} from '../src/policy/load/load.ts'

const corpus = path.join(import.meta.dirname, 'corpus')
const bad = files('bad')
const good = files('good')

function files(folder: string): [name: string, bytes: Uint8Array][] {
  return readdirSync(path.join(corpus, folder))
    .sort()
    .map((name) => [name, readFileSync(path.join(corpus, folder, name))])
}

function load(file: string, text: string | Uint8Array): Loaded {
  return file.endsWith('.governance.yaml')
    ? loadGovernance({ file, text })
    : loadOwner({ file, text })
}

function refusals(name: string, bytes: Uint8Array): string[] {
  const loaded = load(name, bytes)
  return loaded.ok ? [] : loaded.mistakes.map(formatMistake)
}

test('there are enough bad files to learn from', () => {
  expect(bad.length).toBeGreaterThanOrEqual(120)
})

test('every bad file is refused with the sentences written down for it', async () => {
  const all = bad.map(([name, bytes]) => refusals(name, bytes).join('\n'))
  await expect(`${all.join('\n\n')}\n`).toMatchFileSnapshot('corpus/bad.txt')
})

test.each(bad)('%s is refused with place, path and sentence, and no stack trace', (name, bytes) => {
  const loaded = load(name, bytes)
  if (loaded.ok) throw new Error(`${name} was accepted`)
  expect(loaded.mistakes.length).toBeGreaterThan(0)
  for (const { place, message, kind } of loaded.mistakes) {
    expect(place.file).toBe(name)
    expect(place.line).toBeGreaterThan(0)
    expect(place.column).toBeGreaterThan(0)
    expect(kind).toMatch(/^[a-z0-9_]+$/)
    expect(message).toMatch(/\S/)
    expect(message).not.toMatch(/\n|\bat .*:\d+:\d+|node_modules|TypeError|undefined|\[object/)
  }
  expect(policyError(loaded.mistakes)).toBeInstanceOf(CountersignError)
})

test('no two bad files are refused with the same sentences', () => {
  const seen = new Map<string, string>()
  for (const [name, bytes] of bad) {
    const sentences = refusals(name, bytes)
      .map((line) => line.slice(name.length).replace(/^:\d+:\d+/, ''))
      .join('\n')
    expect(seen.get(sentences), name).toBeUndefined()
    seen.set(sentences, name)
  }
})

test.each(good)('%s loads', (name, bytes) => {
  expect(refusals(name, bytes)).toEqual([])
})

test('what looks odd in a good file is said, and does not stop it', async () => {
  const all = good.flatMap(([name, bytes]) => {
    const loaded = load(name, bytes)
    if (!loaded.ok || loaded.document.warnings.length === 0) return []
    return [loaded.document.warnings.map((one) => `${one.kind}  ${formatMistake(one)}`).join('\n')]
  })
  await expect(`${all.join('\n\n')}\n`).toMatchFileSnapshot('corpus/good-warnings.txt')
})

test.each(good)('%s says the same with a byte order mark and Windows line ends', (name, bytes) => {
  const text = new TextDecoder().decode(bytes)
  const windows = `\uFEFF${text.replaceAll('\n', '\r\n')}`
  // Compiled patterns are functions, which are equal only to themselves.
  const shown = (loaded: Loaded) => inspect(loaded, { depth: null })
  expect(shown(load(name, new TextEncoder().encode(windows)))).toBe(shown(load(name, bytes)))
})

/** Either a document or mistakes; a throw fails the test by itself. */
function answers(name: string, bytes: Uint8Array): void {
  const loaded = load(name, bytes)
  if (!loaded.ok) expect(loaded.mistakes.length).toBeGreaterThan(0)
}

test.each(good)('%s cut off after any byte is read or refused, never a crash', (name, bytes) => {
  // Long files are cut at every seventh byte: still inside every word, in a seventh of the time.
  const step = bytes.length > 1_500 ? 7 : 1
  for (let end = 0; end < bytes.length; end += step) answers(name, bytes.subarray(0, end))
})

test('changed bytes never crash the loader', () => {
  const samples = [...good, ...bad.filter(([, bytes]) => bytes.length < 4_000)]
  const change = fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }) })
  const arbitrary = fc.tuple(
    fc.constantFrom(...samples),
    fc.array(change, { minLength: 1, maxLength: 6 }),
  )
  fc.assert(
    fc.property(arbitrary, ([[name, bytes], changes]) => {
      const changed = Uint8Array.from(bytes)
      for (const { at, byte } of changes)
        if (changed.length > 0) changed[at % changed.length] = byte
      answers(name, changed)
    }),
    { numRuns: 1_500 },
  )
})

test('pieces of YAML in any order never crash the loader', () => {
  const words = [
    'version: 1',
    '\n',
    '\n  ',
    '- ',
    ': ',
    '[',
    ']',
    '{',
    '}',
    ', ',
    '"',
    "'",
    '&a ',
    '*a',
    '!x ',
    '? ',
  ]
  const more = [
    '|\n',
    '>\n',
    '# c\n',
    '---\n',
    '...\n',
    '%YAML 1.2\n',
    '\t',
    'tools',
    'approval',
    'null',
    '1e9',
    '<<',
  ]
  const text = fc.array(fc.constantFrom(...words, ...more), { maxLength: 40 })
  fc.assert(
    fc.property(text, (parts) => answers('any.yaml', new TextEncoder().encode(parts.join('')))),
    { numRuns: 2_000 },
  )
})
