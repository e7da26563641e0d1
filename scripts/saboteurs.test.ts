import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { SABOTEURS } from '../faults/saboteurs/all.ts'
import { root } from './tool.ts'

test.each(SABOTEURS.map((one) => [one.name, one] as const))(
  'there is a line to break where %s',
  (_, { file, before, after, caughtBy }) => {
    const source = readFileSync(path.join(root, file), 'utf8')
    expect(source.split(before)).toHaveLength(2)
    expect(after).not.toBe(before)
    const tests = 'tests' in caughtBy ? caughtBy.tests : []
    for (const one of tests) expect(existsSync(path.join(root, one))).toBe(true)
  },
)

test('no two saboteurs have one name', () => {
  const names = SABOTEURS.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})
