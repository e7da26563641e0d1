import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { ERRORS } from '../src/base/errors.ts'

const page = readFileSync(path.resolve(import.meta.dirname, '../docs/errors.md'), 'utf8')
const sections = page.split(/^### /m).slice(1)

test('docs/errors.md explains every code, and no other', () => {
  const explained = sections.map((section) => section.split('\n')[0])
  expect(explained.toSorted()).toEqual(Object.keys(ERRORS).toSorted())
})

test.each(sections.map((section) => [section.split('\n')[0], section]))(
  '%s says what to do',
  (_, section) => {
    expect(section).toMatch(/\*Do\*: \S/)
  },
)

test('a refusal never looks like success', () => {
  for (const { http, exit } of Object.values(ERRORS)) {
    expect(http).toBeGreaterThanOrEqual(400)
    expect(exit).toBeGreaterThan(0)
  }
})
