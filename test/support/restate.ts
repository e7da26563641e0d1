import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform, tmpdir } from 'node:os'
import path from 'node:path'
import { freePorts } from './free-ports.ts'

export interface RunningRestate {
  readonly ingress: string
  readonly admin: string
  /** A port for the services: the same after they were killed. */
  readonly worker: number
  stop(): Promise<void>
}

const ATTEMPTS = 5
const PATIENCE = 30_000

/** A real Restate server of its own, empty, that ends with this process at the latest. */
export async function startRestate(): Promise<RunningRestate> {
  let failure: unknown
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    try {
      return await startOnce()
    } catch (error) {
      // Another program took one of the ports.
      failure = error
    }
  }
  throw failure
}

async function startOnce(): Promise<RunningRestate> {
  const [node = 0, adminPort = 0, ingressPort = 0, worker = 0] = await freePorts(4)
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-restate-'))
  const config = path.join(folder, 'restate.toml')
  writeFileSync(config, configOf({ node, adminPort, ingressPort }))
  // The binary itself: the package's `bin` is a wrapper that may outlive its child.
  const child = spawn(binary(), ['--config-file', config, '--base-dir', folder, '--no-logo'], {
    cwd: folder,
    env: { ...process.env, DO_NOT_TRACK: '1' },
    stdio: 'ignore',
  })
  const clear = () => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
  process.once('exit', clear)
  let isGone = false
  const gone = new Promise<void>((resolve) =>
    child.once('close', () => {
      isGone = true
      resolve()
    }),
  )
  const stop = async () => {
    child.kill('SIGKILL')
    await gone
    process.off('exit', clear)
    clear()
  }
  const ingress = `http://127.0.0.1:${ingressPort}`
  const admin = `http://127.0.0.1:${adminPort}`
  const end = performance.now() + PATIENCE
  while (!((await isUp(`${admin}/health`)) && (await isUp(`${ingress}/restate/health`)))) {
    if (isGone || performance.now() > end) {
      await stop()
      throw new Error('Restate did not start')
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return { ingress, admin, worker, stop }
}

function binary(): string {
  const name = `@restatedev/restate-server-${platform()}-${arch()}/bin/restate-server`
  const server = createRequire(import.meta.url).resolve('@restatedev/restate-server/package.json')
  return createRequire(server).resolve(name)
}

async function isUp(url: string): Promise<boolean> {
  try {
    const { ok, body } = await fetch(url)
    await body?.cancel()
    return ok
  } catch {
    return false
  }
}

interface Ports {
  readonly node: number
  readonly adminPort: number
  readonly ingressPort: number
}

/** Small: several of them run side by side. Repeats fast, because workers are back at once. */
function configOf({ node, adminPort, ingressPort }: Ports): string {
  return `
bind-address = "127.0.0.1:${node}"
advertised-address = "http://127.0.0.1:${node}"
listen-mode = "tcp"
default-num-partitions = 1
disable-telemetry = true
log-filter = "off"
rocksdb-total-memory-size = "64MB"
[default-retry-policy]
initial-interval = "100ms"
max-interval = "1s"
[admin]
bind-address = "127.0.0.1:${adminPort}"
disable-web-ui = true
[admin.query-engine]
memory-size = "32MB"
[ingress]
bind-address = "127.0.0.1:${ingressPort}"
[worker.invoker]
memory-limit = "64MB"
`
}
