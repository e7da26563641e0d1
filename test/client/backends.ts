import { onTestFinished } from 'vitest'
import { createGate } from '../../src/client/create-gate.ts'
import type { RemoteGate, RemoteIdentity } from '../../src/client/remote-gate.ts'
import { startSweeper } from '../../src/gate/background/sweep.ts'
import { createTestGate, type Gate } from '../../src/gate/gate.ts'
import { openSigner } from '../../src/gate/proof/keys.ts'
import type { Strategy } from '../../src/gate/strategy.ts'
import { combinePolicy } from '../../src/policy/load/combine.ts'
import { loadOwner, policyError } from '../../src/policy/load/load.ts'
import { addAccount } from '../../src/server/identity/people.ts'
import type { NewToken } from '../../src/server/identity/tokens.ts'
import { createServer, type Server } from '../../src/server/server.ts'
import { memoryKeys } from '../../src/store/audit/key-folder.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { Store } from '../../src/store/store.ts'
import { type FakeClock, fakeClock } from '../../src/testing/fake-clock.ts'
import { ana, bo, kim, POLICY } from '../gate/gates.ts'
import { ownerFile } from '../support/policy.ts'

/*
 * The same gate twice: with a store of its own, and over a whole server. A test that runs against
 * both holds one to the other.
 */

export const BACKENDS = ['in process', 'over HTTP'] as const
export type BackendName = (typeof BACKENDS)[number]
export const BOTH_BACKENDS = BACKENDS.map((name): [BackendName] => [name])

/** What both kinds of gates have. */
export type AnyGate = Gate | RemoteGate

export interface Opening {
  readonly policy?: string
  /** Without one, no countersignatures are made. */
  readonly isSigning?: boolean
  readonly store?: Store
  readonly agent?: string
  readonly identity?: RemoteIdentity
  readonly token?: Omit<NewToken, 'agent'>
  readonly strategy?: Strategy
}

export interface Opened {
  readonly gate: AnyGate
  /** Another gate of the same agent, as another process has it. */
  again(identity?: RemoteIdentity): AnyGate
  /** The same for another agent of the same installation. */
  other(agent: string, identity?: RemoteIdentity): Promise<AnyGate>
  /** For people: they decide on the store itself. */
  readonly people: Gate
  readonly store: Store
  readonly clock: FakeClock
  readonly server: Server | undefined
  /** What was sent to the server. */
  readonly sent: string[]
  /** The next answer from an address that ends like this does not arrive. */
  lose(path: string): void
  /** Another server on the same store takes the place of this one. */
  restart(): Promise<void>
}

export const HOST = '127.0.0.1:4747'

export async function openBackend(name: BackendName, opening: Opening = {}): Promise<Opened> {
  const { policy: given = POLICY, agent = 'biller', identity = {} } = opening
  const text = ownerFile(given).text
  const clock = fakeClock()
  const store = opening.store ?? memoryStore({ clock: clock.now })
  if (!opening.store) onTestFinished(() => store.close())
  const loaded = loadOwner({ file: 'countersign.yaml', text })
  if (!loaded.ok) throw policyError(loaded.mistakes)
  const owner = loaded.document
  const policy = combinePolicy({ owner })
  const strategy = opening.strategy ? { strategy: opening.strategy } : {}
  const signer = opening.isSigning ? await openSigner({ store, keys: memoryKeys() }) : undefined
  const sent: string[] = []
  let lost: string | undefined
  if (name === 'in process') {
    const make = (own: string, who: RemoteIdentity): Gate =>
      createTestGate({
        ...{ policy, store, agent: own, sweepEvery: 5, announce: false },
        ...(signer ? { countersign: { signer } } : {}),
        ...strategy,
        ...who,
      })
    return {
      gate: make(agent, identity),
      again: (who = identity) => make(agent, who),
      other: async (own, who = identity) => make(own, who),
      people: make('people', {}),
      ...{ store, clock, server: undefined, sent, lose() {}, restart: async () => {} },
    }
  }
  const start = () =>
    createServer({
      ...{ store, signer, ...strategy },
      running: {
        ...{ version: '1.2.3', loadedAt: new Date(0), policy, documents: [owner], warnings: [] },
        files: () => [{ file: 'countersign.yaml', role: 'owner', state: 'active' }],
      },
      sources: [{ role: 'owner', file: 'countersign.yaml', text }],
    })
  let server = start()
  onTestFinished(() => server.close())
  for (const { issuer, subject, email = '', roles } of [kim, ana, bo]) {
    await addAccount(store.records, { issuer, subject, roles, email, emailVerified: true })
  }
  // The server looks at the clock every five seconds; tests do not wait for that.
  const sweeper = startSweeper({ store, every: 5 })
  onTestFinished(() => sweeper.stop())

  async function made(own: string) {
    const { token } = await server.credentials.tokens.create({ agent: own, ...opening.token })
    return (who: RemoteIdentity): RemoteGate =>
      createGate({
        announce: false,
        ...who,
        server: {
          url: `http://${HOST}`,
          token,
          async fetch(input, init) {
            const { pathname, search } = new URL(String(input))
            sent.push(`${init?.method ?? 'GET'} ${pathname}`)
            const headers = { ...(init?.headers as Record<string, string>), host: HOST }
            const answer = await server.app.request(`${pathname}${search}`, { ...init, headers })
            if (lost === undefined || !pathname.endsWith(lost)) return answer
            lost = undefined
            throw new TypeError('fetch failed')
          },
        },
      })
  }

  const make = await made(agent)
  return {
    gate: make(identity),
    again: (who = identity) => make(who),
    other: async (own, who = identity) => (await made(own))(who),
    people: createTestGate({ policy, store, sweepEvery: 5, announce: false }),
    ...{ store, clock, sent },
    get server() {
      return server
    },
    async restart() {
      const before = server
      before.drain()
      server = start()
      await before.close()
    },
    lose(path) {
      lost = path
    },
  }
}
