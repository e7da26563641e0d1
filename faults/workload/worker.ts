/**
 * The process under test: a real gate on a real store, with agents and people around it. It tells
 * on descriptor 3 where it is, and is killed there.
 */

import { writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { startSweeper } from '../../src/gate/background/sweep.ts'
import { createTestGate } from '../../src/gate/gate.ts'
import { internals } from '../../src/gate/internals.ts'
import type { Probe } from '../../src/gate/probe.ts'
import { createMembership } from '../../src/server/identity/membership.ts'
import { createAccounts } from '../../src/server/identity/people.ts'
import type { StoreProbe } from '../../src/store/store.ts'
import { randomOf } from '../seeds.ts'
import { createAmbush, isCountingOnPeople, isSpending } from './ambush.ts'
import type { Place, Stop } from './crash-points.ts'
import { type Delivery, deliverLeftovers, watchTakes, writtenChannel } from './deliveries.ts'
import { keepLocks } from './locks.ts'
import { openLog, readLog } from './log.ts'
import { clockNow, jump, openStore, type StoreAddress } from './open-store.ts'
import {
  type Operation,
  PAST_ESCALATION,
  PAST_EVERYTHING,
  person,
  policy,
  TOOLS,
} from './operations.ts'
import { patiently } from './retries.ts'
import { keysOf, scriptOf, waitsForTime } from './script.ts'
import { everybodyBelongs, keepAbsences } from './stand-ins.ts'
import { keepSwitches } from './switches.ts'
import { witnessTools } from './witness.ts'
import { decideOnce, play, resolveOnce, resumeAll, type Stage } from './workload.ts'

export interface WorkerOptions extends StoreAddress {
  readonly operations: string
  readonly witness: string
  readonly deliveries: string
  /** Names the workload. */
  readonly seed: string
  readonly cycle: number
  /** New calls in this cycle. None: only what is left from earlier ones is brought to its end. */
  readonly calls: number
  readonly stop?: Stop
  /** Somebody tries to run everything there is, whatever became of it. */
  readonly resumesAll?: boolean
}

/** What the worker tells its parent, one line each. */
export type Told =
  | { readonly at: Place }
  | {
      readonly recovered: true
      readonly now: number
      readonly instance: string
      readonly quarantine?: string
    }
  | { readonly done: true; readonly unsettled: readonly string[] }

const options = JSON.parse(process.argv[2] ?? '') as WorkerOptions
const { seed, cycle, stop } = options
const never = new Int32Array(new SharedArrayBuffer(4))
let reached = 0

function tell(told: Told): void {
  writeSync(3, `${JSON.stringify(told)}\n`)
}

function reach(place: Place): void {
  if (place !== stop?.place) return
  reached += 1
  if (reached !== stop.nth) return
  tell({ at: place })
  if (stop.how === 'race') return
  if (stop.how === 'freeze') {
    process.kill(process.pid, 'SIGSTOP')
    return
  }
  // Killed here. Unless the one who kills is dead itself: then nobody is waiting for this any more.
  Atomics.wait(never, 0, 0, 120_000)
  process.exit(1)
}

const probe: StoreProbe = (point, commands) => {
  for (const type of new Set(commands.map(({ type }) => type))) reach(`${type} ${point}`)
}

function parentSays(): Promise<string> {
  return new Promise((resolve) => {
    process.stdin.once('data', (data) => {
      // An open pipe would keep this process alive.
      process.stdin.destroy()
      resolve(String(data))
    })
  })
}

reach('opening')
const store = await openStore(options, probe)
const gateProbe: Probe = (point, approval) => {
  const isNotice = point === 'notice.taken' || point === 'notice.sent'
  reach(isNotice && approval?.status !== 'pending' ? `outcome ${point}` : `gate ${point}`)
}
const sweeper = startSweeper({ store, every: 1_000_000_000, probe: gateProbe })

async function recover(): Promise<void> {
  for (let look = 0; look < 50 && (await sweeper.sweep()) > 0; look += 1);
}

// Read before: a time that runs out while this recovers is for the next look.
const began = await store.now()
await recover()
const sent = openLog<Delivery>(options.deliveries)
const { approvals: known } = await store.list({}, { limit: 500 })
const over = known.filter(({ status }) => status !== 'pending').map(({ id }) => id)
sent.write({ phase: 'life', over })
const onClaims = createAmbush(isSpending)
const onPeople = createAmbush(isCountingOnPeople)
const watched = onPeople.watch(onClaims.watch(watchTakes(store, sent)))
const channel = writtenChannel(sent)
await deliverLeftovers(watched, channel, gateProbe)
tell({
  recovered: true,
  now: began,
  instance: store.instance,
  ...(store.quarantine ? { quarantine: store.quarantine.reason } : {}),
})
await parentSays()

const log = openLog<Operation>(options.operations)
const accounts = createAccounts({
  records: store.records,
  policy: () => policy,
})
const membership = createMembership(watched)
await patiently(() => everybodyBelongs(store, { accounts, membership }))
const gate = createTestGate({
  policy,
  store: watched,
  people: accounts.people,
  channels: [channel],
  probe: gateProbe,
  sweepEvery: 250,
})
const tools = witnessTools(options.witness, TOOLS, {
  inside: () => reach('tool inside'),
  now: () => clockNow(options.clock),
})
for (const { name, definition } of tools.values()) gate[internals].tool(name, definition)
const stage: Stage = { gate, store: watched, membership, tools, log, seed, reach }

/** Calls whose agents never heard how they ended: they ask again, under the same key. */
function unheard(): string[] {
  const ended = new Map<string, boolean>()
  const keys = new Map<string, string>()
  for (const line of readLog<Operation>(options.operations)) {
    if (
      line.phase === 'invoke' &&
      (line.kind === 'run' || line.kind === 'resume' || line.kind === 'check')
    ) {
      keys.set(line.op, line.key)
      if (!ended.has(line.key)) ended.set(line.key, false)
    }
    const key = keys.get(line.op)
    if (key === undefined || line.phase === 'invoke' || line.ran === undefined) continue
    // Whoever hears of a lock comes again.
    if (line.code !== 'locked') ended.set(key, true)
  }
  return [...ended].filter(([, isEnded]) => !isEnded).map(([key]) => key)
}

const random = randomOf(seed, cycle, 'worker')
const keys = [...unheard(), ...keysOf(cycle, options.calls, stop?.place)]
const unsettled = new Set(keys)
const scripts = keys.map((key) => scriptOf(seed, key))
/** Resolved once a question is there, or its call is over without one. */
const asked = new Map(keys.map((key) => [key, Promise.withResolvers<void>()]))

async function playOut(script: (typeof scripts)[number]): Promise<void> {
  // Not all at once: then everything would be one batch, and every crash the same.
  await new Promise((resolve) => setTimeout(resolve, random.below(12)))
  const outcome = await play(stage, script, () => asked.get(script.key)?.resolve())
  asked.get(script.key)?.resolve()
  unsettled.delete(script.key)
  const { approval } = outcome
  if (approval === undefined) return
  if (outcome.status === 'unknown' && outcome.code === 'outcome_unknown') {
    await resolveOnce(stage, script.key, approval.id)
  }
  // Somebody who answers when it is over: it must not count.
  if (outcome.status === 'blocked' && outcome.code === 'expired') {
    const late = { by: person('cy'), verdict: 'approve', seen: approval.digest } as const
    await decideOnce(stage, script.key, approval, late)
  }
}

const busy = { cycle, isBusy: scripts.length > 0 }
const keepers = [
  keepLocks(stage, store, onClaims, busy),
  keepAbsences(stage, onPeople, busy),
  keepSwitches(stage, busy),
]
const resumed = options.resumesAll ? await resumeAll(stage, store) : []
const playing = scripts.map(playOut)
if (options.store === 'sqlite' && random.chance(0.5)) {
  reach('checkpoint')
  const other = new DatabaseSync(options.database, { timeout: 20 })
  try {
    other.exec('pragma wal_checkpoint(truncate)')
  } catch {
    // Busy: there will be another one.
  }
  other.close()
}
const answered = scripts.flatMap((script, index) => (waitsForTime(script) ? [] : [playing[index]]))
// Those who resume wait for nobody.
await Promise.all([...answered, ...resumed, ...keepers])
await Promise.all([...asked.values()].map(({ promise }) => promise))
// Those who were asked do not answer, so others are asked as well.
const escalating = scripts.flatMap(({ fate }, index) =>
  fate === 'escalated' ? [playing[index]] : [],
)
if (scripts.some(waitsForTime)) {
  await jump(options, PAST_ESCALATION)
  await recover()
  await Promise.all(escalating)
}
// Nobody answers the rest: their time runs out.
await jump(options, PAST_EVERYTHING)
await recover()
await Promise.all(playing)
await gate[internals].idle()
await gate.close()
await sweeper.stop()
await store.close()
tell({ done: true, unsettled: [...unsettled] })
