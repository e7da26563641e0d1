import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Shell } from '../../src/cli/shell.ts'
import { SECRET_SETTINGS, withSecretFiles } from '../../src/cli/state/secret-files.ts'
import { promise } from '../support/promise.ts'

function folderWith(text: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-secret-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(path.join(folder, 'secret'), text)
  return folder
}

const shell = (env: Shell['env'], cwd: string) => ({ env, cwd }) as Shell

promise(['CS-SEC-11'], 'every secret setting is read from the file that is named', () => {
  const folder = folderWith('s3cret value\n')
  for (const name of SECRET_SETTINGS) {
    const { env } = withSecretFiles(shell({ [`${name}_FILE`]: 'secret', OTHER: 'x' }, folder))
    expect(env).toMatchObject({ [name]: 's3cret value', OTHER: 'x' })
  }
})

promise(
  ['CS-SEC-11'],
  'a file that is missing, empty or of several lines is refused, and so are two sources',
  () => {
    const refused = (env: Shell['env'], text = 'x') =>
      expect(() => withSecretFiles(shell(env, folderWith(text)))).toThrow(
        expect.objectContaining({ code: 'usage' }),
      )
    const FILE = 'COUNTERSIGN_METRICS_TOKEN_FILE'
    refused({ [FILE]: 'missing' })
    for (const text of ['', '\n', 'a\nb\n', 'a\0b', 'x'.repeat(70_000)])
      refused({ [FILE]: 'secret' }, text)
    refused({ [FILE]: 'secret', COUNTERSIGN_METRICS_TOKEN: 'y' })
    // Reading one that never ends must end.
    refused({ [FILE]: '/dev/urandom' })
    refused({ [FILE]: '.' })
  },
)

test('an empty name of a file says nothing', () => {
  const given = shell({ COUNTERSIGN_DB_FILE: '', COUNTERSIGN_DB: 'sqlite:x' }, '/')
  expect(withSecretFiles(given)).toBe(given)
})
