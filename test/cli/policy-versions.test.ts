import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { promise } from '../support/promise.ts'
import { countersign, folder, OWNER } from './countersign.ts'
import { start } from './started.ts'

promise(
  ['CS-RULES-4', 'CS-RULES-5'],
  'versions are listed, compared and written back as a draft from a terminal',
  async () => {
    const cwd = folder({ 'countersign.yaml': OWNER })
    await start(cwd)
    const env = { HOME: cwd }
    const run = (...args: string[]) => countersign(['policy', ...args], { cwd, env })
    const file = path.join(cwd, 'countersign.yaml')
    const changed = OWNER.replace('approval: false', 'risk: L4')
    writeFileSync(file, changed)
    const { name } = JSON.parse((await run('apply', '--json')).stdout) as { name: string }
    await run('apply', '--name', name)

    const [newest = '', first = ''] = (await run('versions')).stdout.trimEnd().split('\n')
    expect(newest).toMatch(/^[0-9a-f]{12} {2}.* applied by .* {2}in force$/)
    expect(first).toMatch(/^[0-9a-f]{12} {2}.* loaded by the operator$/)
    const id = first.slice(0, 12)
    const diff = await run('diff', id)
    expect(diff.stdout).toContain('- ')
    expect(diff.stdout).toMatch(/^\+ .*risk: L4/m)
    expect((await run('rollback', id)).stdout).toContain('It is a draft.')
    expect(readFileSync(file, 'utf8')).toBe(OWNER)
    expect((await run('propose')).stdout).toBe(
      'Recorded answers of the last 30 days speak for no change.\n',
    )
  },
  120_000,
)
