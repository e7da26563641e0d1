import type { DatabaseSync } from 'node:sqlite'
import { HEADS_PER_CHECKPOINT, SPENT_KEPT_MS, type Vault } from '../vault.ts'
import { openAuditLog } from './audit-log.ts'
import { integer, prepare, type Row, text } from './connection.ts'

export interface VaultParts {
  readonly tenant: string
  readonly database: string
  readonly path: string
  readonly clock: () => number
  /** Runs work in a transaction of its own, when no other is under way. */
  readonly transact: <T>(work: () => T) => Promise<T>
}

export function createVault(db: DatabaseSync, parts: VaultParts): Vault {
  const { tenant, database, path, clock, transact } = parts
  const sql = prepareVault(db)

  return {
    database,
    async keys() {
      return sql.keys.all(tenant).map((row) => ({
        kid: text(row, 'kid'),
        jwk: text(row, 'jwk'),
        at: integer(row, 'at'),
      }))
    },
    async publish({ kid, jwk }) {
      if (sql.key.get(tenant, kid)) return
      await transact(() => {
        if (!sql.key.get(tenant, kid)) sql.insertKey.run(tenant, kid, jwk, clock())
      })
    },
    spend(jti, exp) {
      return transact(() => {
        const now = clock()
        const forgotten = now - SPENT_KEPT_MS
        sql.forget.run(tenant, forgotten)
        if (exp < forgotten || sql.isSpent.get(tenant, jti)) return false
        sql.insertSpent.run(tenant, jti, exp, now)
        return true
      })
    },
    async lastCheckpoint() {
      const row = sql.lastCheckpoint.get(tenant)
      return row && checkpointOf(row)
    },
    async moved() {
      return sql.moved.all(tenant).map((row) => ({
        writer: text(row, 'writer'),
        seq: integer(row, 'seq'),
        hash: text(row, 'hash'),
      }))
    },
    addCheckpoint({ n, at, kid, jws, heads }) {
      return transact(() => {
        const last = sql.lastCheckpoint.get(tenant)
        if ((last ? integer(last, 'n') : 0) !== n - 1) return false
        sql.insertCheckpoint.run(tenant, n, at, kid, jws)
        for (const { writer, seq } of heads) sql.cover.run(tenant, writer, seq)
        return true
      })
    },
    log: async (options = {}) => openAuditLog(path, { tenant, ...options }),
  }
}

function checkpointOf(row: Row) {
  return {
    n: integer(row, 'n'),
    at: integer(row, 'at'),
    kid: text(row, 'kid'),
    jws: text(row, 'jws'),
  }
}

function prepareVault(db: DatabaseSync) {
  return {
    keys: prepare(db, 'select kid, jwk, at from keys where tenant = ? order by at, kid'),
    key: prepare(db, 'select kid from keys where tenant = ? and kid = ?'),
    insertKey: prepare(db, 'insert into keys (tenant, kid, jwk, at) values (?, ?, ?, ?)'),
    isSpent: prepare(db, 'select jti from spent where tenant = ? and jti = ?'),
    insertSpent: prepare(db, 'insert into spent (tenant, jti, exp, at) values (?, ?, ?, ?)'),
    forget: prepare(
      db,
      `delete from spent where (tenant, jti) in (
         select tenant, jti from spent where tenant = ? and exp < ? order by exp limit 100)`,
    ),
    lastCheckpoint: prepare(
      db,
      'select n, at, kid, jws from checkpoints where tenant = ? order by n desc limit 1',
    ),
    insertCheckpoint: prepare(
      db,
      'insert into checkpoints (tenant, n, at, kid, jws) values (?, ?, ?, ?, ?)',
    ),
    cover: prepare(
      db,
      `insert into covered (tenant, writer, seq) values (?, ?, ?)
       on conflict (tenant, writer) do update set seq = max(seq, excluded.seq)`,
    ),
    moved: prepare(
      db,
      `select i.id as writer, e.seq, e.hash from instances i
       join events e on e.writer = i.id
         and e.seq = (select max(seq) from events where writer = i.id)
       left join covered c on c.tenant = i.tenant and c.writer = i.id
       where i.tenant = ? and e.seq > coalesce(c.seq, 0)
       order by i.id limit ${HEADS_PER_CHECKPOINT}`,
    ),
  }
}
