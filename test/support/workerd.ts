import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { build } from 'esbuild'

const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker.js", esModule = embed "worker.js")],
    compatibilityDate = "2026-10-01",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`

export interface RunningWorker {
  readonly url: string
  readonly stop: () => Promise<void>
}

/**
 * Bundles a module whose default export has `fetch`, and serves it in a real workerd. Modules of
 * Node do not resolve: not every Worker has them.
 */
export async function startWorker(entry: string): Promise<RunningWorker> {
  const bundle = await build({
    entryPoints: [entry],
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['countersign-source', 'workerd', 'worker', 'import'],
    logLevel: 'silent',
  })
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-workerd-'))
  writeFileSync(path.join(folder, 'worker.js'), bundle.outputFiles[0]?.text ?? '')
  writeFileSync(path.join(folder, 'config.capnp'), CONFIG)

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
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
    process.off('exit', clear)
    clear()
  }
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
    return { url: `http://127.0.0.1:${port}`, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
