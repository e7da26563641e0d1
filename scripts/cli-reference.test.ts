import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cliReference, PAGE } from './cli-reference.ts'

test('docs/reference/cli.md is up to date', () => {
  expect(readFileSync(PAGE, 'utf8'), 'run `npm run cli-reference`').toBe(cliReference())
})

test('every command has a description and an example', () => {
  const sections = cliReference().split('\n## ').slice(2)
  const bare = sections.filter((text) => text.split('```sh').length < 3)
  expect(bare.map((text) => text.split('\n')[0])).toEqual([])
})
