import { remoteGate } from '../../src/client/remote-gate.ts'
import { startSweeper } from '../../src/gate/background/sweep.ts'
import { createTestGate } from '../../src/gate/gate.ts'
import { combinePolicy } from '../../src/policy/load/combine.ts'
import { loadOwner } from '../../src/policy/load/load.ts'
import { addAccount } from '../../src/server/identity/people.ts'
import { createServer } from '../../src/server/server.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { Store } from '../../src/store/store.ts'
import { CASE_POLICY, type CaseWorld } from '../../src/testing/adapter-harness.ts'
import { ana, kim, uma } from '../../src/testing/adapter-play.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'

/** A world, and how to leave it. */
export interface OpenWorld extends CaseWorld {
  close(): Promise<void>
}

const PRINCIPAL = { issuer: uma.issuer, subject: uma.subject }

function policy() {
  const loaded = loadOwner({ file: 'countersign.yaml', text: CASE_POLICY })
  if (!loaded.ok) throw new Error(loaded.mistakes[0]?.message)
  return { owner: loaded.document, policy: combinePolicy({ owner: loaded.document }) }
}

/** Fails every write and read once it is told to. */
function breakable(store: Store): { readonly store: Store; breakDown(): void } {
  let isBroken = false
  const proxy = new Proxy(store, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver)
      if (typeof member !== 'function' || !isBroken || name === 'close') return member
      return () => {
        const failing = Promise.reject(new Error('the disk is gone'))
        // Some of it is called for its effect alone, and nobody waits for that.
        failing.catch(() => undefined)
        return failing
      }
    },
  })
  return {
    store: proxy,
    breakDown() {
      isBroken = true
    },
  }
}

/** The gate and its approvals in one process. */
export async function inProcess(): Promise<OpenWorld> {
  const clock = fakeClock()
  const { store, breakDown } = breakable(memoryStore({ clock: clock.now }))
  const options = {
    policy: policy().policy,
    store,
    agent: 'biller',
    principal: PRINCIPAL,
    sweepEvery: 5,
  }
  const gate = createTestGate(options)
  return {
    gate,
    again: () => createTestGate(options),
    approvals: gate.approvals,
    answers: gate.approvals,
    breakDown,
    pass: async (ms) => clock.advance(ms),
    async close() {
      await store.close()
    },
  }
}

/** The gate here, its approvals behind a whole server: everything crosses HTTP. */
export async function overHttp(): Promise<OpenWorld> {
  const clock = fakeClock()
  const store = memoryStore({ clock: clock.now })
  const { owner, policy: active } = policy()
  const server = createServer({
    store,
    running: {
      version: '1.2.3',
      loadedAt: new Date(0),
      policy: active,
      documents: [owner],
      warnings: [],
      files: () => [{ file: 'countersign.yaml', role: 'owner', state: 'active' }],
    },
    sources: [{ role: 'owner', file: 'countersign.yaml', text: CASE_POLICY }],
  })
  for (const { issuer, subject, email, roles } of [kim, ana]) {
    const known = email === undefined ? {} : { email, emailVerified: true }
    await addAccount(store.records, { issuer, subject, roles, ...known })
  }
  const { token } = await server.credentials.tokens.create({ agent: 'biller', vouches: true })
  let isAway = false
  const open = () =>
    remoteGate({
      url: 'http://127.0.0.1:4747',
      token,
      ...(uma.email === undefined ? {} : { principal: uma.email }),
      async fetch(input, init) {
        if (isAway) throw new TypeError('fetch failed')
        const { pathname, search } = new URL(String(input))
        const headers = { ...(init?.headers as Record<string, string>), host: '127.0.0.1:4747' }
        return server.app.request(`${pathname}${search}`, { ...init, headers })
      },
    })
  const gate = open()
  await gate.ready()
  const people = createTestGate({ policy: active, store, sweepEvery: 5 })
  // The server looks at the clock every five seconds; here it is looked at when time has passed.
  const sweeper = startSweeper({ store })
  return {
    gate,
    again: open,
    approvals: people.approvals,
    answers: gate.approvals,
    breakDown() {
      isAway = true
    },
    async pass(ms) {
      clock.advance(ms)
      await sweeper.sweep()
    },
    async close() {
      await sweeper.stop()
      await server.close()
      await store.close()
    },
  }
}

export const WORLDS = { 'in process': inProcess, 'over HTTP': overHttp } as const
