import { afterAll, beforeAll } from 'vitest'
import { lastCase, type WorkflowCase, workflowCases } from './cases.ts'
import { type Kill, surviveAll } from './kills.ts'
import { type EngineHarness, openWorld, type World } from './world.ts'

/** Many workflows wait side by side, and the machine may be busy. */
const TIMEOUT = 180_000

export const CASES: readonly [string, WorkflowCase][] = [...workflowCases, lastCase].map((one) => [
  one.name,
  one,
])

/** For an engine that cannot keep some of them; its test says why. */
export function casesWithout(names: readonly string[]): readonly [string, WorkflowCase][] {
  const unknown = names.filter((name) => !CASES.some(([known]) => known === name))
  if (unknown.length > 0) throw new Error(`there is no case ${unknown.join(', ')}`)
  return CASES.filter(([name]) => !names.includes(name))
}

/** Those that hold wherever approvals are. */
export const SHARED = CASES.filter(([, one]) => one !== lastCase)

/**
 * Plays every case on one worker, side by side, before the tests; a test then asks how its case
 * went. Waiting is most of what workflows do, so one after another would take minutes.
 */
export function playCases(
  harness: EngineHarness,
  {
    over = 'store',
    without = [],
  }: { readonly over?: 'store' | 'http'; readonly without?: readonly string[] } = {},
): (one: WorkflowCase) => Promise<void> {
  const ends = new Map<WorkflowCase, Promise<void>>()
  let world: World | undefined
  afterAll(() => world?.close(), TIMEOUT)
  beforeAll(async () => {
    world = await openWorld(harness, { over })
    await world.worker()
    for (const [index, one] of workflowCases.entries()) {
      if (!without.includes(one.name)) ends.set(one, one.run(world, `w${index}`))
    }
    await Promise.allSettled(ends.values())
    // Workers have the policy in their own hands; that of a server is changed by its operators.
    if (over === 'store') ends.set(lastCase, lastCase.run(world, 'last'))
    await Promise.allSettled(ends.values())
  }, TIMEOUT)
  return (one) => ends.get(one) ?? Promise.reject(new Error(`${one.name} was not played`))
}

/** Kills a worker at each of these places, before the tests; a test then asks how that went. */
export function playKills(
  harness: EngineHarness,
  kills: readonly Kill[],
): (kill: Kill) => Promise<void> {
  const ends = new Map<Kill, unknown>()
  let failure: unknown = new Error('it was not played')
  beforeAll(async () => {
    try {
      await surviveAll(harness, kills, (kill, error) => ends.set(kill, error))
    } catch (error) {
      failure = error
    }
  }, TIMEOUT)
  return async (kill) => {
    const error = ends.has(kill) ? ends.get(kill) : failure
    if (error !== undefined) throw error
  }
}
