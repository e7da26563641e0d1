import { expect } from 'vitest'
import type { Insights } from '../../src/api/history/insights.ts'
import { peopleIn } from '../../src/server/insights/insights.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { NOTHING } from '../../src/store/statistics/statistics.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { promise } from '../support/promise.ts'
import { running } from './harness.ts'

promise(
  ['CS-INBOX-36'],
  'insights add up by day, tool, rule, group and hour; of people, others see nothing',
  async () => {
    const clock = fakeClock()
    const { send, agent, person } = running({ store: memoryStore({ clock: clock.now }) })
    const bot = await agent('bot')
    const [ana, fay] = [await person('ana@example.com'), await person('fay@example.com')]
    const root = await person('root@example.com', ['admin'])
    const ask = async (tool: string, args: object) =>
      (await send('/v1/calls', { as: bot, body: { tool, args } })).body as {
        id: string
        digest: string
      }
    const decide = async (
      as: typeof ana,
      verdict: string,
      call: { id: string; digest: string },
    ) => {
      const body = { verdict, digest: call.digest }
      expect((await send(`/v1/approvals/${call.id}/decisions`, { as, body })).status).toBe(200)
    }
    for (let turn = 0; turn < 3; turn += 1) {
      const call = await ask('note', { turn })
      clock.advance(1_000)
      await decide(ana, 'approve', call)
    }
    const paid = await ask('pay', { amount: 500, to: 'Zoë' })
    clock.advance(600_000)
    await decide(fay, 'deny', paid)
    await ask('wire', { amount: 1 })
    await ask('drop_table', {})
    const read = async (as: typeof ana, days = 30) =>
      (await send(`/v1/insights?days=${days}`, { as })).body as Insights
    const seen = await read(ana)
    expect(seen.total).toMatchObject({ approved: 3, denied: 1, decided: 4, edited: 0 })
    expect(seen.days).toHaveLength(30)
    const sum = (rows: readonly { readonly asked: number }[]) =>
      rows.reduce((total, { asked }) => total + asked, 0)
    for (const rows of [seen.days, seen.tools, seen.agents, seen.hours]) {
      expect(sum(rows)).toBe(seen.total.asked)
    }
    expect(seen.tools[0]).toMatchObject({ tool: 'note', asked: 3, approved: 3 })
    expect(Math.abs((seen.tools[0]?.medianMs ?? 0) - 1_000)).toBeLessThan(30)
    expect(seen.groups).toEqual([expect.objectContaining({ group: 'finance', asked: 1 })])
    expect(seen.rules.map(({ rule }) => rule)).toContain('tools.note.approval')
    expect(seen.unruled.map(({ tool }) => tool)).not.toContain('note')
    // Facts about oneself, and about others for admins alone.
    expect(seen.me).toMatchObject({ answered: 3, approved: 3, denied: 0, quick: 3 })
    expect(seen.people).toBeUndefined()
    expect(JSON.stringify(seen)).not.toContain('fay@example.com')
    const admin = await read(root)
    expect(admin.me).toBeUndefined()
    expect(admin.people?.map((one) => [one.person.email, one.answered, one.quick])).toEqual([
      ['ana@example.com', 3, 3],
      ['fay@example.com', 1, 0],
    ])
    clock.advance(3 * 86_400_000)
    expect((await read(await person('ana@example.com'), 2)).total.asked).toBe(0)
    expect(
      (await send('/v1/insights?days=0', { as: await person('ana@example.com') })).status,
    ).toBe(400)
    expect((await send('/v1/insights', { as: bot })).status).toBe(403)
  },
)

promise(['CS-INBOX-36'], 'each person finds their own numbers, however many answer', () => {
  const sums = Array.from({ length: 60 }, (_, nth) => ({
    dimension: 'person' as const,
    key: JSON.stringify(['local', `p${nth}@example.com`]),
    counts: { ...NOTHING, asked: nth + 1 },
  }))
  const people = peopleIn({ sums })
  expect(people).toHaveLength(60)
  expect(people.at(-1)).toMatchObject({ id: { subject: 'p0@example.com' }, counts: { asked: 1 } })
})
