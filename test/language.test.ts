import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '..')

/** Words that stay out, and what to write. docs/glossary.md has one meaning for each of ours. */
const RETIRED: readonly (readonly [word: RegExp, instead: string])[] = [
  [/\b(?:whoever|somebody|nobody|anybody|everybody)\b/i, 'the caller, an approver, an operator'],
  [/\bamiss\b/i, 'unexpected'],
  [/\bquick ways?\b/i, 'fast path'],
  [/\bthe long way\b/i, 'the full pipeline'],
  [/\bwaits inside\b/i, 'blocks'],
  [/\bgo(?:es)? on elsewhere\b/i, 'resumes in another process'],
  [/\bwhere a page ended\b/i, 'invalid page cursor'],
  [/\b(?:hitherto|thereof|whilst|whosoever|lest)\b/i, 'a word of today'],
]

/** Sentences for models, which stay as they are, and what quotes them; keys that policies refuse. */
const QUOTED: Readonly<Record<string, string>> = {
  'src/gate/sentences.ts': '',
  // The same sentences in Python; a test compares them.
  'clients/python/src/countersign/sentences.py': '',
  'src/gateway/downstream/fast-path.test.ts': 'nobody knows whether it took effect',
  'src/policy/grammar/grammar-hints.ts': '|nobody|',
  'src/gate/schema/json-schema.test.ts': "to: 'nobody'",
  'src/adapters/claude-code/own-files.test.ts': "'./x/../countersign.yaml'",
}

const PLACES = ['src', 'inbox/src', 'clients', 'docs', 'promises', 'README.md', 'CONTRIBUTING.md']
const MORE_PLACES = ['ARCHITECTURE.md', 'SECURITY.md', 'CHANGELOG.md']

function filesIn(place: string): string[] {
  const full = path.join(root, place)
  if (statSync(full).isFile()) return [place]
  return readdirSync(full, { recursive: true, encoding: 'utf8' })
    .map((name) => path.posix.join(place, name.split(path.sep).join('/')))
    .filter((name) => /\.(?:tsx?|py|css|md|sql)$/.test(name))
    .filter((name) => statSync(path.join(root, name)).isFile())
}

function isQuoted(file: string, line: string): boolean {
  const text = QUOTED[file]
  return text !== undefined && line.includes(text)
}

test('source, tests beside it, inbox, promises and docs are written in the words of the field', () => {
  const found = [...PLACES, ...MORE_PLACES].flatMap(filesIn).flatMap((file) =>
    readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        RETIRED.filter(([word]) => word.test(line) && !isQuoted(file, line)).map(
          ([, instead]) => `${file}:${index + 1}: ${line.trim()} (write: ${instead})`,
        ),
      ),
  )
  expect(found).toEqual([])
})
