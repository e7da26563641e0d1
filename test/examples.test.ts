import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const folder = path.resolve(import.meta.dirname, '../examples')

test.each(readdirSync(folder))('examples/%s runs and says what it did', async (name) => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=countersign-source', path.join(folder, name, 'main.ts')],
    { cwd: path.dirname(folder) },
  )
  expect(stdout.trim()).not.toBe('')
})
