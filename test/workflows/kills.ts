import assert from 'node:assert/strict'
import type { Approval } from '../../src/approval/approval.ts'
import {
  type EngineHarness,
  eventually,
  openWorld,
  type Result,
  type Started,
  type Worker,
  type World,
} from './world.ts'

/** Where a worker dies by kill -9: which gate of the workflow, and what has just happened. */
export const KILLS = [
  'review unasked',
  'review question.stored',
  'review waiting',
  'review answer.known',
  'review claim.committed',
  'review outcome.recorded',
  'pay unasked',
  'pay question.stored',
  'pay waiting',
  'pay answer.known',
  'pay claim.committed',
  'pay tool',
  'pay tool.returned',
  'pay outcome.recorded',
] as const
export type Kill = (typeof KILLS)[number]

/** Started, and nothing tells how it ended: then it is never started again. */
const DOUBTFUL: readonly Kill[] = ['pay claim.committed', 'pay tool', 'pay tool.returned']

/** A gate counts a silent process as dead after thirty seconds, a server after a minute. */
const SILENCE = 61_000

export interface KillOptions {
  /** Sets which place is reached last, the order of the others, and how fast people answer. */
  readonly seed?: number
  readonly over?: 'store' | 'http'
}

/** Undefined: it survived. */
type Told = (kill: Kill, failure: unknown) => void

/**
 * Kills one worker while it is at all of these places, each with a workflow of its own. A workflow
 * stops at its place until the others are at theirs; the last one, another for every seed, is killed
 * as soon as it is there. Then another worker starts, and every time: steps before the gate ran once, the
 * gated step at most once, both questions were asked once, and the workflow is not stuck.
 */
export async function surviveAll(
  harness: EngineHarness,
  kills: readonly Kill[],
  told: Told,
  { seed = 1, over = 'store' }: KillOptions = {},
): Promise<void> {
  const random = randomFrom(seed)
  const rounds = inOrder(kills, seed, random)
  const world = await openWorld(harness, { over })
  try {
    await killAt(world, rounds, random)
    await world.running.expireLeases()
    world.pass(SILENCE)
    await world.worker()
    const people = answerAll(world, [], random)
    await Promise.all(
      rounds.map(async (round) => {
        try {
          await checkAll(world, round, await world.end(startedOf(round)))
          told(round.kill, undefined)
        } catch (error) {
          told(round.kill, error)
        }
      }),
    )
    await people.stop()
  } finally {
    await world.close()
  }
}

interface Round {
  readonly kill: Kill
  readonly id: string
  readonly amount: number
  started?: Started
}

function isWaiting({ kill }: Round): boolean {
  return kill.endsWith('waiting')
}

function startedOf({ started, id }: Round): Started {
  if (!started) throw new Error(`${id} was not started`)
  return started
}

/** Shuffled, and another one last for every seed: one at whose place the worker can kill itself. */
function inOrder(kills: readonly Kill[], seed: number, random: () => number): Round[] {
  const sudden = kills.filter((kill) => !kill.endsWith('waiting'))
  const last = sudden[seed % sudden.length]
  const order = shuffled(kills, random).filter((kill) => kill !== last)
  return [...order, ...(last ? [last] : [])].map((kill) => ({
    kill,
    id: `k${seed}-${kill.replaceAll(/[^a-z]+/g, '-')}`,
    amount: seed,
  }))
}

async function killAt(world: World, rounds: readonly Round[], random: () => number) {
  const deadly = rounds.filter((round) => !isWaiting(round))
  const die = deadly.map(({ kill, id }) => ({ at: kill, of: id }))
  const worker = await world.worker({ die })
  const people = answerAll(world, rounds.filter(isWaiting), random)
  const start = async (round: Round) => {
    const { id, amount } = round
    round.started = await world.running.start('whole', { id, amount })
  }
  for (const round of rounds.slice(0, -1)) await start(round)
  for (const round of rounds.slice(0, -1)) await isThere(world, round)
  for (const round of rounds.slice(-1)) await start(round)
  await gone(worker, world)
  await people.stop()
}

/** A workflow that waits for a person is about to wait once it has asked, or waits already. */
async function isThere(world: World, round: Round): Promise<void> {
  const { kill, id } = round
  if (isWaiting(round)) {
    await world.asked(startedOf(round), kill.replace(' waiting', ''))
    return
  }
  await eventually(`${id} is there`, async () =>
    world.lines().includes(`reached ${id}`) ? true : undefined,
  )
}

async function gone(worker: Worker, world: World): Promise<void> {
  let isGone = false
  void worker.gone.then(() => {
    isGone = true
  })
  await eventually(
    () => `the worker dies: ${JSON.stringify(world.lines())}`,
    async () => isGone || undefined,
  )
}

async function checkAll(world: World, round: Round, end: Result): Promise<void> {
  const { kill, id, amount } = round
  const lines = world.lines()
  const ran = (line: string) => lines.filter((one) => one === line).length
  assert.equal(ran(`prepare ${id}`), 1, 'the step before the gate ran once')
  const paid = ran(`pay ${id} ${amount}`)
  if (DOUBTFUL.includes(kill)) {
    assert.equal(paid, kill === 'pay claim.committed' ? 0 : 1)
    assert.ok('error' in end, JSON.stringify(end))
    assert.match(end.error, /was started .* knows whether it took effect/)
    assert.equal(ran(`finish ${id}`), 0)
  } else {
    assert.deepEqual(end, {
      output: {
        review: 'approved',
        by: world.tellsWho ? ['ana@example.com'] : [],
        paid: { paid: amount },
      },
    })
    assert.equal(paid, 1)
    assert.equal(ran(`finish ${id}`), 1)
  }
  const asked = (await world.approvals(startedOf(round))).map(({ call }) => call.tool).sort()
  assert.deepEqual(asked, ['pay', 'review'], 'each question was asked once')
}

/** A person who approves whatever waits, sooner or later, except what is left for another worker. */
function answerAll(world: World, except: readonly Round[], random: () => number) {
  let isOver = false
  const isLeft = async (one: Approval) => {
    for (const { kill, started } of except) {
      if (kill !== `${one.call.tool} waiting`) continue
      if (!started || (await world.approvals(started)).some(({ id }) => id === one.id)) return true
    }
    return false
  }
  const answering = (async () => {
    while (!isOver) {
      const { approvals } = await world.gate.approvals.list({ status: ['pending'] })
      for (const one of approvals) if (!(await isLeft(one))) await world.answer(one, 'approve')
      await pause(20 + random() * 200)
    }
  })()
  // Looked at by `stop`; a round that fails before closes what this reads.
  answering.catch(() => {})
  return {
    async stop() {
      isOver = true
      await answering
    },
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** The same numbers for the same seed. */
function randomFrom(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function shuffled<T>(values: readonly T[], random: () => number): T[] {
  const left = [...values]
  const order: T[] = []
  while (left.length > 0) order.push(...left.splice(Math.floor(random() * left.length), 1))
  return order
}
