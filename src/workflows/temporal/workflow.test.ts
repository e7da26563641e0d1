import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { importsOf, relativeImports, withoutComments } from '../../../test/support/imports.ts'

const IMPURE =
  /\bDate[.(]|\bperformance\b|\bprocess\.|\bset(?:Timeout|Interval)\b|\bMath\.random\b|\bcrypto\b|\bfetch\s*\(/g

/** The file, and every file of ours that it loads. */
function loadedBy(file: string, seen = new Map<string, string>()): ReadonlyMap<string, string> {
  if (seen.has(file)) return seen
  const source = readFileSync(file, 'utf8')
  seen.set(file, source)
  for (const { specifier, isTypeOnly } of relativeImports(source)) {
    if (!isTypeOnly) loadedBy(path.join(path.dirname(file), specifier), seen)
  }
  return seen
}

const loaded = loadedBy(path.join(import.meta.dirname, 'workflow.ts'))

test('workflow code loads no package but @temporalio/workflow', () => {
  const packages = [...loaded.values()]
    .flatMap(importsOf)
    .filter((specifier) => !specifier.startsWith('.'))
  expect(new Set(packages)).toEqual(new Set(['@temporalio/workflow']))
})

test('workflow code reads no clock and reaches for nothing', () => {
  const uses = [...loaded].flatMap(([file, source]) =>
    [...withoutComments(source).matchAll(IMPURE)].map(([use]) => `${path.basename(file)}: ${use}`),
  )
  expect(uses).toEqual([])
})

test('workflow code is small: Temporal loads it for every workflow', () => {
  expect(loaded.size).toBeLessThan(20)
})
