import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { LIMITS } from '../../src/cli/doctor/finding.ts'

/*
 * What Countersign cannot prevent is said where people look: `countersign doctor` prints it, and
 * SECURITY.md explains it.
 */
const security = readFileSync(path.resolve(import.meta.dirname, '../../SECURITY.md'), 'utf8')

test.each([
  ['B1-08: what a tool reads later is not bound', /reads later is not bound/],
  ['B6-12, B7-17: a gate in the agent’s process can be walked around', /cooperative/],
  [
    'B6-12, B7-17: only one holder of the credential is no way around',
    /alone holds the credential/,
  ],
  ['B9-15: an agent of the same user reads the same files', /same user/],
  ['B12-03: a tired person approves a faithful card', /tired person/],
])('%s', (_, words) => {
  expect(LIMITS.join('\n')).toMatch(words)
  expect(security.replaceAll('\n', ' ').replaceAll(/ +/g, ' ')).toMatch(words)
})

test('B6-05: SECURITY.md says that a definition is compared, and not what a tool does', () => {
  expect(security.replaceAll(/\s+/g, ' ')).toMatch(
    /a server can change what a tool does without changing its definition/i,
  )
})
