import { expect, vi } from 'vitest'
import { startSweeper } from '../../src/gate/background/sweep.ts'
import { internals } from '../../src/gate/internals.ts'
import type { Notice } from '../../src/gate/notify/channel.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { promise } from '../support/promise.ts'
import { buttonsOf } from './discord-rules.ts'
import {
  cardOf,
  discordWorld,
  EVE,
  FAY,
  FINN,
  idOf,
  press,
  submitted,
  textOf,
  userOf,
} from './discord-world.ts'
import { conversationOf, GUILD, nextId } from './fake-discord.ts'

const decided = (verdict: 'approve' | 'deny', digest: string) => ({ verdict, digest })
const labels = (components: unknown) => buttonsOf(components).map(({ label }) => label)

promise(['CS-DISC-1'], 'read in Discord, decided there, settled in the one message', async () => {
  const { link, ask, asking, click, fake, statusOf } = await discordWorld()
  await link()
  const { id, digest } = await ask('pay')
  const message = await asking(id)
  expect(message.channel).toBe(conversationOf(FAY))
  expect(message.text).toMatch(/^L3 · pay waits for a decision\nPay «500» to «Lena»\?\n/)
  expect(labels(message.components)).toEqual(['Read and decide'])
  const shown = await click(message, 'Read and decide')
  expect(textOf(shown)).toContain('"to": "Lena"')
  expect(textOf(shown)).toContain(digest)
  const card = cardOf(shown)
  expect(labels(card.components)).toEqual(['Deny', 'Deny with a reason', 'Approve'])
  // The message that others may see holds no argument.
  expect(message.edits).toBe(0)
  const over = await click(card, 'Approve')
  expect([over.type, textOf(over)]).toEqual([7, expect.stringMatching(/^It is approved\./)])
  expect(await statusOf(id)).toBe('approved')
  const end = /^L3 · pay: approved by fay@example.com\n.*\ndecided <t:\d+:f>\n/
  await vi.waitFor(() => expect(message.text).toMatch(end), 5_000)
  expect(labels(message.components)).toEqual([])
  expect(fake.messages).toHaveLength(1)
})

promise(
  ['CS-DISC-1', 'CS-CHAN-7'],
  'a decision in the inbox settles it, a vote is counted',
  async () => {
    const { ask, asking, send, person, fay, open, click, link } = await discordWorld()
    await link()
    const finn = await person('finn@example.com')
    await link(finn, FINN)
    const { id, digest } = await ask('both')
    const card = await open(id)
    const message = await asking(id)
    const other = await asking(id, conversationOf(FINN))
    await send(`/v1/approvals/${id}/decisions`, { as: finn, body: decided('approve', digest) })
    await vi.waitFor(() => expect(message.text).toContain('1 of 2 agreed'), 5_000)
    expect(labels(message.components)).toEqual(['Read and decide'])
    await send(`/v1/approvals/${id}/decisions`, { as: fay, body: decided('deny', digest) })
    await vi.waitFor(() => {
      expect(message.text).toMatch(/^both: denied by fay@example.com/)
      expect(other.text).toMatch(/^both: denied by fay@example.com/)
    }, 5_000)
    // The card that was left open says what is true, and has no button any more.
    const late = await click(card, 'Approve')
    expect(textOf(late)).toMatch(/already denied|denied/)
    expect(labels(cardOf(late).components)).toEqual([])
  },
)

promise.each(
  ['CS-DISC-4'],
  'what cannot be decided in Discord opens the inbox',
  [
    ['the arguments do not fit whole', 'plain', { text: 'x'.repeat(3_700) }, /too long/],
    ['a sign-in is needed', 'strict', {}, /assurance|sign|inbox/i],
  ],
  async (_, tool, args, says) => {
    const { link, ask, open, statusOf, asking, click } = await discordWorld()
    await link()
    const { id } = await ask(tool, args)
    const card = await open(id)
    expect(textOf({ data: card })).toMatch(says)
    expect(textOf(await click(await asking(id), 'Read and decide'))).toContain(`/approvals/${id}`)
    expect(idOf(card, 'Approve')).toBe('')
    expect(await statusOf(id)).toBe('pending')
  },
)

/** Each of them means something to Discord outside of code. */
const VOICES = [
  '```\n# APPROVED BY COUNTERSIGN\n```',
  '`` ``` ```` `',
  '`code` and more',
  '[inbox](https://evil.example)',
  '<https://evil.example> https://evil.example',
  '@everyone @here <@420000000000000001> <@&1> <#1>',
  '**bold** __under__ ~~gone~~ ||hidden|| *i*',
  '> quote\n>>> more\n# head\n-# ref 0000\n- list',
  '<t:0:R> <:emoji:1> :smile:',
  'ansi\n\u001b[2;31mred\u001b[0m',
  '\u202egnitset\u200b',
  '\\`\\`\\`',
]

promise(
  ['CS-DISC-4'],
  'what cannot be seen is written out, and no text of an agent is read as markup',
  async () => {
    const { link, ask, asking, click } = await discordWorld()
    await link()
    for (const to of VOICES) {
      // The fake, and the check of every answer, refuse markup that is not ours.
      const { id } = await ask('pay', { amount: 1, to })
      const message = await asking(id)
      const shown = await click(message, 'Read and decide')
      for (const unseen of '\u202e\u200b\u001b') expect(textOf(shown)).not.toContain(unseen)
      // What stands there means exactly what was asked.
      const args = /\{\n[\s\S]*?\n\}/.exec(textOf(shown))?.[0] ?? ''
      expect((JSON.parse(args) as { to: string }).to).toBe(to)
      expect(labels(cardOf(shown).components)).toContain('Approve')
    }
  },
)

promise(['CS-DISC-5'], 'a reason that is needed is given in a modal', async () => {
  const { link, ask, open, click, post, statusOf, store } = await discordWorld()
  await link()
  const { id } = await ask('why', {})
  const card = await open(id)
  const modal = await click(card, 'Approve')
  expect(modal).toMatchObject({ type: 9, data: { title: 'Approve with a reason' } })
  const name = (modal.data as { custom_id: string }).custom_id
  expect(await statusOf(id)).toBe('pending')
  // As another person, under another name, and without a reason.
  await post(submitted(name, 'fine', { user: userOf(FINN) }))
  await post(submitted(`${name}x`, 'fine'))
  await post(submitted(idOf(card, 'Approve'), 'fine'))
  expect(textOf((await post(submitted(name, '  '))).answer)).toMatch(/reason/i)
  expect(await statusOf(id)).toBe('pending')
  await post(submitted(name, 'budgeted'))
  expect(await statusOf(id)).toBe('approved')
  expect((await store.get(id))?.decisions[0]?.reasoned).toBe(true)
  const second = await ask('pay')
  const other = await click(await open(second.id), 'Deny with a reason')
  const no = (other.data as { custom_id: string }).custom_id
  expect(textOf((await post(submitted(no, 'not now'))).answer)).toMatch(/^It is denied\./)
})

promise(
  ['CS-CHAN-2'],
  'nothing masked reaches Discord, and with `name` no argument does',
  async () => {
    for (const share of ['name', 'message', 'arguments'] as const) {
      const { link, ask, asking, click, fake } = await discordWorld({ share })
      await link()
      const sent: unknown[] = []
      for (const tool of ['pay', 'plain']) {
        const { id } = await ask(tool)
        const message = await asking(id)
        if (tool === 'plain') expect(message.text).not.toContain('Lena')
        expect(idOf(fake.seen(message), 'Read and decide') !== '').toBe(share === 'arguments')
        if (share === 'arguments') sent.push(await click(message, 'Read and decide'))
      }
      const said = JSON.stringify([sent, fake.messages])
      expect(said).not.toContain('canary')
      expect(said.includes('Lena')).toBe(share !== 'name')
    }
  },
)

promise(
  ['CS-DISC-3', 'CS-DISC-6'],
  'a channel is told; a linked member decides there in a card of their own, others do not',
  async () => {
    const place = '810000000000000001'
    const { link, ask, asking, click, fake, post, statusOf } = await discordWorld({
      channels: { finance: place },
    })
    await link()
    const { id } = await ask('team')
    const message = await asking(id, place)
    await asking(id)
    const about = () => fake.messages.filter(({ text }) => text.startsWith('team'))
    await vi.waitFor(() => expect(about()).toHaveLength(2), 5_000)
    const at = fake.seen(message)
    const inServer = (user: string) => ({
      ...{ user: undefined, member: { user: userOf(user) }, guild_id: GUILD, context: 0 },
    })
    const stranger = await post(press(at, idOf(at, 'Read and decide'), inServer(EVE)))
    expect(textOf(stranger.answer)).toMatch(/answers for no person/)
    const shown = await post(press(at, idOf(at, 'Read and decide'), inServer(FAY)))
    const card = cardOf(shown.answer)
    expect(textOf(shown.answer)).toContain('Lena')
    // Nothing of it stands in the channel.
    expect(message.text).not.toContain('Lena')
    const taken = await post(press(card, idOf(card, 'Approve'), inServer(EVE)))
    expect(textOf(taken.answer)).toMatch(/does not fit/)
    expect(await statusOf(id)).toBe('pending')
    await post(press(card, idOf(card, 'Deny'), inServer(FAY)))
    expect(await statusOf(id)).toBe('denied')
    await vi.waitFor(() => {
      expect(about().map(({ text }) => text.split('\n')[0])).toEqual([
        'team: denied by fay@example.com',
        'team: denied by fay@example.com',
      ])
    }, 5_000)
    expect(await click({ ...at, components: [] }, 'Read and decide')).toMatchObject({ type: 4 })
  },
)

promise(
  ['CS-DISC-3'],
  'where a server of Discord is named, only its members answer, asked each time',
  async () => {
    const { link, ask, open, click, fake, statusOf } = await discordWorld({ guild: GUILD })
    await expect(link()).rejects.toThrow()
    fake.members.set(FAY, { user: userOf(FAY) })
    await link()
    const { id } = await ask('pay')
    const card = await open(id)
    for (const member of [undefined, { user: userOf(FAY), pending: true }, { user: userOf(EVE) }]) {
      if (member) fake.members.set(FAY, member)
      else fake.members.delete(FAY)
      expect(textOf(await click(card, 'Approve'))).toMatch(/only members of our server/i)
    }
    fake.members.set(FAY, { user: userOf(FAY) })
    fake.fail('member', 'error', 'limit', 'lose')
    for (let turn = 0; turn < 3; turn++) {
      expect(textOf(await click(card, 'Approve'))).toMatch(/cannot answer right now/)
    }
    expect(await statusOf(id)).toBe('pending')
    expect(textOf(await click(card, 'Approve'))).toMatch(/^It is approved/)
  },
)

promise(
  ['CS-CHAN-1', 'CS-DISC-7'],
  'a Discord that limits, loses and fails: no call waits, the message is finally true',
  async () => {
    const clock = fakeClock()
    const { link, ask, send, fay, fake, server, store } = await discordWorld({
      store: memoryStore({ clock: clock.now }),
    })
    await link()
    fake.fail('post', 'limit', 'lose', 'error', 'lose-answer')
    fake.fail('edit', 'lose', 'limit', 'lose-answer')
    fake.delay = 5
    const { id, digest } = await ask('pay')
    await vi.waitFor(async () => {
      const [notice] = (await store.outbox.summary()).notices
      expect(notice?.problem).toBe('Discord wants fewer messages')
    }, 5_000)
    const count = () => fake.calls.filter((kind) => kind === 'post').length
    const before = count()
    // Seven and a half seconds are what Discord asked for.
    clock.advance(7_000)
    await server.gate[internals].idle()
    expect(count()).toBe(before)
    const turn = async () => {
      clock.advance(30_000)
      await server.gate[internals].idle()
    }
    for (let turns = 0; turns < 6; turns++) await turn()
    // The one whose answer was lost was found, and not posted again.
    expect(fake.messages).toHaveLength(1)
    await send(`/v1/approvals/${id}/decisions`, { as: fay, body: decided('deny', digest) })
    for (let turns = 0; turns < 6; turns++) await turn()
    expect(fake.messages.map(({ text }) => text.split('\n')[0])).toEqual([
      'L3 · pay: denied by fay@example.com',
    ])
    expect((await store.outbox.summary()).waiting).toBe(0)
  },
)

promise(
  ['CS-DISC-7'],
  'a person who takes no messages keeps no other person from being told',
  async () => {
    const { link, ask, person, fake, server, store } = await discordWorld()
    await link()
    await link(await person('finn@example.com'), FINN)
    fake.fail('post', 'closed')
    await ask('team')
    await server.gate[internals].idle()
    await vi.waitFor(async () => {
      expect(fake.messages.filter(({ text }) => text.startsWith('team'))).toHaveLength(1)
      const { waiting, stuck } = await store.outbox.summary()
      expect([waiting, stuck]).toEqual([0, 0])
    }, 5_000)
  },
)

promise(['CS-DISC-7'], 'a reminder is a reply to the question, once', async () => {
  const clock = fakeClock()
  const { link, ask, asking, fake, server, store } = await discordWorld({
    store: memoryStore({ clock: clock.now }),
  })
  await link()
  const { id } = await ask('slow', {})
  const message = await asking(id)
  fake.fail('post', 'lose-answer')
  clock.advance(61 * 60_000)
  const sweeper = startSweeper({ store, every: 1_000_000 })
  await sweeper.sweep()
  await sweeper.stop()
  for (let turn = 0; turn < 3; turn++) {
    await server.gate[internals].idle()
    clock.advance(30_000)
  }
  const replies = fake.messages.filter(({ replyTo }) => replyTo === message.id)
  expect(replies.map(({ text }) => text.split('\n')[0])).toEqual([
    expect.stringMatching(/^Reminder 1: slow still waits for a decision, by <t:\d+:f>\.$/),
  ])
})

promise(
  ['CS-DISC-7'],
  'interactions that come twice, late or out of order change nothing more',
  async () => {
    const { link, ask, open, post, statusOf, store } = await discordWorld()
    await link()
    const { id } = await ask('pay')
    const card = await open(id)
    const no = press(card, idOf(card, 'Deny'))
    expect((await post(no)).status).toBe(200)
    expect((await post(no)).status).toBe(401)
    await post({ ...no, id: nextId() })
    await post(press(card, idOf(card, 'Approve')))
    expect(await statusOf(id)).toBe('denied')
    expect((await store.get(id))?.decisions).toHaveLength(1)
  },
)

promise(['CS-DISC-7'], 'a message that was left behind is put right by its button', async () => {
  const { link, ask, asking, send, fay, click } = await discordWorld()
  await link()
  const { id, digest } = await ask('pay')
  const message = await asking(id)
  // As after a crash, in a conversation in which it is not found any more.
  const orphan = { ...message, id: nextId() }
  await send(`/v1/approvals/${id}/decisions`, { as: fay, body: decided('deny', digest) })
  await vi.waitFor(() => expect(message.text).toMatch(/denied/), 5_000)
  expect(await click(orphan, 'Read and decide')).toMatchObject({ type: 7 })
  expect(orphan.text).toMatch(/^pay: denied/)
})

promise(['CS-DISC-7'], 'the same notice, sent twice within minutes, is one message', async () => {
  const { ask, channel, fake, link, asking, server } = await discordWorld()
  await link()
  const { id } = await ask('pay')
  await asking(id)
  await server.gate[internals].idle()
  const approval = { id, tool: 'pay', agent: 'biller', status: 'pending', askedAt: 0, decideBy: 0 }
  const notice = {
    ...{ id: `${id}-9-asked`, kind: 'asked', question: true, at: 0, to: [] },
    approval: { ...approval, message: 'May biller run pay?' },
  } as unknown as Notice
  const delivery = { address: `@${FAY}`, settles: false, repeated: false }
  const { signal } = new AbortController()
  const [first, second] = [
    await channel.send(notice, signal, delivery),
    await channel.send(notice, signal, delivery),
  ]
  expect(second).toEqual(first)
  expect(fake.messages).toHaveLength(2)
})
