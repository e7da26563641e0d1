import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import { ciba } from '../../src/channels/ciba/ciba.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { program } from '../support/make.ts'
import { promise } from '../support/promise.ts'
import { chatServer } from './chat-server.ts'
import { CIBA_POLICY, oidcOptions } from './ciba-people.ts'
import { started } from './ciba-world.ts'
import { type DeviceIssuer, deviceIssuer } from './device-issuer.ts'

const PATIENCE = { timeout: 20_000, interval: 100 }

/** Runs the server in a process of its own until it was killed at this point. */
async function killedAt(point: string, database: string, issuer: DeviceIssuer): Promise<void> {
  const script = await program(path.join(import.meta.dirname, 'killed-ciba-server.ts'))
  const args = ['--conditions=countersign-source', script, database, issuer.url.href, point]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const over = once(child, 'exit')
  if (ANSWERED.includes(point)) await issuer.yes(await issuer.shown('note-'))
  const [, signal] = (await over) as [unknown, string]
  expect(signal).toBe('SIGKILL')
}

/** The person said yes before the process died. */
const ANSWERED: readonly string[] = ['polled', 'deciding', 'decided', 'over']

promise.each(
  ['CS-CIBA-6', 'CS-CIBA-4'],
  'killed, and followed by another process: the person is asked once more at most, and one yes counts once',
  [
    // How often the person is asked in all: where the dead process alone knew of it, once more.
    ['asking', 1],
    ['noting', 2],
    ['noted', 1],
    ['polled', 2],
    ['deciding', 2],
    ['decided', 1],
    ['over', 1],
  ] as const,
  async (point, times) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'countersign-ciba-'))
    const database = path.join(folder, 'a.db')
    const issuer = await started(deviceIssuer())
    await killedAt(point, database, issuer)
    // A minute later: until then the one who had the notice may only be slow.
    const store = await openSqlite(database, { clock: () => Date.now() + 61_000 })
    const server = chatServer(store, ciba(), {
      policy: CIBA_POLICY,
      oidc: oidcOptions(issuer.url),
    })
    onTestFinished(async () => {
      await server.close()
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    })
    await vi.waitFor(() => expect(issuer.asked).toHaveLength(times), PATIENCE)
    const [{ status } = { status: '' }] = (await store.list({})).approvals
    const last = issuer.asked.at(-1)
    if (status === 'pending' && last) await issuer.yes(last)
    await vi.waitFor(async () => {
      const { approvals } = await store.list({})
      expect(approvals.map((one) => [one.status, one.decisions.length])).toEqual([['approved', 1]])
    }, PATIENCE)
    await vi.waitFor(async () => expect((await store.outbox.summary()).waiting).toBe(0), PATIENCE)
    expect(issuer.asked).toHaveLength(times)
    expect((await store.records.list('channel request')).records).toEqual([])
  },
  60_000,
)
