import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, vi } from 'vitest'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'
import { countersign, folder, GOVERNANCE } from './countersign.ts'
import { type Started, signIn, start } from './started.ts'

const ASKS = 'version: 1\ntools: { pay: { approval: true } }\n'
const ALLOWS = 'version: 1\ntools: { pay: { approval: false } }\n'
const NOT_IN_FORCE = /NOT in force.*countersign policy apply.*--apply-policy/

async function stop({ child, ended }: Started): Promise<void> {
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
}

async function tokenIn(cwd: string, ...args: string[]): Promise<string> {
  const made = await countersign(['token', 'create', '--agent', 'bot', ...args], {
    cwd,
    env: { HOME: cwd },
  })
  return made.stdout.trim()
}

/** What the server says of a payment. */
async function pay(url: string, token: string): Promise<string> {
  const answer = await fetch(new URL('/v1/calls', url), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ tool: 'pay', run: crypto.randomUUID(), args: {} }),
  })
  return ((await answer.json()) as { status: string }).status
}

async function policyEvents(url: string): Promise<unknown[]> {
  const headers = await signIn(url)
  const read = await fetch(new URL('/v1/audit?limit=500', url), { headers })
  const { entries } = (await read.json()) as { entries: { event: { type: string } }[] }
  return entries.map(({ event }) => event).filter(({ type }) => type.startsWith('policy.'))
}

promise(
  ['CS-SERVE-1'],
  'a restart puts no changed file into force; an admin does, on record',
  async () => {
    const cwd = folder({ 'countersign.yaml': ASKS })
    const first = await start(cwd)
    expect(first.greeting).not.toMatch(NOT_IN_FORCE)
    const token = await tokenIn(cwd)
    expect(await pay(first.url, token)).toBe('pending')
    await stop(first)

    writeFileSync(path.join(cwd, 'countersign.yaml'), ALLOWS)
    const second = await start(cwd)
    expect(second.greeting).toMatch(NOT_IN_FORCE)
    expect(await pay(second.url, token)).toBe('pending')
    const run = (...args: string[]) =>
      countersign(['policy', 'apply', ...args], { cwd, env: { HOME: cwd } })
    const draft = JSON.parse((await run('--json')).stdout) as { name: string; changed: boolean }
    expect(draft.changed).toBe(true)
    expect((await run('--name', draft.name)).stdout).toContain('It is in force now.')
    expect(await pay(second.url, token)).toBe('allowed')
    await stop(second)

    const third = await start(cwd)
    expect(third.greeting).not.toMatch(NOT_IN_FORCE)
    expect(await pay(third.url, token)).toBe('allowed')
    expect(await policyEvents(third.url)).toMatchObject([
      { type: 'policy.loaded', by: { system: 'operator' } },
      { type: 'policy.applied', by: { person: {} }, facts: { policy: draft.name } },
    ])
  },
)

promise(['CS-SERVE-1'], 'whoever starts the server can apply the file, on record', async () => {
  const cwd = folder({ 'countersign.yaml': ASKS, 'company.yaml': GOVERNANCE })
  await stop(await start(cwd, ['--governance', 'company.yaml']))
  const token = await tokenIn(cwd)
  writeFileSync(path.join(cwd, 'countersign.yaml'), ALLOWS)
  // Without its governance file, the governance that was in force still is.
  const kept = await start(cwd, ['--json'])
  expect(JSON.parse(kept.greeting)).toMatchObject({ applied: false, files: expect.any(Array) })
  expect(await pay(kept.url, token)).toBe('blocked')
  await stop(kept)
  const applied = await start(cwd, ['--apply-policy'])
  expect(applied.greeting).not.toMatch(NOT_IN_FORCE)
  expect(await pay(applied.url, token)).toBe('allowed')
  expect(await policyEvents(applied.url)).toMatchObject([
    { type: 'policy.loaded' },
    { type: 'policy.applied', by: { system: 'operator' } },
  ])
})

promise(
  ['CS-SERVE-1'],
  'a policy in force that cannot be read starts nothing, and says what to do',
  async () => {
    const cwd = folder({ 'countersign.yaml': ASKS })
    await stop(await start(cwd))
    const db = new DatabaseSync(path.join(cwd, '.countersign', 'approvals.db'))
    const broken = JSON.stringify('version: 99\n')
    db.prepare("update records set value = ? where kind = 'policy-text'").run(broken)
    db.close()
    writeFileSync(path.join(cwd, 'countersign.yaml'), ALLOWS)
    const { code, stderr } = await countersign(['start', '--port', '0'], { cwd })
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/policy in force.*\n.*--apply-policy/)
    await stop(await start(cwd, ['--apply-policy']))
  },
)

promise(
  ['CS-SERVE-1', 'CS-SERVE-7'],
  'servers on one Postgres go by one policy, whatever their own files say',
  async () => {
    const db = await freshDatabase()
    // More than fits into one record.
    const long = `${ASKS}# ${'comment '.repeat(20_000)}\n`
    const [one, two] = [
      folder({ 'countersign.yaml': long }),
      folder({ 'countersign.yaml': ALLOWS }),
    ]
    const first = await start(one, ['--db', db])
    const second = await start(two, ['--db', db])
    expect(second.greeting).toMatch(NOT_IN_FORCE)
    const token = await tokenIn(one, '--db', db)
    expect(await pay(first.url, token)).toBe('pending')
    expect(await pay(second.url, token)).toBe('pending')
    const run = (...args: string[]) =>
      countersign(['policy', 'apply', '--db', db, ...args], { cwd: two, env: { HOME: two } })
    const { name } = JSON.parse((await run('--json')).stdout) as { name: string }
    expect((await run('--name', name)).stdout).toContain('It is in force now.')
    await vi.waitFor(async () => expect(await pay(first.url, token)).toBe('allowed'), {
      timeout: 20_000,
    })
    await stop(first)
    const again = await start(one, ['--db', db])
    expect(again.greeting).toMatch(NOT_IN_FORCE)
    expect(await pay(again.url, token)).toBe('allowed')
  },
)
