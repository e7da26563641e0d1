import { type ChildProcess, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { freePorts } from './free-ports.ts'
import { openFolder, userForPostgres } from './postgres-binaries.ts'

const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find(
  existsSync,
)

export const hasPgBouncer = PROGRAM !== undefined

interface Pooler {
  /** The same database, through the pooler. */
  readonly url: string
  readonly stop: () => Promise<void>
}

/** The real PgBouncer in transaction mode, with few connections, so that they change hands. */
export async function startPgBouncer(url: string, connections = 3): Promise<Pooler> {
  const user = userForPostgres()
  const folder = mkdtempSync(path.join(openFolder(user !== undefined), 'countersign-pooler-'))
  const { hostname, port, username } = new URL(url)
  const [own = 0] = await freePorts(1)
  const file = path.join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${port} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 200
server_round_robin = 1
ignore_startup_parameters = extra_float_digits
`,
  )
  if (user) for (const one of [folder, file]) chownSync(one, user.uid, user.gid)
  const child = spawn(PROGRAM ?? '', [file], {
    ...user,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  await isUp(child)
  const through = new URL(url)
  through.port = String(own)
  return {
    url: through.href,
    async stop() {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function isUp({ stderr }: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = ''
    stderr?.on('data', (chunk) => {
      log += chunk
      if (log.includes('process up')) resolve()
    })
    stderr?.on('end', () => reject(new Error(`no PgBouncer: ${log}`)))
  })
}
