import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { start } from './started.ts'

/** Runs inside of the server, as a mistake of ours or of a library would. */
const MISTAKES = `
process.on('SIGUSR2', () => { void Promise.reject(new Error('nobody waits for this')) })
process.on('SIGHUP', () => { throw new Error('nobody catches this') })
`

function folder(): { readonly cwd: string; readonly env: Record<string, string> } {
  const cwd = mkdtempSync(path.join(tmpdir(), 'countersign-mishaps-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  writeFileSync(
    path.join(cwd, 'countersign.yaml'),
    'version: 1\ntools: { pay: { approval: true } }\n',
  )
  const mistakes = path.join(cwd, 'mistakes.mjs')
  writeFileSync(mistakes, MISTAKES)
  return { cwd, env: { NODE_OPTIONS: `--import=${pathToFileURL(mistakes)}` } }
}

test('B10-17: an unhandled rejection is logged, counted and survived', async () => {
  const { cwd, env } = folder()
  const { url, child } = await start(cwd, ['--log', 'json'], env)
  let said = ''
  child.stderr?.on('data', (chunk) => {
    said += chunk
  })
  child.kill('SIGUSR2')
  await expect.poll(() => said).toContain('"event":"unhandled rejection"')
  expect(said).toContain('nobody waits for this')
  expect((await fetch(new URL('/readyz', url))).status).toBe(200)
  const metrics = await (await fetch(new URL('/metrics', url))).text()
  expect(metrics).toContain('countersign_unhandled_rejections_total 1')
  expect(child.exitCode).toBeNull()
})

test('B10-17: an uncaught exception is logged, and ends the process with a code of its own', async () => {
  const { cwd, env } = folder()
  const { child, ended } = await start(cwd, ['--log', 'json'], env)
  let said = ''
  child.stderr?.on('data', (chunk) => {
    said += chunk
  })
  child.kill('SIGHUP')
  expect(await ended).toBe(70)
  expect(said).toContain('"event":"uncaught exception"')
})
