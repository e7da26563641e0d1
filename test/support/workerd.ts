import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { builtinModules, createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { build, type Plugin } from 'esbuild'

export interface RunningWorker {
  readonly url: string
  readonly stop: () => Promise<void>
  /** Ends it in the middle of whatever it does, sockets and all. */
  readonly kill: () => Promise<void>
}

export interface WorkerOptions {
  /** Whether modules of Node resolve: not every Worker has them, so by default they do not. */
  readonly node?: boolean
  /** What the Worker finds in its environment, as text. */
  readonly env?: Readonly<Record<string, string>>
  /** Other entrypoints that the module exports, each bound under its own name. */
  readonly entrypoints?: readonly string[]
  /** Durable Objects: classes that the module exports, each bound under its own name. */
  readonly objects?: { readonly classes: readonly string[]; readonly disk: string }
}

/** Bundles a module whose default export has `fetch`, and serves it in a real workerd. */
export async function startWorker(
  entry: string,
  options: WorkerOptions = {},
): Promise<RunningWorker> {
  const code = await bundle(entry, options.node === true)
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-workerd-'))
  writeFileSync(path.join(folder, 'worker.js'), code)
  writeFileSync(path.join(folder, 'config.capnp'), configOf(options))
  if (options.objects) mkdirSync(options.objects.disk, { recursive: true })

  // The binary itself: the package's `bin` is a wrapper that passes no signals on.
  const workerd = createRequire(import.meta.url)('workerd') as { default: string }
  const args = ['serve', '--control-fd=3', path.join(folder, 'config.capnp')]
  const child = spawn(workerd.default, args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] })
  const clear = () => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', clear)
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    child.kill(signal)
    await ended
    process.off('exit', clear)
    clear()
  }
  const stop = () => end('SIGTERM')
  try {
    const port = await new Promise<number>((resolve, reject) => {
      let errors = ''
      child.stderr?.on('data', (chunk) => {
        errors += chunk
      })
      const control = child.stdio[3] as Readable
      control.on('data', (chunk) => {
        const listening = /"event":"listen".*"port":(\d+)/.exec(String(chunk))
        if (listening !== null) resolve(Number(listening[1]))
      })
      child.once('error', reject)
      child.once('close', () => reject(new Error(`workerd did not start: ${errors}`)))
    })
    return { url: `http://127.0.0.1:${port}`, stop, kill: () => end('SIGKILL') }
  } catch (error) {
    await stop()
    throw error
  }
}

/** One module. Decorators are lowered: V8 does not know them. */
export async function bundle(entry: string, node: boolean): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    supported: { decorators: false },
    conditions: ['countersign-source', 'workerd', 'worker', 'browser', 'import'],
    external: ['cloudflare:*', ...(node ? ['node:*'] : [])],
    plugins: [noMail, ...(node ? [bareNames] : [])],
    // What is written for Node may ask for its modules while it runs.
    ...(node ? { banner: { js: REQUIRE } } : {}),
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}

const REQUIRE = "import { createRequire as req } from 'node:module'; const require = req('/');"

/** `import 'path'` as workerd knows it: `node:path`. */
const bareNames: Plugin = {
  name: 'bare names',
  setup({ onResolve }) {
    const names = new RegExp(
      `^(?:${builtinModules.filter((name) => !name.startsWith('_')).join('|')})$`,
    )
    onResolve({ filter: names }, ({ path: name }) => ({ path: `node:${name}`, external: true }))
  },
}

/** Sending mail is a part of Cloudflare's platform that workerd alone does not have. */
const noMail: Plugin = {
  name: 'no mail',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^cloudflare:email$/ }, ({ path: name }) => ({
      path: name,
      namespace: 'mail',
    }))
    onLoad({ filter: /./, namespace: 'mail' }, () => ({ contents: 'export class EmailMessage {}' }))
  },
}

function configOf({ env = {}, objects, entrypoints = [] }: WorkerOptions): string {
  const classes = objects?.classes ?? []
  const bindings = [
    ...Object.entries(env).map(
      ([name, text]) => `(name = "${name}", text = ${JSON.stringify(text)})`,
    ),
    ...classes.map((name) => `(name = "${name}", durableObjectNamespace = "${name}")`),
    ...entrypoints.map(
      (name) => `(name = "${name}", service = (name = "main", entrypoint = "${name}"))`,
    ),
  ]
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["local"])),
    ${objects ? `(name = "disk", disk = (path = ${JSON.stringify(objects.disk)}, writable = true)),` : ''}
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-10-01",
  bindings = [${bindings.join(', ')}],
  durableObjectNamespaces = [${classes
    .map((name) => `(className = "${name}", uniqueKey = "${name}", enableSql = true)`)
    .join(', ')}],
  ${objects ? 'durableObjectStorage = (localDisk = "disk"),' : ''}
);
`
}
