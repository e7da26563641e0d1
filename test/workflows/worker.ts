/** A worker process of the cases: one engine, its workflows, and a gate. Killed at will. */
import { existsSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { remoteGate } from '../../src/client/remote-gate.ts'
import { createTestGate } from '../../src/gate/gate.ts'
import type { Channel } from '../../src/gate/notify/channel.ts'
import type { ProbePoint } from '../../src/gate/probe.ts'
import { postgresStore } from '../../src/store/postgres/index.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import type { WorkflowGate } from '../../src/workflows/gates.ts'
import { policyOf } from '../support/policy.ts'
import { bodies, type Doing } from './bodies.ts'
import { deadlyPlaces } from './deadly-places.ts'
import { tools, writerTo } from './tools.ts'
import { CASE_RULES, FROZEN_RULES, type WorkerConfig } from './worker-config.ts'

/** Made by each engine: registers the bodies, then works until it is killed. */
export interface WorkerParts {
  readonly config: WorkerConfig
  readonly gate: WorkflowGate
  readonly tools: ReturnType<typeof tools>
  readonly bodies: Readonly<Record<string, (doing: Doing) => Promise<unknown>>>
}

interface EngineWorker {
  /** Told as soon as there is something to send wake-ups with, and before the gate is made. */
  wakeUps(config: WorkerConfig): Promise<Channel>
  work(parts: WorkerParts): Promise<void>
}

const ENGINES: Readonly<Record<string, () => Promise<EngineWorker>>> = {
  'aws-durable': () => import('./aws-durable-worker.ts'),
  cloudflare: () => import('./cloudflare-worker.ts'),
  dbos: () => import('./dbos-worker.ts'),
  inngest: () => import('./inngest-worker.ts'),
  langgraph: () => import('./langgraph-worker.ts'),
  openworkflow: () => import('./openworkflow-worker.ts'),
  restate: () => import('./restate-worker.ts'),
  temporal: () => import('./temporal/worker.ts'),
}

// It ends with the process that started it, however that ends.
process.stdin.on('end', () => process.exit(0)).resume()

const config = JSON.parse(process.env.WORLD ?? '{}') as WorkerConfig
const { wakeUps, work } = await loaded(config.engine)
const writer = writerTo(config.log)
const usual = policyOf(CASE_RULES)
const frozen = policyOf(FROZEN_RULES)

function loaded(name: string): Promise<EngineWorker> {
  const load = ENGINES[name]
  if (!load) throw new Error(`there is no engine ${name}`)
  return load()
}

const deadly = deadlyPlaces(config.die ?? [], writer)

async function localGate(): Promise<WorkflowGate> {
  const { clockAhead = 0, gateDatabase } = config
  const store = gateDatabase.startsWith('postgres')
    ? await postgresStore(gateDatabase)
    : await openSqlite(gateDatabase, { clock: () => Date.now() + clockAhead })
  return createTestGate({
    policy: () => (existsSync(config.frozenFlag) ? frozen : usual),
    store,
    agent: 'biller',
    channels: config.wakes ? [losing(await wakeUps(config))] : [],
    probe: async (point: ProbePoint, approval) => {
      if (approval) await deadly.reached(point, approval.call)
    },
  })
}

/** The wake-ups of some questions never arrive. */
function losing({ send, ...channel }: Channel): Channel {
  return {
    ...channel,
    async send(notice, signal) {
      if (notice.approval.tool !== 'unwoken') await send(notice, signal)
    },
  }
}

const made = config.server ? remoteGate({ ...config.server, announce: false }) : await localGate()
const gate: WorkflowGate = {
  ...made,
  async run(call, tool, options) {
    deadly.seen(call)
    return made.run(call, tool, options)
  },
  async check(call, options) {
    deadly.seen(call)
    await deadly.reached('unasked', call)
    const checked = await made.check(call, options)
    // Long enough for an answer, and its wake-up, to come before the workflow waits.
    if (call.tool === 'slow') await new Promise((resolve) => setTimeout(resolve, 700))
    return checked
  },
}
await work({ config, gate, tools: tools(writer, deadly.inTool), bodies: bodies(writer) })
// Its end is a kill -9, which leaves no time for that.
flushCompileCache()
process.stdout.write('ready\n')
