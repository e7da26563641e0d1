import type { Pool, PoolClient } from 'pg'
import { isCountersignError } from '../../base/errors.ts'
import { HEADS_PER_CHECKPOINT, SPENT_KEPT_MS, type Vault } from '../vault.ts'
import { readWith } from './audit-log.ts'
import { type Driver, firstOf, numberOf, type Row, textOf, unavailable } from './connect.ts'
import { readHead } from './found.ts'
import { CLOCK_SQL, transaction } from './open.ts'

export interface VaultParts {
  readonly driver: Driver
  readonly tenant: string
  readonly database: string
  /** The server's commits are not durable unless each transaction asks for it. */
  readonly isLazy: boolean
}

export function createVault({ driver, tenant, database, isLazy }: VaultParts): Vault {
  const { pool } = driver

  async function rows(sql: string, values: readonly unknown[]): Promise<Row[]> {
    return (await reached(pool.query<Row>(sql, [...values]))).rows
  }

  /** Durable when it resolves. */
  function change<T>(work: (client: PoolClient, now: number) => Promise<T>): Promise<T> {
    return reached(
      transaction(pool as Pool, async (client) => {
        if (isLazy) await client.query('set local synchronous_commit to on')
        return work(client, numberOf(firstOf(await client.query<Row>(CLOCK_SQL)), 'now'))
      }),
    )
  }

  return {
    database,
    async keys() {
      const found = await rows(
        'select kid, jwk, at from countersign.keys where tenant = $1 order by at, kid',
        [tenant],
      )
      return found.map((row) => ({
        kid: textOf(row, 'kid'),
        jwk: textOf(row, 'jwk'),
        at: numberOf(row, 'at'),
      }))
    },
    async publish({ kid, jwk }) {
      await change((client, now) =>
        client.query(
          `insert into countersign.keys (tenant, kid, jwk, at) values ($1, $2, $3, $4)
           on conflict do nothing`,
          [tenant, kid, jwk, now],
        ),
      )
    },
    spend(jti, exp) {
      return change(async (client, now) => {
        const forgotten = now - SPENT_KEPT_MS
        if (exp < forgotten) return false
        await client.query(FORGET, [tenant, forgotten])
        // A second caller waits here until the first has committed.
        const { rowCount } = await client.query(
          `insert into countersign.spent (tenant, jti, exp, at) values ($1, $2, $3, $4)
           on conflict do nothing`,
          [tenant, jti, exp, now],
        )
        return rowCount === 1
      })
    },
    async lastCheckpoint() {
      const [row] = await rows(
        `select n, at, kid, jws from countersign.checkpoints
         where tenant = $1 order by n desc limit 1`,
        [tenant],
      )
      return (
        row && {
          n: numberOf(row, 'n'),
          at: numberOf(row, 'at'),
          kid: textOf(row, 'kid'),
          jws: textOf(row, 'jws'),
        }
      )
    },
    async moved() {
      return (await rows(MOVED, [tenant])).map(readHead)
    },
    addCheckpoint({ n, at, kid, jws, heads }) {
      return change(async (client) => {
        const added = await client.query(
          `insert into countersign.checkpoints (tenant, n, at, kid, jws)
           values ($1, $2, $3, $4, $5) on conflict do nothing`,
          [tenant, n, at, kid, jws],
        )
        if (added.rowCount !== 1) return false
        await client.query(COVER, [tenant, JSON.stringify(heads)])
        return true
      })
    },
    log: (options = {}) => readWith(driver, { tenant, ...options }),
  }
}

async function reached<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw isCountersignError(error) ? error : unavailable(error)
  }
}

// Rows that another server forgets at this moment are left to it.
const FORGET = `
  delete from countersign.spent where (tenant, jti) in (
    select tenant, jti from countersign.spent where tenant = $1 and exp < $2
    order by exp limit 100 for update skip locked)`

const COVER = `
  insert into countersign.covered (tenant, writer, seq)
  select $1, h.writer, h.seq from json_to_recordset($2) as h(writer text, seq bigint)
  on conflict (tenant, writer) do update set seq = greatest(covered.seq, excluded.seq)`

const MOVED = `
  select i.id as writer, e.seq, e.hash from countersign.instances i
  left join countersign.covered c on c.tenant = i.tenant and c.writer = i.id
  join lateral (
    select seq, hash from countersign.events where writer = i.id order by seq desc limit 1
  ) e on e.seq > coalesce(c.seq, 0)
  where i.tenant = $1
  order by i.id limit ${HEADS_PER_CHECKPOINT}`
