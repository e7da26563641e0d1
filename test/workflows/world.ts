import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Approval } from '../../src/approval/approval.ts'
import type { Json, JsonObject } from '../../src/base/json/json.ts'
import type { Answer } from '../../src/gate/admin/approvals.ts'
import { createGate, type Gate } from '../../src/gate/gate.ts'
import type { Channel } from '../../src/gate/notify/channel.ts'
import { addAccount } from '../../src/server/identity/people.ts'
import { serve } from '../../src/server/serve.ts'
import { createServer } from '../../src/server/server.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { ana } from '../../src/testing/adapter-play.ts'
import { idIn } from '../../src/workflows/engine.ts'
import { policyOf } from '../support/policy.ts'
import { CASE_RULES, VERSIONED_RULES, type WorkerConfig } from './worker-config.ts'

export interface Started {
  /** As the engine names it. */
  readonly id: string
}

export type Result = { readonly output: Json } | { readonly error: string }

/** One engine, for one world. */
export interface RunningEngine {
  readonly database: string
  readonly own?: Readonly<Record<string, string>>
  /** For a server that wakes the workflows of workers elsewhere. */
  readonly wakeUps?: Channel
  /** The same `id` again names the run that exists. */
  start(workflow: string, input: JsonObject, id?: string): Promise<Started>
  /** Undefined while it runs. */
  result(started: Started): Promise<Result | undefined>
  /** As its users cancel; `gate` is for engines that tell the workflow's code nothing. */
  cancel(started: Started, gate: Gate): Promise<void>
  /** Sends a wake-up that claims to be an approval. */
  forge(started: Started, approval: string): Promise<void>
  /** For engines that are no program of ours: in place of the usual worker. */
  worker?(config: WorkerConfig): Promise<Worker>
  /** The runs that this one started as its parallel branches, where the engine wants them apart. */
  children?(started: Started): Promise<readonly string[]>
  /** What a dead worker held is free again, as it is after its lease. */
  expireLeases(): Promise<void>
  close(): Promise<void>
}

export interface EngineHarness {
  readonly name: string
  /** As `run` of approvals names it, and as the worker program knows it. */
  readonly engine: string
  open(folder: string): Promise<RunningEngine>
}

export interface World {
  readonly gate: Gate
  /** Whether workflows are told who answered. */
  readonly tellsWho: boolean
  readonly running: RunningEngine
  lines(): string[]
  /** The question of a workflow that waits, by its name. */
  asked(started: Started, tool: string, not?: readonly string[]): Promise<Approval>
  answer(approval: Approval, verdict: 'approve' | 'deny', more?: Partial<Answer>): Promise<void>
  approvals(started: Started): Promise<Approval[]>
  end(started: Started): Promise<Result>
  freeze(): void
  /** What all processes take for the time is that much later: for those that start from now on. */
  pass(ms: number): void
  worker(more?: Partial<WorkerConfig>): Promise<Worker>
  close(): Promise<void>
}

export interface Worker {
  kill(): Promise<void>
  readonly gone: Promise<void>
}

const PROGRAM = path.join(import.meta.dirname, 'worker.ts')

/** Built for the run where there is one: the proof starts it from source. */
async function workerProgram(): Promise<string> {
  if (process.env.VITEST === undefined) return PROGRAM
  return (await import('../support/make.ts')).program(PROGRAM)
}

/** A machine under load starts processes slowly, and engines look again after seconds. */
const PATIENCE = 90_000

/** The proof has more: its processes are many, and make way for every other. */
function patienceNow(): number {
  return Number(process.env.WORKFLOW_PATIENCE_MS ?? PATIENCE)
}

/** `over: 'http'`: approvals are on a server, and workers have a token of it. */
export async function openWorld(
  harness: EngineHarness,
  { over = 'store' }: { readonly over?: 'store' | 'http' } = {},
): Promise<World> {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-workflows-'))
  const gateDatabase = path.join(folder, 'gate.db')
  const log = path.join(folder, 'ran.log')
  const frozenFlag = path.join(folder, 'frozen')
  writeFileSync(log, '')
  let clockAhead = 0
  const store = await openSqlite(gateDatabase, { clock: () => Date.now() + clockAhead })
  const gate = createGate({ policy: policyOf(CASE_RULES), store, agent: 'biller' })
  const running = await harness.open(folder)
  const children = new Set<ChildProcess>()
  const server = over === 'http' ? await serveApprovals(store, running.wakeUps) : undefined

  async function approvals(started: Started): Promise<Approval[]> {
    const ids = [started.id, ...((await running.children?.(started)) ?? [])]
    const found: Approval[] = []
    let after: string | undefined
    do {
      const page = await gate.approvals.list({}, after === undefined ? {} : { after })
      found.push(...page.approvals)
      after = page.next
    } while (after !== undefined)
    return found.filter(({ call }) => ids.includes(idIn(harness.engine, call.run) ?? ''))
  }

  return {
    gate,
    tellsWho: server === undefined,
    running,
    lines: () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : []),
    approvals,
    asked: (started, tool, not = []) =>
      eventually(`${tool} of ${started.id} is asked`, async () =>
        (await approvals(started)).find(
          ({ id, call, status }) => call.tool === tool && status === 'pending' && !not.includes(id),
        ),
      ),
    async answer({ id, digest }, verdict, more = {}) {
      await gate.approvals.decide(id, { by: ana, verdict, seen: digest, ...more })
    },
    end: (started) => eventually(`${started.id} ends`, () => running.result(started)),
    freeze: () => writeFileSync(frozenFlag, ''),
    pass(ms) {
      clockAhead += ms
    },
    async worker(more = {}) {
      const config: WorkerConfig = {
        engine: harness.engine,
        engineDatabase: running.database,
        gateDatabase,
        log,
        frozenFlag,
        wakes: true,
        clockAhead,
        ...(server ? { server: server.access } : {}),
        ...(running.own ? { own: running.own } : {}),
        ...more,
      }
      if (running.worker) return running.worker(config)
      const child = spawn(process.execPath, ['--no-warnings', await workerProgram()], {
        env: { ...process.env, WORLD: JSON.stringify(config) },
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      children.add(child)
      const gone = new Promise<void>((resolve) =>
        child.once('close', () => {
          children.delete(child)
          resolve()
        }),
      )
      await Promise.race([new Promise((resolve) => child.stdout.once('data', resolve)), gone])
      return {
        gone,
        async kill() {
          child.kill('SIGKILL')
          await gone
        },
      }
    },
    async close() {
      for (const child of children) child.kill('SIGKILL')
      await server?.close()
      await running.close()
      await gate.close()
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A server with one person, and a token of the agent that asks. */
export async function serveApprovals(
  store: Store,
  wakeUps: Channel | undefined,
  { vouches = false }: { readonly vouches?: boolean } = {},
) {
  const { issuer, subject, email = '', roles } = ana
  await addAccount(store.records, { issuer, subject, roles, email, emailVerified: true })
  const server = createServer({
    store,
    running: {
      version: '1.2.3',
      loadedAt: new Date(0),
      policy: policyOf(CASE_RULES),
      documents: [],
      warnings: [],
      files: () => [],
    },
    sources: [{ role: 'owner', file: 'countersign.yaml', text: VERSIONED_RULES }],
    ...(wakeUps ? { channels: [wakeUps] } : {}),
  })
  const { token } = await server.credentials.tokens.create({ agent: 'biller', vouches })
  const serving = await serve(server.app, { host: '127.0.0.1', port: 0 })
  return {
    access: { url: serving.url, token },
    async close() {
      await serving.close()
      await server.close()
    },
  }
}

/** Looks until there is something to see. */
export async function eventually<T>(
  what: string | (() => string),
  look: () => Promise<T | undefined>,
  patience = patienceNow(),
): Promise<T> {
  const end = performance.now() + patience
  for (;;) {
    const seen = await look()
    if (seen !== undefined) return seen
    if (performance.now() > end) {
      const expected = typeof what === 'string' ? what : what()
      throw new Error(`not within ${patience / 1_000} s: ${expected}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
}
