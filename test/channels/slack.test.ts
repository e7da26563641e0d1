import { expect, test, vi } from 'vitest'
import { startSweeper } from '../../src/gate/background/sweep.ts'
import { internals } from '../../src/gate/internals.ts'
import type { Notice } from '../../src/gate/notify/channel.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { promise } from '../support/promise.ts'
import { formOf } from './fake-slack.ts'
import { slackWorld } from './slack-world.ts'

const decided = (verdict: 'approve' | 'deny', digest: string) => ({ verdict, digest })

promise(['CS-SLACK-1'], 'read in Slack, decided in the modal, settled in the message', async () => {
  const { link, ask, asking, open, submission, post, statusOf, fake, server } = await slackWorld()
  await link()
  const { id, digest } = await ask('pay')
  const message = await asking(id)
  expect(message.channel).toBe('D0FAY')
  expect(JSON.stringify(message.blocks)).toContain('Pay «500» to «Lena»?')
  expect(JSON.stringify(message.blocks)).not.toContain('"approve"')
  const view = await open(id)
  const shown = JSON.stringify(view.blocks)
  expect(shown).toContain('Lena')
  expect(shown).toContain(digest)
  expect(shown.indexOf('"deny"')).toBeLessThan(shown.indexOf('"approve"'))
  expect(shown).not.toContain('initial_option')
  expect(await post(formOf(submission(view, 'approve')))).toEqual({ status: 200, body: {} })
  expect(await statusOf(id)).toBe('approved')
  await server.gate[internals].idle()
  await vi.waitFor(() => expect(message.text).toBe('L3 · pay: approved by fay@example.com'), 5_000)
  expect(JSON.stringify(message.blocks)).not.toContain('cs_open')
  // One message for the question and its end.
  expect(
    fake.messages.filter(({ channel, thread_ts }) => channel === 'D0FAY' && !thread_ts),
  ).toHaveLength(2)
})

promise(['CS-CHAN-7'], 'a vote is counted in the message, which finally names both', async () => {
  const { ask, asking, send, person, fay, server } = await slackWorld()
  const finn = await person('finn@example.com')
  const { id, digest } = await ask('both')
  const message = await asking(id)
  const vote = (as: typeof fay) =>
    send(`/v1/approvals/${id}/decisions`, { as, body: decided('approve', digest) })
  await vote(fay)
  await server.gate[internals].idle()
  await vi.waitFor(() => expect(JSON.stringify(message.blocks)).toContain('1 of 2 agreed'), 5_000)
  expect(JSON.stringify(message.blocks)).toContain('cs_open')
  await vote(finn)
  await server.gate[internals].idle()
  const end = 'both: approved by fay@example.com and finn@example.com'
  await vi.waitFor(() => expect(message.text).toBe(end), 5_000)
  expect(JSON.stringify(message.blocks)).toMatch(/<!date\^\d+\^decided /)
})

promise(['CS-SLACK-1'], 'a decision in the inbox settles the message in Slack', async () => {
  const { ask, asking, send, fay, fake, server } = await slackWorld()
  const { id, digest } = await ask('pay')
  const message = await asking(id)
  await send(`/v1/approvals/${id}/decisions`, { as: fay, body: decided('deny', digest) })
  await server.gate[internals].idle()
  await vi.waitFor(() => expect(message.text).toBe('L3 · pay: denied by fay@example.com'), 5_000)
  expect(fake.messages.length).toBe(1)
})

promise(
  ['CS-SLACK-1'],
  'through Socket Mode as well, over a connection that was renewed',
  async () => {
    const { link, ask, asking, fake, click, submission, statusOf } = await slackWorld({
      socket: true,
    })
    await vi.waitFor(() => expect(fake.sockets).toBe(1), 5_000)
    fake.disconnect()
    await vi.waitFor(() => expect(fake.sockets).toBe(2), 5_000)
    await link()
    const { id } = await ask('pay')
    await asking(id)
    await fake.envelope('interactive', click(id))
    const view = fake.views.at(-1)?.view
    if (!view) throw new Error('no view')
    expect(await fake.envelope('interactive', submission(view, 'deny'))).toBeUndefined()
    expect(await statusOf(id)).toBe('denied')
  },
)

promise.each(
  ['CS-SLACK-4'],
  'what cannot be decided in Slack opens the inbox',
  [
    ['the arguments do not fit whole', 'plain', { text: 'x'.repeat(40 * 2_900) }, /too long/],
    ['more than chat is needed', 'strict', {}, /stronger sign-in/],
    ['a value of the question is missing', 'pay', { amount: 1 }, /lacks a value/],
  ] as const,
  async (_, tool, args, says) => {
    const { link, ask, open, statusOf } = await slackWorld()
    await link()
    const { id } = await ask(tool, args)
    const view = await open(id)
    expect(JSON.stringify(view.blocks)).toMatch(says)
    expect(JSON.stringify(view.blocks)).toContain(`/approvals/${id}`)
    expect(view.callback_id).toBe('cs_sentence')
    expect(await statusOf(id)).toBe('pending')
  },
)

promise(['CS-SLACK-4'], 'the longest arguments that fit are shown whole', async () => {
  const { link, ask, open } = await slackWorld()
  await link()
  const text = '𝔸b'.repeat(38_000)
  const { id } = await ask('plain', { text })
  const view = await open(id)
  const pieces = view.blocks
    .filter(({ type }) => type === 'rich_text')
    .map((one) => JSON.stringify(one).match(/"text":"((?:[^"\\]|\\.)*)"/)?.[1] ?? '')
  expect(JSON.parse(JSON.parse(`"${pieces.join('')}"`) as string)).toEqual({ text })
})

promise(
  ['CS-SLACK-4'],
  'what cannot be seen is written out, and no text of an agent is markup',
  async () => {
    const { link, ask, asking, open } = await slackWorld()
    await link()
    const to = '<https://evil.example|click> <!channel> *bold* \u202egnitset\u200b @channel'
    const { id } = await ask('pay', { amount: 1, to })
    // The fake refuses a message with mrkdwn that is not ours.
    const message = await asking(id)
    expect(message.text).not.toMatch(/[<>]/)
    const shown = JSON.stringify((await open(id)).blocks)
    expect(shown).toContain(String.raw`\\u202e`)
    expect(shown).not.toContain('\u202e')
    expect(shown).not.toContain('\u200b')
  },
)

promise(
  ['CS-SLACK-5'],
  'refusals come back in the modal with the sentence of the gate',
  async () => {
    const { link, ask, open, submission, post, statusOf, send, fay } = await slackWorld()
    await link()
    const { id } = await ask('pay')
    const view = await open(id)
    // Decided in the inbox, while the modal was open.
    const { at } = await send(`/v1/approvals/${id}`, { as: fay })
    const body = decided('deny', at('digest'))
    expect((await send(`/v1/approvals/${id}/decisions`, { as: fay, body })).status).toBe(200)
    const late = await post(formOf(submission(view, 'approve')))
    expect(late.body).toMatchObject({ response_action: 'errors' })
    expect(await statusOf(id)).toBe('denied')
    const why = await ask('why')
    const asked = await open(why.id)
    const silent = await post(formOf(submission(asked, 'deny')))
    expect(JSON.stringify(silent.body)).toMatch(/reason/i)
    expect(await statusOf(why.id)).toBe('pending')
    await post(formOf(submission(asked, 'deny', { reason: 'not now' })))
    expect(await statusOf(why.id)).toBe('denied')
  },
)

promise(
  ['CS-SLACK-6'],
  'a group with a channel has one message there, and its members no other',
  async () => {
    const { ask, asking, fake } = await slackWorld({ channels: { finance: 'C0FIN' } })
    const { id } = await ask('team')
    const message = await asking(id)
    expect(message.channel).toBe('C0FIN')
    expect(fake.messages.length).toBe(1)
  },
)

promise(
  ['CS-CHAN-2'],
  'nothing masked reaches Slack, and with `name` no argument does',
  async () => {
    for (const share of ['name', 'message', 'arguments'] as const) {
      const { link, ask, asking, post, click, fake } = await slackWorld({ share })
      await link()
      for (const tool of ['pay', 'plain']) {
        const { id } = await ask(tool)
        await asking(id)
        await post(formOf(click(id)))
      }
      const sent = JSON.stringify([fake.messages, fake.views])
      expect(sent).not.toContain('canary')
      expect(sent.includes('Lena')).toBe(share !== 'name')
      // The default question holds arguments: it is in no message.
      const plain = fake.messages.find(({ text }) => text.startsWith('plain'))
      expect(JSON.stringify(plain?.blocks)).not.toContain('Lena')
      expect(fake.views.some(({ view }) => view.callback_id === 'cs_decide')).toBe(
        share === 'arguments',
      )
    }
  },
)

promise(
  ['CS-CHAN-1', 'CS-SLACK-7'],
  'a Slack that limits, loses and fails: no call waits, one message, finally true',
  async () => {
    const clock = fakeClock()
    const { ask, asking, send, fay, fake, server, store } = await slackWorld({
      store: memoryStore({ clock: clock.now }),
    })
    fake.fail('chat.postMessage', 'limit', 'lose', 'lose-answer', 'error')
    fake.fail('chat.update', 'lose', 'limit', 'lose-answer')
    fake.delay = 10
    const { id, digest } = await ask('pay')
    await vi.waitFor(async () => {
      const [notice] = (await store.outbox.summary()).notices
      expect(notice?.problem).toBe('Slack wants fewer messages')
    }, 5_000)
    const about = () =>
      fake.messages.filter((one) => JSON.stringify(one.blocks).includes(`cs-about:${id}`))
    // Seven seconds are what Slack asked for.
    clock.advance(6_500)
    await server.gate[internals].idle()
    expect(fake.calls.filter((method) => method === 'chat.postMessage')).toEqual([])
    for (let turn = 0; turn < 5; turn++) {
      clock.advance(20_000)
      await server.gate[internals].idle()
    }
    await asking(id)
    await send(`/v1/approvals/${id}/decisions`, { as: fay, body: decided('deny', digest) })
    for (let turn = 0; turn < 6; turn++) {
      clock.advance(20_000)
      await server.gate[internals].idle()
    }
    // The message whose answer was lost was found, and not posted again.
    expect(about().map(({ text }) => text)).toEqual(['L3 · pay: denied by fay@example.com'])
    expect((await store.outbox.summary()).waiting).toBe(0)
  },
)

promise(['CS-SLACK-7'], 'a Slack that is down delays no call', async () => {
  const { ask, fake, send, fay, statusOf } = await slackWorld()
  await fake.close()
  const started = performance.now()
  const { id, digest } = await ask('pay')
  await send(`/v1/approvals/${id}/decisions`, { as: fay, body: decided('approve', digest) })
  expect(await statusOf(id)).toBe('approved')
  expect(performance.now() - started).toBeLessThan(5_000)
})

promise(['CS-SLACK-7'], 'a reminder stands in the thread, once', async () => {
  const clock = fakeClock()
  const { ask, asking, fake, server, store } = await slackWorld({
    store: memoryStore({ clock: clock.now }),
  })
  const { id } = await ask('slow')
  const message = await asking(id)
  fake.fail('chat.postMessage', 'lose-answer')
  clock.advance(61 * 60_000)
  const sweeper = startSweeper({ store, every: 1_000_000 })
  await sweeper.sweep()
  await sweeper.stop()
  for (let turn = 0; turn < 3; turn++) {
    await server.gate[internals].idle()
    clock.advance(20_000)
  }
  const thread = fake.messages.filter(({ thread_ts }) => thread_ts === message.ts)
  expect(thread.map(({ text }) => text)).toEqual(['Reminder 1: slow still waits for a decision.'])
})

test('a link code is asked for by a hello, and a wrong one is refused', async () => {
  const { message, fake } = await slackWorld()
  await message('hello there')
  await vi.waitFor(() => expect(fake.messages.at(-1)?.text).toMatch(/make a code/), 5_000)
  await message('0000-0000-0000')
  await vi.waitFor(
    () => expect(fake.messages.at(-1)?.text).toMatch(/used before, is too old/),
    5_000,
  )
})

test('Slack checks our address with a signed challenge', async () => {
  const { post } = await slackWorld()
  const body = JSON.stringify({ type: 'url_verification', challenge: 'abc' })
  expect(await post(body)).toEqual({ status: 200, body: { challenge: 'abc' } })
  expect((await post(body, {})).status).toBe(401)
})

test('what Slack answers instead of an address is shown to operators', async () => {
  const { ask, fake, store } = await slackWorld()
  fake.fail('auth.test', 'error')
  await ask('pay')
  await vi.waitFor(async () => {
    const [notice] = (await store.outbox.summary()).notices
    expect(notice?.problem).toBe('Slack answered fatal_error to auth.test')
  }, 5_000)
})

promise(['CS-SLACK-7'], 'a shortage of approvers leaves the open question as it is', async () => {
  const { ask, asking, fake, channel } = await slackWorld()
  const { id } = await ask('pay')
  const message = await asking(id)
  const { text } = message
  const says = 'finance needs 2, only fay@example.com is left'
  const notice = {
    ...{ id: `${id}-2-unreachable`, kind: 'unreachable', question: false, at: 0, to: [] },
    unreachable: { rule: 'r', says },
    approval: { id, tool: 'pay', agent: 'biller', status: 'pending', askedAt: 0, decideBy: 0 },
  } as unknown as Notice
  const previous = { ref: `${message.channel}/${message.ts}`, revision: 1 }
  const delivery = { address: 'U0FAY', settles: false, repeated: false, previous }
  const { signal } = new AbortController()
  const sent = await channel.send(notice, signal, delivery)
  await channel.send(notice, signal, { ...delivery, repeated: true })
  expect(sent).toEqual({ ref: previous.ref })
  expect(message.text).toBe(text)
  expect(JSON.stringify(message.blocks)).toContain('cs_open')
  const thread = fake.messages.filter(({ thread_ts }) => thread_ts === message.ts)
  expect(thread.map((one) => one.text)).toEqual([`pay lacks eligible approvers: ${says}`])
})
