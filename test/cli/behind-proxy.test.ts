import { expect, test } from 'vitest'
import { countersign, folder, OWNER } from './countersign.ts'
import { start } from './started.ts'

test('commands on the server’s own machine need neither its public name nor its proxy', async () => {
  const cwd = folder({ 'countersign.yaml': OWNER })
  const env = { COUNTERSIGN_PUBLIC_URL: 'https://countersign.invalid' }
  await start(cwd, ['--json'], env)
  const run = (...args: string[]) => countersign(args, { cwd, env: { HOME: cwd } })
  const locked = await run('lock', '--all', '--reason', 'a test')
  expect(locked.stderr).toBe('')
  expect(locked.code).toBe(0)
  expect((await run('lock', '--list')).stdout).toContain('a test')
  // People open the public one.
  expect((await run('open')).stdout).toContain('https://countersign.invalid/#signin=')
})
