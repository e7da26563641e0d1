/** A server on a filled database, in a process of its own: `server.ts sqlite|postgres PLACE`. */
import { serve } from '../../src/server/serve.ts'
import { openPostgres } from '../../src/store/postgres/open-store.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { benchServer } from '../lib/bench-server.ts'
import { BUSY_AGENT } from './history.ts'

export interface Served {
  readonly url: string
  /** From opening the database until requests are answered. */
  readonly startMs: number
  readonly busy: string
  readonly quiet: string
  readonly cookie: string
  readonly csrf: string
}

// More than is ever asked here: what counts is that it is counted.
const POLICY = `version: 1
limits: { pending_per_agent: 100000, asks_per_minute: 100000 }
tools:
  deploy: { approval: true }
`

const [kind, place = ''] = process.argv.slice(2)
const begun = performance.now()
const store = kind === 'sqlite' ? await openSqlite(place) : await openPostgres(place)
const server = benchServer(store, POLICY)
const own = await serve(server.app, { host: '127.0.0.1', port: 0 })
const startMs = performance.now() - begun

const tokenOf = async (agent: string) => (await server.credentials.tokens.create({ agent })).token
const secret = await server.inviteOperator()
const signedIn = await fetch(new URL('/v1/session', own.url), {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ token: secret }),
})
const message: Served = {
  url: new URL(own.url).origin,
  startMs,
  busy: await tokenOf(BUSY_AGENT),
  quiet: await tokenOf('agent-quiet'),
  cookie: signedIn.headers.get('set-cookie')?.split(';')[0] ?? '',
  csrf: ((await signedIn.json()) as { csrf: string }).csrf,
}
process.send?.(message)
// The process that started it is gone: so is this.
process.on('disconnect', () => process.exit(0))
