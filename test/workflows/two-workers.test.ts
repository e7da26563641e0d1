import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, expect, vi } from 'vitest'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'
import { dbosPostgres } from './dbos-harness.ts'
import { openworkflowPostgres } from './openworkflow-harness.ts'
import { openWorld, type Started, type Worker, type World } from './world.ts'

/*
 * Engines whose workers share a database. Temporal has the same in `temporal-attacks.test.ts`; Restate,
 * Inngest, AWS and Cloudflare hand out the work themselves.
 */
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const HARNESSES = [openworkflowPostgres(freshDatabase), dbosPostgres(freshDatabase)]

describe.each(HARNESSES.map((one) => [one.name, one] as const))('%s', (name, harness) => {
  let world: World
  let workers: Worker[]

  beforeAll(async () => {
    world = await openWorld(harness)
    // One after the other: DBOS makes its tables when it starts, and two at once are in each other's way.
    workers = [await world.worker(), await world.worker()]
  })
  afterAll(() => world.close())

  async function output(started: Started): Promise<unknown> {
    const end = await world.end(started)
    assert.ok('output' in end, JSON.stringify(end))
    return end.output
  }
  const lines = (line: string) => world.lines().filter((one) => one === line).length

  promise(
    ['CS-FLOW-1', 'CS-FLOW-4'],
    `two workers of ${name} on one database ask once and run once`,
    async () => {
      const ids = Array.from({ length: 6 }, (_, n) => `shared${n}`)
      const all = await Promise.all(
        ids.map((id) => world.running.start('whole', { id, amount: 1 })),
      )
      for (const tool of ['review', 'pay']) {
        const asked = await Promise.all(all.map((one) => world.asked(one, tool)))
        await Promise.all(asked.map((one) => world.answer(one, 'approve')))
      }
      for (const [n, started] of all.entries()) {
        expect(await output(started)).toMatchObject({ review: 'approved', paid: { paid: 1 } })
        const ran = ['prepare', 'finish'].map((step) => lines(`${step} ${ids[n]}`))
        expect([...ran, lines(`pay ${ids[n]} 1`)]).toEqual([1, 1, 1])
        expect(await world.approvals(started)).toHaveLength(2)
      }
    },
  )

  promise(
    ['CS-FLOW-1', 'CF-13'],
    `a question of ${name} whose time ends while no worker is up has expired when one is`,
    async () => {
      const started = await world.running.start('expense', { id: 'lapsed', timeout: '4s' })
      const { terms } = await world.asked(started, 'review')
      for (const worker of workers) await worker.kill()
      await expect.poll(() => Date.now() > (terms.decideBy ?? 0), { timeout: 20_000 }).toBe(true)
      workers = [await world.worker()]
      expect(await output(started)).toMatchObject({ status: 'expired', by: [] })
    },
  )
})
