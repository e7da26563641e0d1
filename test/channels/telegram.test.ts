import { expect, test, vi } from 'vitest'
import { startSweeper } from '../../src/gate/background/sweep.ts'
import { internals } from '../../src/gate/internals.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { promise } from '../support/promise.ts'
import { dataOf, FAY, FINN, telegramWorld, typed, userOf } from './telegram-world.ts'

const decided = (verdict: 'approve' | 'deny', digest: string) => ({ verdict, digest })

promise.each(
  ['CS-TG-1'],
  'read in Telegram, decided there, settled in the one message',
  [['by long polling'], ['by webhook']],
  async (way) => {
    const { link, ask, asking, click, fake, statusOf } = await telegramWorld({
      polling: way === 'by long polling',
    })
    await link()
    const { id, digest } = await ask('pay')
    const message = await asking(id)
    expect(message.chat).toBe(FAY)
    expect(message.text).toMatch(/^L3 · pay waits for a decision\nPay «500» to «Lena»\?\n/)
    expect(message.markup?.inline_keyboard.flat().map(({ text }) => text)).toEqual([
      'Read and decide',
    ])
    await click(message, 'Read and decide')
    expect(message.text).toContain('"to": "Lena"')
    expect(message.text).toContain(digest)
    expect(message.markup?.inline_keyboard.flat().map(({ text }) => text)).toEqual([
      'Deny',
      'Approve',
    ])
    await click(message, 'Approve')
    expect(await statusOf(id)).toBe('approved')
    const end = /^L3 · pay: approved by fay@example.com\n.*\ndecided \d{4}-.* UTC/
    await vi.waitFor(() => expect(message.text).toMatch(end), 5_000)
    expect(message.text).not.toContain('Lena')
    expect(message.markup).toBeUndefined()
    // One message for the question, the call and its end.
    expect(fake.messages.filter(({ text }) => /pay/.test(text))).toHaveLength(1)
  },
)

promise(
  ['CS-TG-1', 'CS-CHAN-7'],
  'a decision in the inbox settles it, a vote is counted',
  async () => {
    const world = await telegramWorld()
    const { ask, asking, send, person, fay, opened, link } = world
    await link()
    const finn = await person('finn@example.com')
    await link(finn, FINN)
    const { id, digest } = await ask('both')
    const message = await opened(id)
    await send(`/v1/approvals/${id}/decisions`, { as: finn, body: decided('approve', digest) })
    await vi.waitFor(() => expect(message.text).toContain('1 of 2 agreed'), 5_000)
    expect(dataOf(message, 'Read and decide')).not.toBe('')
    const other = await asking(id, FINN)
    await send(`/v1/approvals/${id}/decisions`, { as: fay, body: decided('deny', digest) })
    await vi.waitFor(() => {
      expect(message.text).toMatch(/^both: denied by fay@example.com/)
      expect(other.text).toMatch(/^both: denied by fay@example.com/)
    }, 5_000)
  },
)

promise.each(
  ['CS-TG-4'],
  'what cannot be decided in Telegram opens the inbox',
  [
    ['the arguments do not fit whole', 'plain', { text: 'x'.repeat(4_000) }, /too long/],
    ['a sign-in is needed', 'strict', {}, /assurance|sign|inbox/i],
  ],
  async (_, tool, args, says) => {
    const { link, ask, opened, fake, statusOf } = await telegramWorld()
    await link()
    const { id } = await ask(tool, args)
    const message = await opened(id)
    expect(fake.alerts.at(-1)).toMatch(says)
    expect(dataOf(message, 'Approve')).toBe('')
    expect(await statusOf(id)).toBe('pending')
  },
)

promise(
  ['CS-TG-4'],
  'what cannot be seen is written out, and no text of an agent becomes a link or a mention',
  async () => {
    const { link, ask, opened } = await telegramWorld()
    await link()
    const to = 'https://evil.example @channel /start #x <b>bold</b> \u202egnitset\u200b'
    const { id } = await ask('pay', { amount: 1, to })
    // The fake refuses a message with foreign text outside of code.
    const message = await opened(id)
    expect(message.text).toContain(String.raw`\u202e`)
    expect(message.text).not.toMatch(/[\u202e\u200b]/)
    expect(message.text).toContain('https://evil.example')
  },
)

promise(['CS-TG-5'], 'a reason that is needed is given by a reply', async () => {
  const { link, ask, opened, click, fake, deliver, statusOf, store } = await telegramWorld()
  await link()
  const { id } = await ask('why', {})
  const message = await opened(id)
  await click(message, 'Deny')
  expect(await statusOf(id)).toBe('pending')
  const prompt = fake.messages.at(-1)
  expect(prompt).toMatchObject({ isForced: true, replyTo: message.id })
  expect(prompt?.text).toBe('Reply to this message with the reason for your no to why.')
  const reply = { reply_to_message: { message_id: prompt?.id } }
  // As the reply of another person, to another message, and forwarded.
  await deliver(typed(fake, FINN, 'not now', reply))
  await deliver(typed(fake, FAY, 'not now', { reply_to_message: { message_id: message.id } }))
  await deliver(typed(fake, FAY, 'not now', { ...reply, forward_origin: { type: 'user' } }))
  await deliver(typed(fake, FAY, 'x'.repeat(2_001), reply))
  expect(await statusOf(id)).toBe('pending')
  await deliver(typed(fake, FAY, 'not now', reply))
  expect(await statusOf(id)).toBe('denied')
  expect((await store.get(id))?.decisions[0]?.reasoned).toBe(true)
  expect(fake.messages.at(-1)?.text).toBe('It is denied.')
})

promise(
  ['CS-CHAN-2'],
  'nothing masked reaches Telegram, and with `name` no argument does',
  async () => {
    for (const share of ['name', 'message', 'arguments'] as const) {
      const { link, ask, asking, click, fake } = await telegramWorld({ share })
      await link()
      const sent: string[] = []
      for (const tool of ['pay', 'plain']) {
        const { id } = await ask(tool)
        const message = await asking(id)
        sent.push(message.text)
        if (tool === 'plain') expect(message.text).not.toContain('Lena')
        expect(dataOf(message, 'Read and decide') !== '').toBe(share === 'arguments')
        if (share === 'arguments') await click(message, 'Read and decide')
        sent.push(message.text)
      }
      const said = JSON.stringify([sent, fake.messages, fake.alerts])
      expect(said).not.toContain('canary')
      expect(said.includes('Lena')).toBe(share !== 'name')
    }
  },
)

promise(
  ['CS-TG-6'],
  'a group chat is told and answers nothing; people without a link are not told',
  async () => {
    const chat = -1_001_234
    const { link, ask, asking, fake, deliver, statusOf } = await telegramWorld({
      chats: { finance: String(chat) },
    })
    await link()
    const { id } = await ask('team')
    const message = await asking(id, chat)
    const own = await asking(id, FAY)
    expect(message.markup).toBeUndefined()
    expect(fake.messages.filter((one) => one.text.includes('team'))).toHaveLength(2)
    // The button of the private message, pressed in the group.
    await deliver({
      update_id: fake.updateId(),
      callback_query: {
        ...{ id: 'q', from: userOf(FAY), chat_instance: 'c', data: dataOf(own, 'Read and decide') },
        message: { ...fake.seen(own), chat: { id: chat, type: 'supergroup', title: 'x' } },
      },
    })
    expect(fake.alerts.at(-1)).toMatch(/private chat/)
    expect(message.text).not.toContain('Lena')
    expect(await statusOf(id)).toBe('pending')
  },
)

promise(
  ['CS-CHAN-1', 'CS-TG-7'],
  'a Telegram that limits, loses and fails: no call waits, the message is finally true',
  async () => {
    const clock = fakeClock()
    const { link, ask, send, fay, fake, server, store } = await telegramWorld({
      store: memoryStore({ clock: clock.now }),
    })
    await link()
    fake.fail('sendMessage', 'limit', 'lose', 'error')
    fake.fail('editMessageText', 'lose', 'limit', 'lose-answer')
    const { id, digest } = await ask('pay')
    await vi.waitFor(async () => {
      const [notice] = (await store.outbox.summary()).notices
      expect(notice?.problem).toBe('Telegram wants fewer messages')
    }, 5_000)
    const count = () => fake.calls.filter((method) => method === 'sendMessage').length
    const before = count()
    // Seven seconds are what Telegram asked for.
    clock.advance(6_500)
    await server.gate[internals].idle()
    expect(count()).toBe(before)
    const turn = async () => {
      clock.advance(20_000)
      await server.gate[internals].idle()
    }
    for (let turns = 0; turns < 4; turns++) await turn()
    const about = () => fake.messages.filter(({ text }) => /pay/.test(text))
    expect(about()).toHaveLength(1)
    await send(`/v1/approvals/${id}/decisions`, { as: fay, body: decided('deny', digest) })
    for (let turns = 0; turns < 5; turns++) await turn()
    expect(about().map(({ text }) => text.split('\n')[0])).toEqual([
      'L3 · pay: denied by fay@example.com',
    ])
    expect((await store.outbox.summary()).waiting).toBe(0)
  },
)

promise(
  ['CS-TG-7'],
  'a person who blocked the bot keeps no other person from being told',
  async () => {
    const { link, ask, person, asking, fake, server, store } = await telegramWorld()
    await link()
    await link(await person('finn@example.com'), FINN)
    fake.fail('sendMessage', 'blocked')
    const { id } = await ask('team')
    await server.gate[internals].idle()
    const told = await vi.waitFor(() => {
      const found = fake.messages.filter(({ text }) => text.startsWith('team'))
      expect(found).toHaveLength(1)
      return found
    }, 5_000)
    expect((await asking(id, told[0]?.chat)).id).toBe(told[0]?.id)
    await vi.waitFor(async () => {
      const { waiting, stuck } = await store.outbox.summary()
      expect([waiting, stuck]).toEqual([0, 0])
    }, 5_000)
  },
)

promise(['CS-TG-7'], 'a reminder is a reply to the question', async () => {
  const clock = fakeClock()
  const { link, ask, asking, fake, server, store } = await telegramWorld({
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
  const reply = await vi.waitFor(() => {
    const found = fake.messages.find(({ replyTo }) => replyTo === message.id)
    if (!found) throw new Error('no reminder')
    return found
  }, 5_000)
  expect(reply.text).toMatch(/^Reminder 1: slow still waits for a decision, by .* UTC\.$/)
})

promise(
  ['CS-TG-7'],
  'updates that come twice, late or out of order change nothing more',
  async () => {
    const { link, ask, opened, fake, deliver, statusOf, store } = await telegramWorld({
      polling: true,
    })
    await link()
    const { id } = await ask('pay')
    const message = await opened(id)
    const [no, yes] = [dataOf(message, 'Deny'), dataOf(message, 'Approve')]
    const at = fake.seen(message)
    const query = (data: string) => ({
      update_id: fake.updateId(),
      callback_query: { id: crypto.randomUUID(), from: userOf(FAY), data, message: at },
    })
    const first = query(no)
    const answers = fake.alerts.length
    await deliver(first)
    await deliver(first)
    await deliver(query(yes))
    await deliver({ ...query(no), update_id: first.update_id + 50 })
    await vi.waitFor(() => expect(fake.alerts.length).toBeGreaterThanOrEqual(answers + 3), 5_000)
    expect(await statusOf(id)).toBe('denied')
    expect((await store.get(id))?.decisions).toHaveLength(1)
  },
)

promise(['CS-TG-7'], 'a message that was left behind is put right by its button', async () => {
  const { link, ask, asking, send, fay, fake, click } = await telegramWorld()
  await link()
  const { id, digest } = await ask('pay')
  const message = await asking(id)
  // As after a crash between sending it and noting that.
  const orphan = { ...message, id: 9_001 }
  ;(fake.messages as (typeof orphan)[]).push(orphan)
  await send(`/v1/approvals/${id}/decisions`, { as: fay, body: decided('deny', digest) })
  await vi.waitFor(() => expect(message.text).toMatch(/denied/), 5_000)
  expect(orphan.text).toMatch(/waits for a decision/)
  await click(orphan, 'Read and decide')
  expect(orphan.text).toMatch(/^pay: denied/)
  expect(fake.alerts.at(-1)).toBe('It is already denied.')
})

test('a link code is asked for by a hello, and a wrong one is refused', async () => {
  const { deliver, fake } = await telegramWorld()
  await deliver(typed(fake, FAY, 'hello there'))
  expect(fake.messages.at(-1)?.text).toMatch(/make a code/)
  await deliver(typed(fake, FAY, '0000-0000-0000'))
  expect(fake.messages.at(-1)?.text).toMatch(/used before, is too old/)
})
