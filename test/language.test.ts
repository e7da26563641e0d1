import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '..')

/** Say who it is: the caller, an approver, an operator. docs/glossary.md has the words. */
const VAGUE = /\b(?:whoever|somebody|nobody|anybody|everybody)\b/i

/** Lines where one of these is the right word: sentences for models, refused keys, stored data. */
const MOST = 20

function filesIn(place: string): string[] {
  const full = path.join(root, place)
  if (statSync(full).isFile()) return [place]
  return readdirSync(full, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(place, name))
    .filter((name) => /\.(?:tsx?|css|md|sql)$/.test(name) && !/\.test\.tsx?$/.test(name))
    .filter((name) => statSync(path.join(root, name)).isFile())
}

test('source, inbox and docs say who does what', () => {
  const lines = ['src', 'inbox/src', 'docs', 'README.md'].flatMap(filesIn).flatMap((file) =>
    readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (VAGUE.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  )
  expect(lines.length, lines.join('\n')).toBeLessThan(MOST)
})
