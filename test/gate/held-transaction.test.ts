import { expect, onTestFinished } from 'vitest'
import { type Hint, watch } from '../../src/gate/background/watch.ts'
import type { Store } from '../../src/store/store.ts'
import { asking, deciding } from '../../src/testing/commands.ts'
import { openPostgres, rawClient } from '../stores/place.ts'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'

/** Everything that is told from now on. */
async function hearing(store: Store) {
  const heard: Hint[] = []
  const ending = new AbortController()
  const feed = watch(store, { signal: ending.signal })
  const done = (async () => {
    for await (const { hints } of feed) heard.push(...hints)
  })()
  onTestFinished(async () => {
    ending.abort()
    await done
  })
  return heard
}

const named = (hints: readonly Hint[]) => hints.map(({ id, revision }) => `${id} ${revision}`)

promise(
  ['CS-GROWTH-2'],
  'a transaction that goes on holds no hint back, at this server or another, and none comes twice',
  async () => {
    const url = await freshDatabase()
    const [here, there] = [await openPostgres(url), await openPostgres(url)]
    const holding = await rawClient(url)
    const heard = await hearing(there)
    // Told, so that the other server is known to listen; by its first look as well, if that came late.
    const first = asking()
    await here.apply(first.id, first)
    await expect.poll(() => named(heard), { timeout: 15_000 }).toContain(`${first.id} 1`)

    await holding.query('begin')
    await holding.query('select pg_current_xact_id()')
    const second = asking()
    const { approval } = await here.apply(second.id, second)
    await expect.poll(() => named(heard).at(-1), { timeout: 15_000 }).toBe(`${second.id} 1`)
    // By this server itself, which is told by no notification.
    await there.apply(approval.id, deciding(approval))
    await expect.poll(() => named(heard).at(-1), { timeout: 15_000 }).toBe(`${second.id} 2`)
    expect((await there.eventsSince('start')).entries.map(({ event }) => event.type)).not.toContain(
      'decided',
    )

    // The feed goes on, with what was told already; then something new, which is behind it.
    await holding.query('rollback')
    const third = asking()
    await here.apply(third.id, third)
    await expect.poll(() => named(heard).at(-1), { timeout: 15_000 }).toBe(`${third.id} 1`)
    expect(named(heard).filter((one) => one !== `${first.id} 1`)).toEqual([
      `${second.id} 1`,
      `${second.id} 2`,
      `${third.id} 1`,
    ])
  },
  60_000,
)

promise(
  ['CS-GROWTH-2'],
  'while a transaction goes on, a change of people is told once, not with every look',
  async () => {
    const url = await freshDatabase()
    const [here, there] = [await openPostgres(url), await openPostgres(url)]
    const holding = await rawClient(url)
    let amended = 0
    let looks = 0
    onTestFinished(
      there.onAmended(() => {
        amended += 1
      }),
    )
    onTestFinished(
      there.subscribe(() => {
        looks += 1
      }),
    )
    // The first look of a server tells of everything, whatever was there; a slow one overlaps the next.
    await expect.poll(() => amended, { timeout: 15_000 }).toBeGreaterThanOrEqual(1)
    await holding.query('begin')
    await holding.query('select pg_current_xact_id()')
    const amend = () =>
      here.amend({
        commandId: crypto.randomUUID(),
        event: { type: 'lock.set', by: { system: 'operator' }, facts: {} },
        changes: [{ kind: 'note', id: crypto.randomUUID(), value: {} }],
      })
    /** A question is told by a notification, and by the look that makes up for lost ones. */
    const looksAgain = async () => {
      const before = looks
      const request = asking()
      await here.apply(request.id, request)
      await expect.poll(() => looks, { timeout: 15_000 }).toBeGreaterThanOrEqual(before + 2)
    }
    await looksAgain()
    const before = amended
    await amend()
    await expect.poll(() => amended, { timeout: 15_000 }).toBe(before + 2)
    // Three looks later, nothing was told again.
    for (let nth = 1; nth <= 3; nth += 1) await looksAgain()
    expect(amended).toBe(before + 2)
    await holding.query('rollback')
  },
  60_000,
)
