import assert from 'node:assert/strict'
import type { Approval } from '../../src/approval/approval.ts'
import { type EngineHarness, openWorld, type Started, type World } from './world.ts'

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

/** One of each kind, for every run of the tests; `npm run proof workflows` has all of them. */
export const SOME_KILLS: readonly Kill[] = [
  'review unasked',
  'review question.stored',
  'pay waiting',
  'pay answer.known',
  'review claim.committed',
  'pay tool',
]

/** Started, and nothing tells how it ended: then it is never started again. */
const DOUBTFUL: readonly Kill[] = ['pay claim.committed', 'pay tool', 'pay tool.returned']

/** A gate counts a silent process as dead after thirty seconds, a server after a minute. */
const SILENCE = 61_000

/**
 * Kills the worker at one place and starts another: steps before the gate ran once, the gated step
 * at most once, both questions were asked once, and the workflow is not stuck.
 */
export async function survives(
  harness: EngineHarness,
  kill: Kill,
  seed = 1,
  over: 'store' | 'http' = 'store',
): Promise<void> {
  const world = await openWorld(harness, { over })
  try {
    await killOnce(world, kill, seed)
  } finally {
    await world.close()
  }
}

async function killOnce(world: World, kill: Kill, seed: number): Promise<void> {
  const [gate = '', point] = kill.split(' ')
  const isWaiting = point === 'waiting'
  const first = await world.worker(isWaiting ? {} : { die: kill })
  const id = `k${seed}`
  const started = await world.running.start('whole', {
    id,
    amount: seed,
    dies: point === 'tool' ? kill : null,
  })
  const stopped = answerAll(world, started, isWaiting ? [gate] : [])
  if (isWaiting) {
    await world.asked(started, gate)
    // Now it is about to wait, or waits already.
    await new Promise((resolve) => setTimeout(resolve, (seed * 137) % 500))
    await first.kill()
  }
  await first.gone
  await stopped.stop()
  await world.running.expireLeases()
  world.pass(SILENCE)
  await world.worker()
  const again = answerAll(world, started, [])
  const end = await world.end(started)
  await again.stop()

  const lines = world.lines()
  const ran = (line: string) => lines.filter((one) => one === line).length
  assert.equal(ran(`prepare ${id}`), 1, 'the step before the gate ran once')
  const paid = ran(`pay ${id} ${seed}`)
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
        paid: { paid: seed },
      },
    })
    assert.equal(paid, 1)
    assert.equal(ran(`finish ${id}`), 1)
  }
  const asked = (await world.approvals(started)).map(({ call }) => call.tool).sort()
  assert.deepEqual(asked, ['pay', 'review'], 'each question was asked once')
}

/** A person who approves whatever waits, except what is left for later. */
function answerAll(world: World, started: Started, except: readonly string[]) {
  let isOver = false
  const answering = (async () => {
    while (!isOver) {
      const open = (await world.approvals(started)).filter(
        ({ status, call }: Approval) => status === 'pending' && !except.includes(call.tool),
      )
      for (const one of open) await world.answer(one, 'approve')
      await new Promise((resolve) => setTimeout(resolve, 50))
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
