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

test('docs/errors.md gives the HTTP status and the exit code of every error', () => {
  const given = sections.map((section) => {
    const [, code, http, exit] = /^(\w+)\n\*\*HTTP (\d+) · exit (\d+)\.\*\*\n/.exec(section) ?? []
    return [code, { http: Number(http), exit: Number(exit) }]
  })
  expect(Object.fromEntries(given)).toEqual(ERRORS)
})

test('every exit code is explained', () => {
  const [, line = ''] = /^\*\*Exit codes\*\*: ([\s\S]*?)\n\n/m.exec(page) ?? []
  const explained = line.split('·').map((one) => Number.parseInt(one, 10))
  const used = Object.values(ERRORS).map(({ exit }) => exit)
  expect(explained).toEqual([...new Set([0, ...used])].sort((one, other) => one - other))
})

test('a refusal never looks like success', () => {
  for (const { http, exit } of Object.values(ERRORS)) {
    expect(http).toBeGreaterThanOrEqual(400)
    expect(exit).toBeGreaterThan(0)
  }
})
