import { connect, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Store, StorePoint } from '../../src/store/store.ts'
import { approverNamed, asking, claiming, deciding } from '../../src/testing/commands.ts'
import { freshDatabase } from '../support/postgres.ts'
import { openPostgres, rawClient } from './place.ts'

/** `both`: two commits are on their way, and neither is answered. */
type Fault = 'after' | 'before' | 'both' | undefined

/** Stands between the store and the server, and cuts the line at the next commit when told to. */
async function proxyTo(url: string): Promise<{ url: string; cut(fault: Fault): void }> {
  const target = new URL(url)
  let fault: Fault
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
    client.on('data', (bytes) => {
      const isCommit = /countersign_(write|apply)\0/.test(bytes.toString('latin1'))
      if (!isCommit || fault === undefined) {
        upstream.write(bytes)
        return
      }
      const now = fault
      fault = undefined
      if (now === 'both') {
        upstream.removeAllListeners('data').write(bytes)
        setTimeout(() => client.destroy(), 500)
        return
      }
      if (now === 'before') upstream.destroy()
      // The server gets it and commits; its answer goes nowhere.
      else
        upstream
          .removeAllListeners('data')
          .write(bytes, () => setTimeout(() => upstream.end(), 200))
      client.destroy()
    })
    upstream.on('data', (bytes) => client.write(bytes))
    upstream.on('close', () => client.destroy())
    client.on('close', () => setTimeout(() => upstream.destroy(), 400))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no address')
  return {
    url: Object.assign(new URL(url), { port: String(address.port) }).href,
    cut(next) {
      fault = next
    },
  }
}

async function open() {
  const url = await freshDatabase()
  const proxy = await proxyTo(url)
  const points: StorePoint[] = []
  const store = await openPostgres(proxy.url, { probe: (point) => points.push(point) })
  const ask = () => {
    const request = asking()
    return store.apply(request.id, request)
  }
  await ask()
  return { url, store, ask, points, cut: proxy.cut }
}

async function types(store: Store, id: string): Promise<string[]> {
  return (await store.events(id)).map(({ event }) => event.type)
}

test.each(['after', 'before'] as const)(
  'a line that is cut %s the server heard the commit gives each command one effect',
  async (fault) => {
    const { store, cut } = await open()
    cut(fault)
    const requests = Array.from({ length: 5 }, () => asking({ yeses: 2 }))
    const made = await Promise.all(requests.map((request) => store.apply(request.id, request)))
    for (const { approval } of made) {
      expect(approval.revision).toBe(1)
      expect(await types(store, approval.id)).toEqual(['requested'])
    }

    cut(fault)
    const votes = await Promise.all(
      made.map(({ approval }) =>
        store.apply(approval.id, deciding(approval, approverNamed('ana'))),
      ),
    )
    for (const { approval } of votes) {
      expect(approval.revision).toBe(2)
      expect(await types(store, approval.id)).toEqual(['requested', 'decided'])
    }
    const all = await store.eventsSince('start', 1_000)
    const seqs = all.entries.map(({ seq }) => seq).sort((a, b) => a - b)
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
  },
)

test('two commits of which none was answered are both looked for before the next', async () => {
  const lost = async () => {
    const { store, ask, points, cut } = await open()
    for (let nth = 0; nth < 4; nth += 1) await ask()
    points.length = 0
    cut('both')
    const made = await Promise.all(Array.from({ length: 40 }, ask))
    for (const { approval } of made) expect(await types(store, approval.id)).toEqual(['requested'])
    // A machine that is busy for half a second has them read: then it is tried again.
    expect(points.slice(0, 2)).toEqual(['committing', 'committing'])
    points.length = 0
    await ask()
    // Nothing fails by a tip that has moved on.
    expect(points.filter((point) => point === 'committing')).toHaveLength(1)
  }
  await vi.waitFor(lost, 20_000)
}, 40_000)

test('a claim whose commit got no answer is won once', async () => {
  const { store, cut } = await open()
  const request = asking()
  const { approval } = await store.apply(request.id, request)
  const yes = (await store.apply(approval.id, deciding(approval))).approval
  cut('after')
  const claim = claiming(yes, { claim: 'mine' })
  const { approval: claimed } = await store.apply(yes.id, claim)
  expect(claimed.execution).toMatchObject({ state: 'running', claim: 'mine' })
  expect((await types(store, yes.id)).filter((type) => type === 'claimed')).toHaveLength(1)
  await expect(store.apply(yes.id, claiming(yes))).rejects.toMatchObject({
    code: 'already_claimed',
  })
})

test('a database that stays away is never reported as a success', { timeout: 30_000 }, async () => {
  const url = await freshDatabase()
  const proxy = await proxyTo(url)
  const store = await openPostgres(proxy.url, { patience: 300 })
  const request = asking()
  const { approval } = await store.apply(request.id, request)
  const admin = await rawClient(Object.assign(new URL(url), { pathname: '/postgres' }).href)
  const name = new URL(url).pathname.slice(1)
  await admin.query(`alter database ${name} allow_connections false`)
  proxy.cut('after')
  await expect(store.apply(approval.id, deciding(approval))).rejects.toMatchObject({
    code: 'outcome_unknown',
  })
  const other = asking()
  await expect(store.apply(other.id, other)).rejects.toMatchObject({ code: 'store_unavailable' })
  await admin.query(`alter database ${name} allow_connections true`)
  const again = await store.apply(approval.id, deciding(approval))
  expect(again.approval.status).toBe('approved')
  expect(await types(store, approval.id)).toEqual(['requested', 'decided', 'approved'])
})
