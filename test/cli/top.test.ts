import { expect } from 'vitest'
import { promise } from '../support/promise.ts'
import { countersign, folder } from './countersign.ts'
import { start } from './started.ts'

promise(
  ['CS-WATCH-5'],
  'top reads the metrics of a server that runs, and says when there is none',
  async () => {
    const cwd = folder({ 'countersign.yaml': 'version: 1\n' })
    const env = { HOME: cwd }
    const top = (...args: string[]) =>
      countersign(['top', '--once', '--every', '1s', ...args], { cwd, env })
    expect((await top()).stderr).toMatch(/no Countersign runs on this database/)
    const { url, child, ended } = await start(cwd)
    const live = await countersign(['top'], { cwd, env })
    expect([live.code, live.stderr]).toEqual([2, expect.stringMatching(/draws on a terminal/)])
    const seen = await top()
    expect(seen.code).toBe(0)
    expect(seen.stdout).toMatch(/Waiting for people: 0\n/)
    expect(seen.stdout).toMatch(/event loop +p50/)
    child.kill('SIGKILL')
    await ended
    const gone = await top('--url', new URL(url).origin)
    expect([gone.code, gone.stdout]).toEqual([7, expect.stringMatching(/does not answer/)])
  },
)
