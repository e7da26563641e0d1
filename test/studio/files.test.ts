import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { countersign } from '../cli/countersign.ts'
import { type RunningServer, runServer } from '../cli/running-server.ts'
import { promise } from '../support/promise.ts'
import { SPEC } from './world.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let server: RunningServer
beforeAll(async () => {
  server = await runServer('version: 1\n')
})
afterAll(() => server?.remove())

promise(['CS-STUDIO-11'], 'tools go to files and come back as drafts', async () => {
  const { cwd } = server
  const cli = (...args: string[]) => countersign(['studio', ...args], { cwd })
  const empty = await cli('export', 'tools')
  expect(empty.stdout, empty.stderr).toContain('0 written to tools')
  const { source, language: _, ...manifest } = SPEC
  writeFileSync(path.join(cwd, 'tools/add.ts'), source)
  writeFileSync(path.join(cwd, 'tools/add.json'), JSON.stringify(manifest))
  expect((await cli('import', 'tools')).stdout).toBe('1 of 1 saved as drafts.\n  add\n')
  expect((await cli('import', 'tools')).stdout).toContain('0 of 1 saved')
  await cli('export', 'again')
  expect(readFileSync(path.join(cwd, 'again/add.ts'), 'utf8')).toBe(source)
  expect(JSON.parse(readFileSync(path.join(cwd, 'again/add.json'), 'utf8'))).toEqual(manifest)
  writeFileSync(path.join(cwd, 'tools/bad.json'), '{')
  expect((await cli('import', 'tools')).stderr).toContain('bad.json has no source beside it')
})
