import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { BIN, SOURCE_BIN } from '../cli/countersign.ts'

test('the command that tests start says what the command of the checkout says', async () => {
  const help = async (bin: string) => {
    const { stdout } = await promisify(execFile)(process.execPath, [bin, 'start', '--help'])
    return stdout
  }
  expect(BIN).not.toBe(SOURCE_BIN)
  const said = await help(SOURCE_BIN)
  expect(said).toContain('--port')
  expect(await help(BIN)).toBe(said)
})
