import { expect } from 'vitest'
import { promise } from '../support/promise.ts'
import { countersign, folder } from './countersign.ts'
import { start } from './started.ts'

const OWNER = `version: 1
mcp_servers:
  - { alias: files, command: nothing, approval: false }
  - { alias: mail, command: nothing }
`

promise(
  ['CS-SWITCH-2', 'CS-SWITCH-4', 'SP-56'],
  'a terminal raises at once, and lowers only with a person at it',
  async () => {
    const cwd = folder({ 'countersign.yaml': OWNER })
    await start(cwd)
    const env = { HOME: cwd }
    const run = (...args: string[]) => countersign(['policy', 'switch', ...args], { cwd, env })
    expect((await run()).stdout).toBe('Nothing is switched: the files decide.\n')
    expect((await run('files/write', 'on')).stdout).toMatch(/^Switched: files\/write on {2}\(/)
    expect((await run()).stdout).toMatch(/^files\/write on /)
    expect(JSON.parse((await run('--json')).stdout)).toMatchObject({
      switches: [{ server: 'files', tool: 'write', on: true }],
    })
    const lowered = await run('mail/send', 'off')
    expect(lowered.code).toBe(2)
    expect(lowered.stderr).toMatch(/lowering what is asked needs a terminal/)
    expect((await run('files', 'on')).stderr).toMatch(/^switch_fixed: .*countersign\.yaml:3/)
    expect((await run('files/write', 'maybe')).code).toBe(2)
    expect((await run('files/write', 'clear')).code).toBe(2)
    expect((await run('mail', 'on')).code).toBe(0)
    expect((await run('mail', 'clear')).stdout).toMatch(/^Cleared: mail on/)
  },
)
