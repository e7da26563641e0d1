/**
 * Holds one Postgres for the process that started it: prints `{"url"}` when it is ready, and takes
 * everything down when its standard input closes. A parent that is killed closes it too, so no
 * server outlives its test run.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { openFolder, postgresFolder, userForPostgres } from './postgres-binaries.ts'

const user = userForPostgres()
const folder = mkdtempSync(path.join(openFolder(user !== undefined), 'countersign-postgres-'))
let server: ChildProcess | undefined

/** As root, the binaries must be where an ordinary user may look; otherwise where they are. */
function binaries(): string {
  const { native, open } = postgresFolder()
  if (user === undefined || open) return path.join(native, 'bin')
  const copy = path.join(folder, 'native')
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  return path.join(copy, 'bin')
}

function initialise(bin: string): string {
  const data = path.join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  if (user !== undefined) {
    chownSync(folder, user.uid, user.gid)
    chownSync(data, user.uid, user.gid)
  }
  const flags = ['--auth=trust', '--username=postgres', '--encoding=UTF8', '--no-sync']
  // Built in: the machine's own locales differ, and may be none.
  const locale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
  const run = spawnSync(path.join(bin, 'initdb'), ['-D', data, ...flags, ...locale], {
    ...user,
    cwd: folder,
    encoding: 'utf8',
  })
  if (run.status !== 0) throw new Error(`initdb failed: ${run.error ?? run.stderr}`)
  return data
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => probe.once('listening', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}

/** Resolves with the port, or undefined when another program took it first. */
async function start(bin: string, data: string): Promise<number | undefined> {
  const port = await freePort()
  // A killed server loses nothing without fsync; only a killed machine would.
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off']
  const flags = [...settings, 'max_connections=200', 'timezone=UTC'].flatMap((s) => ['-c', s])
  const child = spawn(path.join(bin, 'postgres'), ['-D', data, '-p', String(port), ...flags], {
    ...user,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  server = child
  return new Promise((resolve, reject) => {
    let log = ''
    child.stderr.on('data', (chunk) => {
      // Read on after the start as well: a full pipe would stop the server.
      if (log.length < 100_000) log += chunk
      if (log.includes('ready to accept connections')) resolve(port)
    })
    child.on('error', reject)
    child.on('exit', (code) => {
      if (log.includes('Address already in use')) resolve(undefined)
      else reject(new Error(`postgres ended with ${code}: ${log}`))
    })
  })
}

let stopping = false
async function stop(exitCode: number): Promise<void> {
  if (stopping) return
  stopping = true
  const running = server
  if (running !== undefined && running.exitCode === null && running.signalCode === null) {
    const ended = new Promise((resolve) => running.once('exit', resolve))
    // SIGINT is Postgres's fast shutdown: it does not wait for clients.
    running.kill('SIGINT')
    await ended
  }
  rmSync(folder, { recursive: true, force: true })
  process.exit(exitCode)
}

process.stdin.on('end', () => stop(0)).resume()
process.on('SIGTERM', () => stop(0))
// Ctrl-C reaches the whole group; the parent then closes the pipe when it is ready.
process.on('SIGINT', () => {})

try {
  const bin = binaries()
  const data = initialise(bin)
  let port: number | undefined
  for (let attempt = 0; port === undefined && attempt < 3; attempt += 1) {
    port = await start(bin, data)
  }
  if (port === undefined) throw new Error('no free port in three attempts')
  process.stdout.write(
    `${JSON.stringify({ url: `postgres://postgres@127.0.0.1:${port}/postgres` })}\n`,
  )
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  await stop(1)
}
