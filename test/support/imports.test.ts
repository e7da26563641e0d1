import { expect, test } from 'vitest'
import { cyclesOf, importsOf, relativeImports, withoutComments } from './imports.ts'

test.each([
  ["import { a } from './a.ts'", './a.ts'],
  ["import type { A } from './a.ts'", './a.ts'],
  ["import {\n  a,\n  type B,\n} from './a.ts'", './a.ts'],
  ["import * as a from './a.ts'", './a.ts'],
  ["import a, { b } from './a.ts'", './a.ts'],
  ["import './a.ts'", './a.ts'],
  ["export { a } from './a.ts'", './a.ts'],
  ["export * from './a.ts'", './a.ts'],
  ["const a = await import('./a.ts')", './a.ts'],
  ['const a = await import(`./a.ts`)', './a.ts'],
  ["type A = import('./a.ts').A", './a.ts'],
  ["const a = require('./a.ts')", './a.ts'],
  ["import.meta.resolve('./a.ts')", './a.ts'],
  ['const a = await import(name)', '?'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a program as text.
  ['const a = await import(`./${name}.ts`)', '?'],
  ["const a = await import('./' + name)", '?'],
  ["import a from './a.json' with { type: 'json' }", './a.json'],
  ["const a = await import('./a.json', { with: { type: 'json' } })", './a.json'],
])('%j names a module', (source, expected) => {
  expect(importsOf(source)).toEqual([expected])
})

test.each([
  "// import { a } from './a.ts'",
  "/* import('./a.ts') */",
  "/**\n * import { a } from './a.ts'\n */",
  'export const a = 1',
  'const url = import.meta.url',
  'function important(from: string) {}',
])('%j names none', (source) => {
  expect(importsOf(source)).toEqual([])
})

test('two statements do not run into one', () => {
  const source = "export const a = 1\nexport type B = string\nimport { c } from './c.ts'"
  expect(importsOf(source)).toEqual(['./c.ts'])
})

test('a comment sign inside a string is not a comment', () => {
  expect(withoutComments("const a = 'http://x' // why")).toBe("const a = 'http://x'  ")
})

test.each([
  ["import { a } from './a.ts'", false],
  ["import type { A } from './a.ts'", true],
  ["import { type A, type B } from './a.ts'", true],
  ["import {\n  a,\n  type B,\n} from './a.ts'", false],
  ["import a, { type B } from './a.ts'", false],
  ["import * as a from './a.ts'", false],
  ["import './a.ts'", false],
  ["export { a } from './a.ts'", false],
  ["export * from './a.ts'", false],
  ["export type { A } from './a.ts'", true],
  ["export type B = string\nimport { a } from './a.ts'", false],
  ["const a = await import('./a.ts')", false],
  ["const { a } = (await import('./a.ts')).A", false],
  ["type A = import('./a.ts').A", true],
  ["type A = typeof import('./a.ts')", true],
])('%j, types only: %s', (source, isTypeOnly) => {
  expect(relativeImports(source)).toEqual([{ specifier: './a.ts', isTypeOnly }])
})

test('modules that reach each other are one cycle, and no others', () => {
  const graph = new Map([
    ['a', ['b']],
    ['b', ['c', 'e']],
    ['c', ['a']],
    ['d', ['a', 'd']],
    ['e', ['f']],
    ['f', ['e']],
    ['g', ['a']],
  ])
  expect(cyclesOf(graph)).toEqual([['a', 'b', 'c'], ['d'], ['e', 'f']])
  expect(cyclesOf(new Map([['a', ['b']]]))).toEqual([])
})
