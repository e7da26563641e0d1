import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import webpush from 'web-push'
import { webPush } from '../../src/channels/push/web-push.ts'
import { startDeliverer } from '../../src/gate/notify/deliver.ts'
import { DEVICE_RECORD } from '../../src/store/records/device-record.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { asking } from '../../src/testing/commands.ts'
import { program } from '../support/make.ts'
import { promise } from '../support/promise.ts'
import { pushService } from '../support/push-service.ts'

const PERSON = { issuer: 'local', subject: 'ana@example.com' }

promise.each(
  ['CS-PUSH-3', 'CS-CHAN-1'],
  'killed between the decision and the message that closes it: the next process closes it, once',
  [
    ['before it was sent', 'notice.taken', 1],
    ['after it was sent, before that was noted', 'notice.sent', 1],
  ] as [string, string, number][],
  async (_, point, closings) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'countersign-push-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const database = path.join(folder, 'a.db')
    const { browser, allowHosts } = await pushService()
    const device = browser()
    const key = webpush.generateVAPIDKeys()

    async function deliver(store: Store): Promise<void> {
      const contact = 'mailto:ops@example.com'
      const { channel } = webPush({ store, key, contact, home: () => undefined, allowHosts })
      const reachable = () => [{ ...PERSON, groups: [] }]
      const options = { store, channels: [channel], people: { reachable }, every: 1_000_000 }
      const deliverer = startDeliverer(options)
      await deliverer.deliver()
      await deliverer.stop()
    }

    const first = await openSqlite(database)
    const { endpoint, p256dh, auth } = device
    const known = { person: PERSON, session: 's', key: key.publicKey, renewal: 'r', name: 'Phone' }
    await first.records.put(DEVICE_RECORD, 'd1', { ...known, endpoint, p256dh, auth, at: 0 })
    await first.outbox.open('push')
    const request = asking()
    await first.apply(request.id, request)
    await deliver(first)
    expect(device.shown.size).toBe(1)
    await first.close()

    const script = await program(path.join(import.meta.dirname, 'notifications/killed-pusher.ts'))
    const args = [script, database, JSON.stringify(key), allowHosts[0] ?? '', point]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.on('data', (chunk) => {
      said += String(chunk)
    })
    const [, signal] = await once(child, 'exit')
    expect([signal, said]).toEqual(['SIGKILL', ''])
    expect(device.got.length).toBe(point === 'notice.taken' ? 1 : 2)

    // A minute later: before that, the process that had it may only be slow.
    const next = await openSqlite(database, { clock: () => Date.now() + 61_000 })
    await deliver(next)
    await deliver(next)
    expect(device.shown.size).toBe(0)
    expect(device.got.filter(({ payload }) => payload.closed).length).toBe(closings)
    expect((await next.outbox.summary()).waiting).toBe(0)
    await next.close()
  },
  20_000,
)
