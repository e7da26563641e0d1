import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { SETTINGS } from '../../src/cli/config/settings.ts'
import { promise } from '../support/promise.ts'
import { countersign, folder } from './countersign.ts'
import { start } from './started.ts'

/** Every secret setting there is, each with a text of its own; the database is a real one. */
const SECRETS = Object.fromEntries([
  ...SETTINGS.filter(
    ({ name, isSecret, isCapability }) => (isSecret || isCapability) && !/^db/.test(name),
  ).map(({ name, isCapability }) => {
    // Without a space: a setting that is a list would make a secret of each word, `canary` among them.
    const text = `canary-${name}-%$/`
    const url = `https://x.example/hooks/canary-${name}`
    return [`COUNTERSIGN_${name.toUpperCase()}`, isCapability ? url : text]
  }),
  ['PGPASSWORD', 'postgres-canary'],
  ['COUNTERSIGN_METRICS_TOKEN_FILE', 'token.txt'],
  ['COUNTERSIGN_WEBHOOK_SECRET_FILE', 'hook.txt'],
])
delete SECRETS.COUNTERSIGN_METRICS_TOKEN

const LOG = [
  '{"level":"info","message":"info-canary: nothing to see"}',
  '{"level":"error","message":"could not sign in with canary-oidc_client_secret-%$/ for lena@example.com"}',
  // Only the files they came from tell that these are secrets.
  'error: file-canary-0123456789 and old-canary-9876543210 are not known',
  '{"level":"error","authorization":"Bearer sk-proj-canary6canary6canary6canary6canary6"}',
  'error: postgres://app:postgres-canary@db.internal/x refused; password=postgres-canary',
].join('\n')

promise(
  ['CS-WATCH-6'],
  'a support file holds what helps, and none of the secrets that were planted everywhere',
  async () => {
    const cwd = folder({
      'countersign.yaml': 'version: 1\n',
      'server.log': LOG,
      'token.txt': 'file-canary-0123456789\n',
      'hook.txt': 'new-canary-0123456789\nold-canary-9876543210\n',
    })
    await start(cwd)
    const env = { HOME: cwd, ...SECRETS }
    const run = () => countersign(['support', '--log-file', 'server.log'], { cwd, env })
    const made = await run()
    expect([made.code, made.stderr]).toEqual([0, ''])
    const file = path.join(cwd, 'countersign-support.json')
    const text = readFileSync(file, 'utf8')
    expect(statSync(file).mode & 0o077).toBe(0)
    expect(Object.keys(SECRETS).length).toBeGreaterThan(15)
    expect(text).not.toMatch(/canary/)
    expect(text).not.toMatch(/lena@|signin=/)
    const key = JSON.parse(readFileSync(path.join(cwd, '.countersign/server.json'), 'utf8'))
    expect(text).not.toContain(key.hook.key)
    const bundle = JSON.parse(text)
    expect(bundle.log).toHaveLength(4)
    expect(bundle.database).toEqual({ kind: 'sqlite', schema: expect.any(Number) })
    expect(bundle.versions).toMatchObject({ node: process.versions.node })
    expect(bundle.doctor.length).toBeGreaterThan(3)
    expect(bundle.server.ready).toMatchObject({ status: 200 })
    expect(bundle.server.metrics.body.join('\n')).toContain('countersign_pending_approvals 0')
    expect(JSON.stringify(bundle.settings)).toContain('COUNTERSIGN_SLACK_BOT_TOKEN')
    // Never over a file that is there.
    expect((await run()).code).toBe(2)
  },
)
