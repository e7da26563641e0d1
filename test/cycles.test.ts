import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { cyclesOf, relativeImports } from './support/imports.ts'

const root = path.resolve(import.meta.dirname, '..')

/** Modules that import each other's types belong together; more than this is a knot. */
const MOST_TYPE_FILES = 5

/** Cycles that are still there. An entry only ever loses files, and goes with the last one. */
const STILL_RUNTIME: readonly (readonly string[])[] = []
const STILL_TYPES: readonly (readonly string[])[] = []

const names = ['src', 'inbox/src'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => path.posix.join(folder, name.split(path.sep).join('/')))
    .filter((name) => /\.[jt]sx?$/.test(name) && !/\.test\.tsx?$/.test(name)),
)

function graphOf(isCounted: (isTypeOnly: boolean) => boolean): Map<string, string[]> {
  const known = new Set(names)
  return new Map(
    names.map((name) => [
      name,
      relativeImports(readFileSync(path.join(root, name), 'utf8'))
        .filter(({ isTypeOnly }) => isCounted(isTypeOnly))
        .map(({ specifier }) => path.posix.join(path.posix.dirname(name), specifier))
        .filter((target) => known.has(target)),
    ]),
  )
}

const isAllowed = (cycle: readonly string[], allowed: readonly (readonly string[])[]) =>
  allowed.some((still) => cycle.every((name) => still.includes(name)))

test('no modules import each other in a circle at run time', () => {
  const cycles = cyclesOf(graphOf((isTypeOnly) => !isTypeOnly))
  expect(cycles.filter((cycle) => !isAllowed(cycle, STILL_RUNTIME))).toEqual([])
})

test('no circle of types goes through more than five modules', () => {
  const large = cyclesOf(graphOf(() => true)).filter(({ length }) => length > MOST_TYPE_FILES)
  expect(large.filter((cycle) => !isAllowed(cycle, STILL_TYPES))).toEqual([])
})

test('a cycle that is still allowed names files that exist', () => {
  const gone = [...STILL_RUNTIME, ...STILL_TYPES].flat().filter((name) => {
    return !existsSync(path.join(root, name))
  })
  expect(gone).toEqual([])
})

test('the graph has every relative import between two modules', () => {
  const edges = [...graphOf(() => true).values()].flat()
  expect(edges.length).toBeGreaterThan(names.length)
})
