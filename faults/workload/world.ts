import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { buildSync } from 'esbuild'
import { check, type Violation } from '../checks/check.ts'
import { readRecords } from '../checks/records.ts'
import type { Delivery } from './deliveries.ts'
import { readLog } from './log.ts'
import type { StoreAddress } from './open-store.ts'
import type { Operation } from './operations.ts'
import type { Sighting } from './witness.ts'
import type { Told, WorkerOptions } from './worker.ts'

/** One database with everything that was ever seen of it, over several lives of its process. */
export interface World extends StoreAddress {
  readonly folder: string
  readonly operations: string
  readonly witness: string
  readonly deliveries: string
  readonly seed: string
}

export function newFolder(): string {
  return mkdtempSync(path.join(tmpdir(), 'countersign-faults-'))
}

export function newWorld(
  seed: string,
  address: Omit<StoreAddress, 'clock'>,
  folder: string,
): World {
  const clock = path.join(folder, 'clock')
  writeFileSync(clock, '0')
  return {
    ...address,
    clock,
    folder,
    seed,
    operations: path.join(folder, 'operations.jsonl'),
    witness: path.join(folder, 'witness.jsonl'),
    deliveries: path.join(folder, 'deliveries.jsonl'),
  }
}

export function removeWorld({ folder }: World): void {
  rmSync(folder, { recursive: true, force: true })
}

/**
 * The worker and all of Countersign as one file, made once per run: hundreds of lives then begin
 * three times as fast, and all of them with the same code.
 */
function bundleWorker(): string {
  const folder = path.join(
    import.meta.dirname,
    '../..',
    'node_modules',
    '.cache',
    'countersign-faults',
  )
  const outfile = path.join(folder, `worker-${process.pid}.mjs`)
  buildSync({
    entryPoints: [path.join(import.meta.dirname, 'worker.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    conditions: ['countersign-source'],
    logLevel: 'error',
  })
  process.on('exit', () => rmSync(outfile, { force: true }))
  return outfile
}

let bundled: string | undefined
/** A process that says nothing for this long will not say anything any more. */
const PATIENCE_MS = 60_000

export class Worker {
  readonly #child: ChildProcess
  readonly #heard: Told[] = []
  readonly #listeners = new Set<() => void>()
  #errors = ''
  #ended = false
  readonly exited: Promise<void>

  constructor(options: WorkerOptions, command: readonly string[] = []) {
    const [program = process.execPath, ...before] = [...command, process.execPath]
    bundled ??= bundleWorker()
    const args = [...before, bundled, JSON.stringify(options)]
    this.#child = spawn(program, args, {
      stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_ENV: 'test' },
    })
    this.#child.stderr?.on('data', (chunk) => {
      this.#errors += chunk
    })
    // Whoever is killed cannot be talked to.
    this.#child.stdin?.on('error', () => {})
    this.exited = new Promise((resolve) => {
      this.#child.on('close', () => {
        this.#ended = true
        this.#notify()
        resolve()
      })
    })
    let text = ''
    const reports = this.#child.stdio[3] as Readable
    reports.on('data', (chunk) => {
      text += chunk
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      this.#heard.push(...lines.map((line) => JSON.parse(line) as Told))
      this.#notify()
    })
  }

  get errors(): string {
    return this.#errors
  }

  get wasKilled(): boolean {
    return this.#child.signalCode === 'SIGKILL'
  }

  get exitCode(): number | null {
    return this.#child.exitCode
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  heard<K extends string>(name: K): Extract<Told, Record<K, unknown>> | undefined {
    return this.#heard.find((told): told is Extract<Told, Record<K, unknown>> => name in told)
  }

  /** Waits until one of these was said, or the process is gone. */
  async until(...names: readonly string[]): Promise<void> {
    const isOver = () =>
      this.#ended || names.some((name) => this.#heard.some((told) => name in told))
    if (isOver()) return
    await new Promise<void>((resolve, reject) => {
      const patience = setTimeout(() => {
        this.#listeners.delete(look)
        this.#child.kill('SIGKILL')
        reject(new Error(`worker ${this.pid} never said ${names.join(' or ')}: ${this.#errors}`))
      }, PATIENCE_MS)
      const look = () => {
        if (!isOver()) return
        clearTimeout(patience)
        this.#listeners.delete(look)
        resolve()
      }
      this.#listeners.add(look)
    })
  }

  go(): void {
    this.#child.stdin?.write('go\n')
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.exited
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.kill(name)
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}

/** The invariants over this world as it is now. */
export async function inspect(
  world: World,
  about: { readonly now: number; readonly alive?: string; readonly isClockSteady?: boolean },
): Promise<Violation[]> {
  const records = await readRecords({ ...world, database: world.direct ?? world.database })
  const sightings = readLog<Sighting>(world.witness)
  const operations = readLog<Operation>(world.operations)
  const deliveries = readLog<Delivery>(world.deliveries)
  return check({ records, sightings, operations, deliveries, ...about })
}
