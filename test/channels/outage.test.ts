import { expect, vi } from 'vitest'
import { internals } from '../../src/gate/internals.ts'
import { setAccount } from '../../src/server/identity/people.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { promise } from '../support/promise.ts'
import { discordWorld } from './discord-world.ts'
import { TEAM } from './fake-slack.ts'
import { slackWorld } from './slack-world.ts'
import { teamsWorld } from './teams-world.ts'
import { telegramWorld } from './telegram-world.ts'

promise.each(
  ['CS-TOLD-1', 'CS-SLACK-7', 'CS-TG-7', 'CS-DISC-7', 'CS-TEAMS-7'],
  'a channel that is down for an hour delays no call, and then says what became of each',
  [
    ['Slack', slackWorld],
    ['Telegram', telegramWorld],
    ['Discord', discordWorld],
    ['Teams', teamsWorld],
  ],
  async (_, open) => {
    const clock = fakeClock()
    const store = memoryStore({ clock: clock.now })
    const world = await open({ store })
    const { ask, send, fay, server, fake } = world
    await world.link()
    const before = fake.messages.length
    const first = await ask('plain')
    await vi.waitFor(() => expect(fake.messages.length).toBe(before + 1), 5_000)
    fake.cut = () => true
    let slowest = 0
    for (let minute = 0; minute < 60; minute += 6) {
      const started = performance.now()
      const { id, digest } = minute === 0 ? first : await ask('plain', { minute })
      const body = { verdict: 'deny', digest }
      const { status } = await send(`/v1/approvals/${id}/decisions`, { as: fay, body })
      expect(status).toBe(200)
      slowest = Math.max(slowest, performance.now() - started)
      clock.advance(6 * 60_000)
    }
    // Less than one attempt at the channel may take.
    expect(slowest).toBeLessThan(5_000)
    fake.cut = () => false
    for (let turn = 0; turn < 6; turn++) {
      clock.advance(20 * 60_000)
      await server.gate[internals].idle()
    }
    const { waiting, stuck } = await store.outbox.summary()
    expect([waiting, stuck]).toEqual([0, 0])
    const about = fake.messages.filter(({ text }) => text.startsWith('plain'))
    // Most of them were over before they could be asked; whatever is there says what became of it.
    expect(new Set(about.map(({ text }) => text.split('\n')[0]))).toEqual(
      new Set(['plain: denied by fay@example.com']),
    )
    expect(about.length).toBeLessThanOrEqual(10)
  },
)

promise(
  ['CS-SLACK-6', 'CS-CHAN-1'],
  'among more than 500 people all who are asked are told',
  async () => {
    const clock = fakeClock()
    const store = memoryStore({ clock: clock.now })
    const own = await slackWorld({ store })
    const { fake, fay, server } = own
    for (let one = 0; one < 560; one++) {
      const email = `p${one}@example.com`
      const user = { id: `U0P${one}`, team_id: TEAM, name: `p${one}`, email }
      fake.users.set(user.id, user)
      const roles = [one < 40 ? 'approver' : 'viewer'] as const
      const account = { issuer: 'local', subject: email, email, emailVerified: true, roles }
      await setAccount(store.records, account)
    }
    // Slack limits while they are looked up; those who were found stay found.
    fake.fail('users.lookupByEmail', 'limit', 'limit')
    const { id, digest } = await own.ask('open', {})
    const told = () => fake.messages.filter(({ text }) => text.startsWith('open'))
    const turn = async () => {
      clock.advance(31_000)
      await server.gate[internals].idle()
    }
    for (let turns = 0; turns < 4 && told().length < 41; turns++) await turn()
    expect(new Set(told().map(({ channel }) => channel)).size).toBe(41)
    const body = { verdict: 'deny', digest }
    await own.send(`/v1/approvals/${id}/decisions`, { as: fay, body })
    for (let turns = 0; turns < 3; turns++) await turn()
    expect(told().map(({ text }) => text)).toEqual(
      Array.from({ length: 41 }, () => 'open: denied by fay@example.com'),
    )
  },
)
