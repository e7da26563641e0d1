import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import { Client } from 'pg'
import type { Plan } from '../../src/store/engine/plan.ts'
import { loadDriver } from '../../src/store/postgres/connect.ts'
import { MIGRATIONS } from '../../src/store/postgres/migrations/migrations.ts'
import { Transaction } from '../../src/store/postgres/transaction.ts'
import { WRITE, writeValues } from '../../src/store/postgres/write.ts'
import {
  openFolder,
  postgresFolder,
  userForPostgres,
} from '../../test/support/postgres-binaries.ts'
import { TENANT, together } from './bare.ts'

export interface DurableServer {
  readonly url: string
  /** Of the server that all its processes belong to. */
  readonly pid: number
  stop(): Promise<void>
}

/**
 * A Postgres as it comes, with every sync it makes: the one of the tests makes none. With `kept`, its
 * databases are in that folder, and stay.
 */
export async function startDurable(
  more: readonly string[] = [],
  kept?: string,
): Promise<DurableServer> {
  const user = userForPostgres()
  const folder =
    kept ?? mkdtempSync(path.join(openFolder(user !== undefined), 'countersign-bench-'))
  const data = path.join(folder, 'data')
  const bin = path.join(postgresFolder().native, 'bin')
  const options = { ...user, cwd: folder, encoding: 'utf8' } as const
  if (!existsSync(data)) {
    mkdirSync(data, { mode: 0o700, recursive: true })
    if (user) for (const one of [folder, data]) chownSync(one, user.uid, user.gid)
    const flags = [
      '-D',
      data,
      '--auth=trust',
      '--username=postgres',
      '--encoding=UTF8',
      '--locale=C',
    ]
    const made = spawnSync(path.join(bin, 'initdb'), flags, options)
    if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`)
  }
  const port = 40_000 + Math.floor(Math.random() * 20_000)
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', `port=${port}`]
  const server = spawn(
    path.join(bin, 'postgres'),
    ['-D', data, ...[...settings, ...more].flatMap((one) => ['-c', one])],
    { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  await ready(server)
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    pid: server.pid ?? 0,
    async stop() {
      const ended = new Promise((resolve) => server.once('exit', resolve))
      server.kill('SIGINT')
      await ended
      if (kept === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

function ready(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = ''
    server.stderr?.on('data', (chunk) => {
      if (log.length < 100_000) log += chunk
      if (log.includes('ready to accept connections')) resolve()
    })
    server.once('exit', (code) => reject(new Error(`postgres ended with ${code}: ${log}`)))
  })
}

export async function newDatabase(url: string, name: string): Promise<string> {
  await ask(url, `drop database if exists ${name}`)
  await ask(url, `create database ${name}`)
  return Object.assign(new URL(url), { pathname: `/${name}` }).href
}

export async function renameDatabase(url: string, from: string, to: string): Promise<void> {
  await ask(url, `alter database ${from} rename to ${to}`)
}

export async function hasDatabase(url: string, name: string): Promise<boolean> {
  return (await ask(url, 'select from pg_database where datname = $1', [name])).rowCount === 1
}

/** The processes that serve the database of this address. */
export async function backendsOf(url: string): Promise<number[]> {
  const { rows } = await ask(
    url,
    `select pid from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  )
  return rows.map(({ pid }) => Number(pid))
}

async function ask(url: string, sql: string, values: readonly unknown[] = []) {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query(sql, [...values])
  } finally {
    await client.end()
  }
}

/** The same tables and indexes without a trigger, and batches of statements on one connection. */
export async function barePostgres(
  url: string,
): Promise<{ commit(plans: readonly Plan[]): Promise<void>; close(): Promise<void> }> {
  const { connect, pool } = await loadDriver(url)
  const client = await connect()
  await client.query('create schema countersign')
  for (const { sql } of MIGRATIONS) {
    await client.query(sql.replace(/create trigger[^;]*;/g, ''))
  }
  return {
    async commit(plans) {
      const values = writeValues(TENANT, together(plans), { instance: 'bare' })
      await new Transaction(client).commit(WRITE, values)
    },
    async close() {
      await client.end()
      await pool.end()
    },
  }
}
