import { spawn } from 'node:child_process'
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import path from 'node:path'
import { bundle } from '../../../test/support/workerd.ts'
import type { Worker } from '../../../test/workflows/world.ts'
import { installWrangler } from './install.ts'

const ENTRY = path.join(import.meta.dirname, 'worker.ts')
const STARTS_WITHIN = 120_000

/** One Worker with its workflows, on one folder and one port, however often it is started. */
export interface Wrangler {
  readonly url: string
  start(vars: Readonly<Record<string, string>>): Promise<Worker>
  /** What the Worker wrote to its console. */
  log(): string
}

let bundled: Promise<string> | undefined

/** Another Worker than that of the workflows, with its own Durable Objects. */
export interface OwnWorker {
  readonly entry: string
  readonly config: object
}

export async function wranglerIn(folder: string, own?: OwnWorker): Promise<Wrangler> {
  const program = installWrangler()
  bundled ??= bundle(own?.entry ?? ENTRY, true)
  const project = path.join(folder, 'worker')
  // Beside the project: wrangler starts anew whenever a file in it changes.
  const output = path.join(folder, 'wrangler.log')
  const state = path.join(folder, 'state')
  mkdirSync(project, { recursive: true })
  writeFileSync(path.join(project, 'worker.js'), await bundled)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    log: () => readFileSync(output, 'utf8'),
    async start(vars) {
      writeFileSync(
        path.join(project, 'wrangler.json'),
        JSON.stringify({ ...configOf(vars), ...own?.config }),
      )
      const child = spawn(
        process.execPath,
        [
          program,
          'dev',
          '--port',
          `${port}`,
          '--ip',
          '127.0.0.1',
          '--inspector-port',
          '0',
          '--persist-to',
          state,
        ],
        {
          cwd: project,
          // A group of its own: wrangler and workerd die together.
          detached: true,
          stdio: ['ignore', openSync(output, 'a'), openSync(output, 'a')],
          env: {
            ...process.env,
            CI: '1',
            WRANGLER_SEND_METRICS: 'false',
            NO_PROXY: '127.0.0.1,localhost',
          },
        },
      )
      const end = () => {
        try {
          if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
        } catch {
          // It is gone.
        }
      }
      process.once('exit', end)
      const gone = new Promise<void>((resolve) =>
        child.once('close', () => {
          end()
          process.off('exit', end)
          resolve()
        }),
      )
      await reachable(port)
      return {
        gone,
        async kill() {
          end()
          await gone
          await unreachable(port)
        },
      }
    },
  }
}

function configOf(vars: Readonly<Record<string, string>>) {
  return {
    name: 'countersign-proof',
    main: 'worker.js',
    no_bundle: true,
    compatibility_date: '2026-10-01',
    compatibility_flags: ['nodejs_compat'],
    vars,
    durable_objects: { bindings: [{ name: 'ExpenseAgent', class_name: 'ExpenseAgent' }] },
    migrations: [{ tag: 'v1', new_sqlite_classes: ['ExpenseAgent'] }],
    workflows: [
      { name: 'cases', binding: 'CASES', class_name: 'CasesWorkflow' },
      { name: 'expense', binding: 'EXPENSE_WORKFLOW', class_name: 'ExpenseWorkflow' },
    ],
  }
}

/** What Workers write: they have no files of their own. */
export async function sink(take: (line: string) => void): Promise<{ url: string; server: Server }> {
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    take(text)
    response.end()
  })
  // A Worker on a busy machine would find its connection closed while it writes.
  server.keepAliveTimeout = 600_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, server }
}

async function freePort(): Promise<number> {
  const { server } = await sink(() => {})
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function reachable(port: number): Promise<void> {
  const end = performance.now() + STARTS_WITHIN
  while (performance.now() < end) {
    try {
      const { status } = await fetch(`http://127.0.0.1:${port}/up`)
      if (status === 204) return
    } catch {
      // Not yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('wrangler dev did not start')
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

async function unreachable(port: number): Promise<void> {
  while (await isOpen(port)) await new Promise((resolve) => setTimeout(resolve, 50))
}
