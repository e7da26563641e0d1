import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { promise } from '../support/promise.ts'
import { countersign, folder, OWNER } from './countersign.ts'
import { start } from './started.ts'

promise(['CS-SERVE-1'], 'a changed file comes into force by hand, and by its name', async () => {
  const cwd = folder({ 'countersign.yaml': OWNER })
  await start(cwd)
  const env = { HOME: cwd }
  const run = (...args: string[]) => countersign(['policy', 'apply', ...args], { cwd, env })
  expect((await run()).stdout).toBe('The files say what is in force already.\n')

  writeFileSync(path.join(cwd, 'countersign.yaml'), OWNER.replace('approval: false', 'risk: L4'))
  const piped = await run()
  expect(piped.code).toBe(2)
  expect(piped.stdout).toContain('- allow   read:')
  expect(piped.stdout).toContain('+ confirm read: by its risk')
  const [, name = ''] = /--name ([0-9a-f]{64})/.exec(piped.stderr) ?? []
  expect(JSON.parse((await run('--json')).stdout)).toMatchObject({ changed: true, name })

  expect((await run('--name', '0'.repeat(64))).stderr).toMatch(/^policy_changed: /)
  expect((await run('--name', name)).stdout).toContain('It is in force now.')
  expect((await run()).stdout).toBe('The files say what is in force already.\n')

  writeFileSync(path.join(cwd, 'countersign.yaml'), `${OWNER}toolz: {}\n`)
  const broken = await run()
  expect(broken.code).toBe(2)
  expect(broken.stderr).toMatch(/^policy_invalid: .*toolz/)
})
