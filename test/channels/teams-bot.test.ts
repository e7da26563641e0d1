import { expect, test, vi } from 'vitest'
import { startSweeper } from '../../src/gate/background/sweep.ts'
import { internals } from '../../src/gate/internals.ts'
import type { Notice } from '../../src/gate/notify/channel.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { promise } from '../support/promise.ts'
import {
  actionOf,
  EVE,
  execute,
  FAY,
  FINN,
  memberOf,
  placeOf,
  teamsWorld,
  titlesOf,
  typed,
  userOf,
} from './teams-world.ts'

const decided = (verdict: 'approve' | 'deny', digest: string) => ({ verdict, digest })

promise(['CS-TEAMS-2'], 'read in Teams, decided there, settled in the one message', async () => {
  const { link, ask, asking, click, fake, statusOf } = await teamsWorld()
  await link()
  const { id, digest } = await ask('pay')
  const message = await asking(id)
  expect(message.conversation).toBe(placeOf(FAY))
  expect(message.text).toMatch(/^L3 · pay waits for a decision\nPay «500» to «Lena»\?\n/)
  expect(titlesOf(message.card)).toEqual(['Read and decide', 'Open the inbox'])
  const shown = await click(message, 'Read and decide')
  expect(shown.text).toContain('"to": "Lena"')
  expect(shown.text).toContain(digest)
  expect(titlesOf(shown.card)).toEqual(['Deny', 'Approve', 'Open the inbox'])
  const over = await click(shown, 'Approve')
  expect(over.text).toBe('It is approved.')
  expect(titlesOf(over.card)).toEqual(['Open the inbox'])
  expect(await statusOf(id)).toBe('approved')
  const end = /^L3 · pay: approved by fay@example.com\nasked by biller\ndecided \d{4}-.* UTC$/
  await vi.waitFor(() => expect(message.text).toMatch(end), 5_000)
  expect(titlesOf(message.card)).toEqual(['Open the inbox'])
  // One for the question and its end, after the answer to the code.
  expect(fake.messages).toHaveLength(2)
})

promise(
  ['CS-TEAMS-2', 'CS-CHAN-7'],
  'a decision in the inbox settles the message of Teams, a vote is counted',
  async () => {
    const { ask, asking, send, person, fay, open, click, link } = await teamsWorld()
    await link()
    const finn = await person('finn@example.com')
    await link(finn, FINN)
    const { id, digest } = await ask('both')
    const card = await open(id)
    const [message, other] = [await asking(id), await asking(id, FINN)]
    await send(`/v1/approvals/${id}/decisions`, { as: finn, body: decided('approve', digest) })
    await vi.waitFor(() => expect(message.text).toContain('1 of 2 agreed'), 5_000)
    await send(`/v1/approvals/${id}/decisions`, { as: fay, body: decided('deny', digest) })
    await vi.waitFor(() => {
      expect(message.text).toMatch(/^both: denied by fay@example.com/)
      expect(other.text).toMatch(/^both: denied by fay@example.com/)
    }, 5_000)
    const late = await click(card, 'Approve')
    expect(late.text).toMatch(/denied/)
    expect((await click(late, 'Read again')).text).toBe('both: denied')
  },
)

promise.each(
  ['CS-TEAMS-5'],
  'what cannot be decided in Teams opens the inbox',
  [
    ['the arguments do not fit whole', 'plain', { text: 'x'.repeat(20_000) }, /too long/],
    ['there are too many lines', 'plain', { list: Array(300).fill(1) }, /too long/],
    ['a sign-in is needed', 'strict', {}, /assurance|sign|inbox/i],
  ],
  async (_, tool, args, says) => {
    const { link, ask, open, statusOf } = await teamsWorld()
    await link()
    const { id } = await ask(tool, args)
    const shown = await open(id)
    expect(shown.text).toMatch(says)
    expect(titlesOf(shown.card)).toEqual(['Open the inbox'])
    expect(await statusOf(id)).toBe('pending')
  },
)

promise(
  ['CS-TEAMS-5'],
  'in Teams every space is kept, what cannot be seen is written out, and no text is Markdown',
  async () => {
    const { link, ask, open } = await teamsWorld()
    await link()
    const to =
      '  two  spaces   **bold** [x](https://evil.example) <at>all</at>\n# h \u202eg\u200b\u00a0'
    const { id } = await ask('pay', { amount: 1, to })
    // The fake, and the check of every answer, refuse elements that read Markdown, and lost spaces.
    const { text } = await open(id)
    expect(text).not.toMatch(/[\u202e\u200b]/)
    const args = /\{\n[\s\S]*?\n\}/.exec(text)?.[0] ?? ''
    expect((JSON.parse(args) as { to: string }).to).toBe(to)
  },
)

promise(['CS-TEAMS-6'], 'a reason that is needed stands in the card', async () => {
  const { link, ask, open, click, statusOf, store } = await teamsWorld()
  await link()
  const { id } = await ask('why', {})
  const shown = await open(id)
  const refused = await click(shown, 'Approve', { reason: '  ' })
  expect(refused.text).toMatch(/wants a reason/)
  expect(await statusOf(id)).toBe('pending')
  const again = await click(refused, 'Read again')
  expect((await click(again, 'Approve', { reason: 'budgeted' })).text).toBe('It is approved.')
  expect((await store.get(id))?.decisions[0]?.reasoned).toBe(true)
})

promise(
  ['CS-CHAN-2'],
  'nothing masked reaches Teams, and with `name` no argument does',
  async () => {
    for (const share of ['name', 'message', 'arguments'] as const) {
      const { link, ask, asking, click, fake } = await teamsWorld({ share })
      await link()
      const sent: unknown[] = []
      for (const tool of ['pay', 'plain']) {
        const { id } = await ask(tool)
        const message = await asking(id)
        if (tool === 'plain') expect(message.text).not.toContain('Lena')
        expect(titlesOf(message.card).includes('Read and decide')).toBe(share === 'arguments')
        if (share === 'arguments') sent.push(await click(message, 'Read and decide'))
      }
      const said = JSON.stringify([sent, fake.messages])
      expect(said).not.toContain('canary')
      expect(said.includes('Lena')).toBe(share !== 'name')
    }
  },
)

promise(
  ['CS-TEAMS-4'],
  'Teams is asked who answers, each time, and without its word no answer counts',
  async () => {
    const { link, ask, open, click, fake, statusOf } = await teamsWorld()
    await link()
    const { id } = await ask('pay')
    const shown = await open(id)
    const strangers = [
      { userRole: 'guest' },
      { userRole: 'anonymous' },
      { userPrincipalName: 'fay_other.example#EXT#@acme.example' },
      { tenantId: '0a1b2c3d-0000-4000-8000-00000000000b' },
      { aadObjectId: EVE },
      { aadObjectId: undefined },
      { id: userOf(EVE) },
    ]
    for (const change of strangers) {
      fake.members.set(userOf(FAY), memberOf(FAY, change))
      expect((await click(shown, 'Approve')).text).toMatch(/only members of our own organisation/i)
    }
    fake.members.delete(userOf(FAY))
    expect((await click(shown, 'Approve')).text).toMatch(/only members of our own organisation/i)
    fake.members.set(userOf(FAY), memberOf(FAY))
    fake.fail('member', 'error', 'limit', 'lose')
    for (let turn = 0; turn < 3; turn++) {
      expect((await click(shown, 'Approve')).text).toMatch(/cannot answer right now/)
    }
    expect(await statusOf(id)).toBe('pending')
    expect((await click(shown, 'Approve')).text).toBe('It is approved.')
  },
)

promise(
  ['CS-CHAN-1', 'CS-TEAMS-7'],
  'a Teams that limits, loses and fails: no call waits, the message is finally true',
  async () => {
    const clock = fakeClock()
    const { link, ask, send, fay, fake, server, store } = await teamsWorld({
      store: memoryStore({ clock: clock.now }),
    })
    await link()
    fake.fail('post', 'limit', 'lose', 'error')
    fake.fail('edit', 'lose', 'limit', 'lose-answer')
    fake.delay = 5
    const { id, digest } = await ask('pay')
    await vi.waitFor(async () => {
      const [notice] = (await store.outbox.summary()).notices
      expect(notice?.problem).toBe('Teams wants fewer messages')
    }, 5_000)
    const count = () => fake.calls.filter((kind) => kind === 'post').length
    const before = count()
    // Seven seconds are what Teams asked for.
    clock.advance(6_500)
    await server.gate[internals].idle()
    expect(count()).toBe(before)
    const turn = async () => {
      clock.advance(30_000)
      await server.gate[internals].idle()
    }
    for (let turns = 0; turns < 5; turns++) await turn()
    await send(`/v1/approvals/${id}/decisions`, { as: fay, body: decided('deny', digest) })
    for (let turns = 0; turns < 5; turns++) await turn()
    const about = fake.messages.filter(({ text }) => text.includes('pay'))
    expect(about.map(({ text }) => text.split('\n')[0])).toEqual([
      'L3 · pay: denied by fay@example.com',
    ])
    expect((await store.outbox.summary()).waiting).toBe(0)
  },
)

promise(
  ['CS-TEAMS-7'],
  'a person who blocked the bot of Teams keeps no other person from being told',
  async () => {
    const { link, ask, person, fake, server, store } = await teamsWorld()
    await link()
    await link(await person('finn@example.com'), FINN)
    fake.fail('post', 'blocked')
    await ask('team')
    await server.gate[internals].idle()
    await vi.waitFor(async () => {
      expect(fake.messages.filter(({ text }) => text.startsWith('team'))).toHaveLength(1)
      const { waiting, stuck } = await store.outbox.summary()
      expect([waiting, stuck]).toEqual([0, 0])
    }, 5_000)
  },
)

promise(['CS-TEAMS-7'], 'a reminder in Teams is a message of its own', async () => {
  const clock = fakeClock()
  const { link, ask, asking, fake, server, store } = await teamsWorld({
    store: memoryStore({ clock: clock.now }),
  })
  await link()
  const { id } = await ask('slow', {})
  const message = await asking(id)
  clock.advance(61 * 60_000)
  const sweeper = startSweeper({ store, every: 1_000_000 })
  await sweeper.sweep()
  await sweeper.stop()
  await server.gate[internals].idle()
  await vi.waitFor(() => {
    expect(fake.messages.at(-1)?.text).toMatch(/^Reminder 1: slow still waits .* UTC\.$/)
  }, 5_000)
  expect(titlesOf(message.card)).toContain('Read and decide')
})

promise(
  ['CS-TEAMS-7'],
  'activities of Teams that come twice, late or out of order change nothing more',
  async () => {
    const { link, ask, open, click, post, fake, statusOf, store } = await teamsWorld()
    await link()
    const { id } = await ask('pay')
    const shown = await open(id)
    const no = execute(fake, FAY, actionOf(shown.card, 'Deny'))
    expect((await post(no)).status).toBe(200)
    expect((await post(no)).status).toBe(401)
    await post({ ...no, id: crypto.randomUUID() })
    await click(shown, 'Approve')
    expect(await statusOf(id)).toBe('denied')
    expect((await store.get(id))?.decisions).toHaveLength(1)
  },
)

test('several calls are told to one person in Teams in one message', async () => {
  const { channel, fake, link } = await teamsWorld()
  await link()
  const notice = (id: string, question: boolean) => {
    const status = question ? 'pending' : 'denied'
    const kind = question ? 'asked' : 'denied'
    const approval = { id, tool: '**pay** ``` @everyone', agent: 'biller', status, decideBy: 0 }
    const link = 'http://127.0.0.1:4747/approvals/x'
    return { id, kind, question, at: 0, to: [], approval, link } as unknown as Notice
  }
  const { signal } = new AbortController()
  // The fake refuses markup that is not ours.
  await channel.sendDigest?.([notice('a', true), notice('b', false)], signal, FAY)
  expect(fake.messages.at(-1)?.text).toMatch(/^1 call waits for you, news of 1 call\n/)
})

test('a link code is asked for by a hello, and a wrong one is refused', async () => {
  const { post, fake } = await teamsWorld()
  await post(typed(fake, FAY, 'hello there'))
  expect(fake.messages.at(-1)?.text).toMatch(/make a code/)
  await post(typed(fake, FAY, '0000-0000-0000'))
  expect(fake.messages.at(-1)?.text).toMatch(/used before, is too old/)
})
