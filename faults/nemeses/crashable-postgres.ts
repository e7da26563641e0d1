import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  openFolder,
  postgresFolder,
  userForPostgres,
} from '../../test/support/postgres-binaries.ts'
import { query } from '../workload/query.ts'

/**
 * A Postgres that can be crashed. Unlike that of the other tests it syncs, because what it has
 * acknowledged must be there after a crash.
 */
export interface CrashablePostgres {
  readonly port: number
  readonly url: string
  /** A new database whose clock can be set, and its address. */
  newDatabase(tablespace?: string): Promise<string>
  /** What a crash of the server is: no goodbyes, and recovery from its log at the next start. */
  crash(): Promise<void>
  shutDown(): Promise<void>
  /** All its processes at once, by SIGKILL: none of them writes anything any more. Linux only. */
  killAll(): Promise<void>
  start(): Promise<void>
  /** A cold copy of everything, and the way back to it. The server must be down. */
  copyTo(folder: string): void
  restoreFrom(folder: string): void
  readonly folder: string
  /** A standby that streams from this server, without this server waiting for it. */
  addStandby(): Promise<Standby>
  stop(): Promise<void>
}

export interface Standby {
  readonly url: string
  /** It hears no more of what the primary writes. */
  stop(): Promise<void>
  /** The primary is gone, and the standby answers under its address. Both must be down. */
  takeOver(): Promise<void>
}

export interface PostgresOptions {
  /** Called once the data folder is made; the server then runs with what it returns. */
  readonly environment?: (data: string) => Readonly<Record<string, string>>
  /** In place of `fsync=on`. */
  readonly settings?: readonly string[]
}

export async function crashablePostgres({
  environment,
  settings: own = ['fsync=on'],
}: PostgresOptions = {}): Promise<CrashablePostgres> {
  const user = userForPostgres()
  const folder = mkdtempSync(path.join(openFolder(user !== undefined), 'countersign-crashes-'))
  const bin = binaries(folder, user !== undefined)
  const data = path.join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  if (user) for (const one of [folder, data]) chownSync(one, user.uid, user.gid)
  const flags = ['--auth=trust', '--username=postgres', '--encoding=UTF8', '--locale=C']
  const made = spawnSync(path.join(bin, 'initdb'), ['-D', data, ...flags], {
    ...user,
    cwd: folder,
    encoding: 'utf8',
  })
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error ?? made.stderr}`)
  const env = { ...process.env, ...environment?.(data) }
  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  let server: ChildProcess | undefined
  let count = 0

  async function start(): Promise<void> {
    server = await run(data, port)
  }

  async function run(folderOf: string, at: number): Promise<ChildProcess> {
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', ...own]
    const args = [...settings, 'max_connections=100', 'restart_after_crash=on'].flatMap((one) => [
      '-c',
      one,
    ])
    const child = spawn(path.join(bin, 'postgres'), ['-D', folderOf, '-p', String(at), ...args], {
      ...user,
      cwd: folder,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await new Promise<void>((resolve, reject) => {
      let log = ''
      child.stderr.on('data', (chunk) => {
        if (log.length < 100_000) log += chunk
        if (/ready to accept (read-only )?connections/.test(log)) resolve()
      })
      child.once('exit', (code) => reject(new Error(`postgres ended with ${code}: ${log}`)))
    })
    return child
  }

  async function end(signal: 'SIGQUIT' | 'SIGINT'): Promise<void> {
    const running = server
    server = undefined
    await endChild(running, signal)
  }

  async function addStandby(): Promise<Standby> {
    const own = path.join(folder, 'standby')
    const ownPort = await freePort()
    await end('SIGINT')
    cpSync(data, own, { recursive: true })
    writeFileSync(path.join(own, 'standby.signal'), '')
    const source = `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres'\n`
    appendFileSync(path.join(own, 'postgresql.auto.conf'), source)
    chmodSync(own, 0o700)
    if (user) spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, own])
    await start()
    let child: ChildProcess | undefined = await run(own, ownPort)
    process.on('exit', () => child?.kill('SIGQUIT'))
    return {
      url: `postgres://postgres@127.0.0.1:${ownPort}/postgres`,
      async stop() {
        await endChild(child, 'SIGINT')
        child = undefined
      },
      async takeOver() {
        server = await run(own, port)
        const args = ['promote', '-D', own, '-w']
        const done = spawnSync(path.join(bin, 'pg_ctl'), args, { ...user, cwd: folder })
        if (done.status !== 0) throw new Error(`promote failed: ${done.stderr}`)
      },
    }
  }

  // A killed parent must not leave a server behind; `exit` handlers run on everything else.
  const onExit = () => {
    server?.kill('SIGQUIT')
    rmSync(folder, { recursive: true, force: true })
  }
  process.on('exit', onExit)
  await start()
  return {
    port,
    url,
    folder,
    start,
    crash: () => end('SIGQUIT'),
    shutDown: () => end('SIGINT'),
    async killAll() {
      const running = server
      server = undefined
      if (running?.pid === undefined) return
      // Stopped first, so that it starts no other while its processes are counted.
      running.kill('SIGSTOP')
      const list = `/proc/${running.pid}/task/${running.pid}/children`
      const children = readFileSync(list, 'utf8').split(' ').filter(Boolean).map(Number)
      for (const child of children) killIfThere(child)
      await endChild(running, 'SIGKILL')
      while (children.some((child) => existsSync(`/proc/${child}`))) await sleep(5)
    },
    addStandby,
    async newDatabase(tablespace) {
      count += 1
      const name = `faults_${process.pid}_${count}`
      const where = tablespace === undefined ? '' : ` tablespace ${tablespace}`
      await query(url, [`create database ${name}${where}`])
      const address = `postgres://postgres@127.0.0.1:${port}/${name}`
      await query(address, clockSql(name))
      return address
    },
    copyTo: (to) => cpSync(data, to, { recursive: true, preserveTimestamps: true }),
    restoreFrom(from) {
      rmSync(data, { recursive: true })
      cpSync(from, data, { recursive: true })
      chmodSync(data, 0o700)
      if (user) spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, data])
    },
    async stop() {
      await end('SIGINT')
      process.removeListener('exit', onExit)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function endChild(
  child: ChildProcess | undefined,
  signal: 'SIGQUIT' | 'SIGINT' | 'SIGKILL',
): Promise<void> {
  if (!child || child.exitCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await ended
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself.
  }
}

/**
 * The server's own clock cannot be set without setting the machine's. So the name the store asks
 * for is answered by another function of the same name, which adds what the test wants.
 */
function clockSql(database: string): string[] {
  return [
    'create schema faults',
    'create table faults.clock (ahead bigint not null)',
    'insert into faults.clock values (0)',
    `create function faults.clock_timestamp() returns timestamptz language sql volatile as
     'select pg_catalog.clock_timestamp() + (select ahead from faults.clock) * interval ''1 millisecond'''`,
    `alter database ${database} set search_path = faults, pg_catalog, public`,
  ]
}

function binaries(folder: string, isRoot: boolean): string {
  const { native, open } = postgresFolder()
  if (!isRoot || open) return path.join(native, 'bin')
  const copy = path.join(folder, 'native')
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  return path.join(copy, 'bin')
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => probe.once('listening', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
