import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { build } from 'esbuild'

const CONFIG = `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-10-01",
);
`

/** One module without any of Node's: an import of `node:` anything fails right here. */
async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'browser', 'import'],
    target: 'es2024',
    logLevel: 'silent',
  })
  const [file] = outputFiles
  if (!file) throw new Error('esbuild wrote nothing')
  return file.text
}

/** Starts the real workerd with this module, asks it once, and stops it. */
export async function askWorker(entry: string): Promise<unknown> {
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-workerd-'))
  try {
    await writeFile(path.join(folder, 'worker.js'), await bundle(entry))
    await writeFile(path.join(folder, 'config.capnp'), CONFIG)
    return await serve(path.join(folder, 'config.capnp'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function serve(config: string): Promise<unknown> {
  // The package itself says where its binary is; its `bin` may be that binary or a script for it.
  const { default: binary } = createRequire(import.meta.url)('workerd') as { default: string }
  const child = spawn(binary, ['serve', config, '--control-fd=3'], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  try {
    const [, , errors, control] = child.stdio
    if (!(control instanceof Readable) || !errors) throw new Error('workerd has no control channel')
    const port = await listening(control, errors)
    const response = await fetch(`http://127.0.0.1:${port}/`)
    return await response.json()
  } finally {
    child.kill('SIGTERM')
    await exited
  }
}

/** workerd says on its control channel which port the system gave it. */
function listening(control: Readable, errors: Readable): Promise<number> {
  let said = ''
  let complaints = ''
  errors.on('data', (chunk: Buffer) => {
    complaints += chunk.toString()
  })
  return new Promise((resolve, reject) => {
    control.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      const port = /"event":"listen"[^\n]*"port":(\d+)/.exec(said)?.[1]
      if (port) resolve(Number(port))
    })
    control.on('end', () => reject(new Error(`workerd did not start: ${complaints || said}`)))
  })
}
