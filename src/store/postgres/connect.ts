import type {
  Client,
  ClientBase,
  ClientConfig,
  Pool,
  PoolClient,
  PoolConfig,
  QueryResult,
} from 'pg'
import { CountersignError, isCountersignError } from '../../base/errors.ts'

export type Row = Readonly<Record<string, unknown>>

/** Answers of the server that a statement is waited for, before its connection is given up. */
const ANSWER_MS = 15_000
const CONNECT_MS = 5_000
const INT8 = 20

/** What the driver makes of a bigint: ours are times and counters, all within 2^53. */
function getTypeParser(oid: number): (text: string) => unknown {
  if (oid === INT8) return Number
  return (text) => text
}

export interface Driver {
  /** A connection of its own. */
  connect(options?: ConnectOptions): Promise<Client>
  /** A way past a pooler is known: LISTEN needs a connection that is ours alone. */
  readonly hasDirect: boolean
  readonly pool: Pool
  /** Looks at every new connection of the pool before it is used. */
  verifyWith(verify: (client: PoolClient) => Promise<void>): void
}

interface ConnectOptions {
  readonly onLost?: (client: Client) => void
  /** Past the pooler, where there is a way. */
  readonly isDirect?: boolean
}

/** Loaded only when Postgres is used. */
export async function loadDriver(url: string, direct?: string): Promise<Driver> {
  const { default: pg } = await import('pg')
  const config: ClientConfig = {
    connectionString: url,
    application_name: 'countersign',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    types: { getTypeParser: getTypeParser as never },
  }
  let verify: ((client: PoolClient) => Promise<void>) | undefined
  const pool = new pg.Pool({
    ...config,
    max: 4,
    idleTimeoutMillis: 10_000,
    allowExitOnIdle: true,
    verify(client: PoolClient, done: (error?: Error) => void) {
      if (!verify) done()
      else verify(client).then(() => done(), done)
    },
  } as PoolConfig)
  // Without a listener, a server that goes away ends this process.
  pool.on('error', () => {})
  // The pool listens to its connections while they are idle, and to a query's only once.
  pool.on('connect', (client) => client.on('error', () => {}))
  return {
    pool,
    verifyWith(next) {
      verify = next
    },
    hasDirect: direct !== undefined,
    async connect({ onLost, isDirect = false } = {}) {
      const client = new pg.Client(
        isDirect && direct !== undefined ? { ...config, connectionString: direct } : config,
      )
      client.on('error', () => onLost?.(client))
      client.on('end', () => onLost?.(client))
      await client.connect().catch((cause: unknown) => {
        // Whatever the reason: this server cannot be used now.
        throw new Error(cause instanceof Error ? cause.message || cause.name : String(cause), {
          cause,
        })
      })
      return client
    },
  }
}

/**
 * A pooler hands out cancel keys of its own, so its process number is not that of the server. Which
 * statement meets which connection of the server is up to it then, unless it is told otherwise.
 */
export async function isPooled(client: ClientBase): Promise<boolean> {
  const found = await client.query<Row>('select pg_backend_pid()::bigint as pid')
  const { processID } = client as unknown as { readonly processID: number | null }
  return numberOf(firstOf(found), 'pid') !== processID
}

/** The server went away, is not ready or has no room: nothing is known of what was under way. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof TypeError) return false
  if (isCountersignError(error)) return false
  // What the server itself says has a severity; everything else happened on the way to it.
  if (!('severity' in error)) return true
  const code = 'code' in error ? String(error.code) : ''
  // 25006: it takes no writes now; perhaps the next one under this address does.
  return /^(08|53|57P|25006)/.test(code)
}

/** Two transactions met; either may simply be tried again. */
export function isCollision(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return error.code === '40P01' || error.code === '40001' || error.code === '55P03'
}

/** Another writer wrote the same thing first: looking again will find it. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505'
}

export function unavailable(cause: unknown): CountersignError {
  const text = cause instanceof Error ? cause.message || cause.name : String(cause)
  return new CountersignError('store_unavailable', `the database cannot be reached: ${text}`, {
    cause,
  })
}

export function textOf(row: Row, column: string): string {
  const value = row[column]
  if (typeof value === 'string') return value
  throw new CountersignError('store_damaged', `column ${column} holds no text`)
}

export function numberOf(row: Row, column: string): number {
  const value = Number(row[column])
  if (Number.isSafeInteger(value)) return value
  throw new CountersignError('store_damaged', `column ${column} holds no whole number`)
}

export function firstOf(result: QueryResult<Row>): Row {
  const [row] = result.rows
  if (row) return row
  throw new CountersignError('store_damaged', 'the database answered without a row')
}
