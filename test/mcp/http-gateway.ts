import { onTestFinished, vi } from 'vitest'
import { declaredServers, mcpDoor, type Specs } from '../../src/app/mcp-routes.ts'
import { tryDoor } from '../../src/app/try-routes.ts'
import { createUpstreams } from '../../src/app/upstreams.ts'
import { openSigner } from '../../src/gate/proof/keys.ts'
import { createSignIns } from '../../src/gateway/upstream/oauth/sign-ins.ts'
import { combinePolicy } from '../../src/policy/load/combine.ts'
import { loadOwner } from '../../src/policy/load/load.ts'
import { setAccount } from '../../src/server/identity/people.ts'
import type { ClientSources } from '../../src/server/oauth/client-document.ts'
import { serve } from '../../src/server/serve.ts'
import { createServer, type Server } from '../../src/server/server.ts'
import { memoryKeys } from '../../src/store/audit/key-folder.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { Store } from '../../src/store/store.ts'

export interface Gateway {
  readonly url: URL
  readonly store: Store
  readonly server: Server
  readonly logged: string[]
  /** Headers of an agent of its own. */
  agent(name: string, principal?: string): Promise<Record<string, string>>
  /** Somebody at the inbox answers the one question that is open. */
  answer(verdict: 'approve' | 'deny'): Promise<string>
  /** As a server that is told to stop; its store stays. */
  stop(): Promise<void>
}

export interface GatewayOptions {
  readonly hold?: number
  readonly env?: Readonly<Record<string, string>>
  readonly store?: Store
  readonly processes?: number
  readonly keys?: ReturnType<typeof memoryKeys>
  /** Whose clients people may allow. */
  readonly oauth?: ClientSources
}

/** `/mcp` on a socket, as `countersign start` serves it. Closed after the test. */
export async function gateway(policy: string, options: GatewayOptions = {}): Promise<Gateway> {
  const loaded = loadOwner({ file: 'countersign.yaml', text: policy })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.mistakes))
  const owner = loaded.document
  const combined = combinePolicy({ owner })
  const store = options.store ?? memoryStore()
  const logged: string[] = []
  const log = (line: string) => void logged.push(line)
  const env = { PATH: process.env.PATH, ...options.env }
  const inbox = () => 'http://127.0.0.1/'
  const hold = options.hold ?? 20_000
  const keys = options.keys ?? memoryKeys()
  const signIns = createSignIns({ store, keys })
  const specs: Specs = (policy, tell) => declaredServers(policy, env, tell).map(signIns.attach)
  const doors = [mcpDoor, tryDoor].map((open) =>
    open({ specs, inbox, hold, processes: options.processes, oauth: options.oauth, log }),
  )
  const server = createServer({
    store,
    signer: await openSigner({ store, keys }),
    running: {
      version: '1',
      loadedAt: new Date(0),
      policy: combined,
      documents: [owner],
      warnings: [],
      files: () => [],
    },
    doors: (services) => doors.flatMap(({ routes }) => routes(services)),
    upstreams: (policy) => createUpstreams({ store, policy, specs, signIns }),
  })
  const serving = await serve(server.app, { host: '127.0.0.1', port: 0 })
  const ana = { issuer: 'local', subject: 'ana@example.com', roles: ['approver'] as const }
  await setAccount(store.records, ana)
  // Somebody else who may approve what Ana may not.
  await setAccount(store.records, {
    issuer: 'local',
    subject: 'cy@example.com',
    roles: ['approver'],
  })
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= (async () => {
      await Promise.all(doors.map((door) => door.close()))
      await server.close()
      await serving.close()
    })()
    return stopped
  }
  onTestFinished(async () => {
    await stop()
    await store.close()
  })
  return {
    url: new URL('mcp', serving.url),
    store,
    server,
    logged,
    stop,
    async agent(name, principal) {
      const { token } = await server.credentials.tokens.create({
        agent: name,
        ...(principal === undefined ? {} : { principal }),
      })
      return { authorization: `Bearer ${token}` }
    },
    async answer(verdict) {
      const approval = await vi.waitFor(
        async () => {
          const { approvals } = await store.list({ status: ['pending'] })
          const [one] = approvals
          if (!one) throw new Error('nothing is asked')
          return one
        },
        { timeout: 20_000, interval: 20 },
      )
      const by = server.credentials.accounts.person(ana, 'signed-in')
      await server.gate.approvals.decide(approval.id, { by, verdict, seen: approval.digest })
      return approval.id
    },
  }
}
