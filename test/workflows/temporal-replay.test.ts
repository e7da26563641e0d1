import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { DefaultLogger, makeTelemetryFilterString, Runtime, Worker } from '@temporalio/worker'
import { DeterminismViolationError } from '@temporalio/workflow'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { promise } from '../support/promise.ts'
import { bundleOf, temporal } from './temporal/harness.ts'
import { historyIn, playHistories, type Recorded } from './temporal/histories.ts'
import { openWorld, type World } from './world.ts'

// Processes start in these tests, and the machine may be busy.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })
const FIXTURES = path.join(import.meta.dirname, 'temporal/fixtures')

const stored = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.json'))
  .sort()

function storedHistory(name: string): Recorded {
  return JSON.parse(readFileSync(path.join(FIXTURES, name), 'utf8'))
}

let code: string
let changed: string
let world: World
let fresh: ReadonlyMap<string, Recorded>

beforeAll(async () => {
  const filter = makeTelemetryFilterString({ core: 'ERROR' })
  const telemetryOptions = { logging: { filter } }
  Runtime.install({ logger: new DefaultLogger('ERROR'), telemetryOptions, shutdownSignals: [] })
  world = await openWorld(temporal)
  await world.worker()
  fresh = await playHistories(world)
  code = await bundleOf()
  changed = await bundleOf('changed-workflows.ts')
})
afterAll(() => world.close())

function replay(bundle: string, recorded: Recorded): Promise<void> {
  const options = { workflowBundle: { code: bundle } }
  return Worker.runReplayHistory(options, historyIn(recorded), recorded.workflowId)
}

describe('histories', () => {
  test('are recorded', () => {
    expect(stored.length).toBeGreaterThan(0)
  })

  promise.each(
    ['CS-FLOW-1'],
    'a stored history replays with the present code',
    stored.map((name): [string] => [name]),
    (name) => replay(code, storedHistory(name)),
  )

  promise(['CS-FLOW-1'], 'what has just run replays with the code it ran with', async () => {
    for (const recorded of fresh.values()) await replay(code, recorded)
    expect(fresh.size).toBeGreaterThan(0)
  })

  promise.each(
    ['CS-FLOW-1'],
    'a history of other code is refused, as Temporal does it',
    [['waiting'], ['cancelled'], ['parallel']],
    async (name) => {
      const error = await replay(changed, fresh.get(name) as Recorded).catch((thrown) => thrown)
      expect(error).toBeInstanceOf(DeterminismViolationError)
    },
  )

  test('a change behind `patched` leaves the workflows that are under way alone', async () => {
    await replay(changed, fresh.get('unwoken') as Recorded)
  })
})
