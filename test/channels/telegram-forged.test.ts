import { expect } from 'vitest'
import { promise } from '../support/promise.ts'
import { BOT_ID, WEBHOOK_SECRET } from './fake-telegram.ts'
import { dataOf, EVE, FAY, FINN, press, telegramWorld, typed, userOf } from './telegram-world.ts'

type World = Awaited<ReturnType<typeof forgeable>>
type Sent = readonly [update: unknown, headers?: Record<string, string>]
type Forged = readonly [string, (world: World) => Sent | Promise<Sent>]

/** Fay is linked and has the card of one call open; Finn is linked too, Eve is not. */
async function forgeable() {
  const world = await telegramWorld()
  const { fake, link, ask, opened, person } = world
  await link()
  await link(await person('finn@example.com'), FINN)
  const pay = await ask('pay')
  const other = await ask('plain')
  const strict = await ask('strict')
  const why = await ask('why', {})
  const message = await opened(pay.id)
  const sibling = await opened(other.id)
  const [approve, foreign] = [dataOf(message, 'Approve'), dataOf(sibling, 'Approve')]
  const yes = (query: object = {}) => press(fake, message, approve, query)
  const told = (change: object) => yes({ message: { ...fake.seen(message), ...change } })
  /** The right message, with a button that a changed client made up. */
  const data = (text: string) => press(fake, message, text)
  /** As above, and Telegram itself had that button in the message. */
  const shownData = (text: string) =>
    press(fake, message, text, {
      message: {
        ...fake.seen(message),
        reply_markup: { inline_keyboard: [[{ text: 'x', callback_data: text }]] },
      },
    })
  return {
    ...{ ...world, pay, other, strict, why, message, sibling, approve, foreign },
    ...{ yes, told, data, shownData },
  }
}

const secret = (text: string) => ({ 'x-telegram-bot-api-secret-token': text })

/** The right answer without the secret of the webhook. */
const SECRETS: readonly Forged[] = [
  ['no header', (w) => [w.yes(), {}]],
  ['an empty secret', (w) => [w.yes(), secret('')]],
  ['another secret', (w) => [w.yes(), secret('webhook_secret_of_others_')]],
  ['the secret in capitals', (w) => [w.yes(), secret(WEBHOOK_SECRET.toUpperCase())]],
  ['a cut secret', (w) => [w.yes(), secret(WEBHOOK_SECRET.slice(0, -1))]],
  ['a longer secret', (w) => [w.yes(), secret(`${WEBHOOK_SECRET}x`)]],
  ['two secrets', (w) => [w.yes(), secret(`x, ${WEBHOOK_SECRET}`)]],
  ['the secret as a bearer', (w) => [w.yes(), { authorization: `Bearer ${WEBHOOK_SECRET}` }]],
  ['the secret in another header', (w) => [w.yes(), { 'x-telegram-secret': WEBHOOK_SECRET }]],
  ['the secret in quotes', (w) => [w.yes(), secret(`"${WEBHOOK_SECRET}"`)]],
  ['a signature of Slack', (w) => [w.yes(), { 'x-slack-signature': 'v0=00' }]],
]

const chat = (id: number, type: string) => ({ chat: { id, type, title: 'x' } })
const from = (w: World, user: unknown) => w.yes({ from: user })

/** With the secret, from an account or a place that must not answer. */
const ACCOUNTS: readonly Forged[] = [
  ['an account without a link', (w) => [from(w, userOf(EVE))]],
  [
    'an account without a link, in its own chat',
    (w) => [
      {
        ...w.told(chat(EVE, 'private')),
        callback_query: { ...w.told(chat(EVE, 'private')).callback_query, from: userOf(EVE) },
      },
    ],
  ],
  ['another linked account', (w) => [from(w, userOf(FINN))]],
  [
    'another linked account, in its own chat',
    (w) => {
      const update = w.told(chat(FINN, 'private'))
      return [{ ...update, callback_query: { ...update.callback_query, from: userOf(FINN) } }]
    },
  ],
  ['a bot', (w) => [from(w, userOf(FAY, { is_bot: true }))]],
  ['an account that may be a bot', (w) => [from(w, userOf(FAY, { is_bot: undefined }))]],
  ['a bot in another spelling', (w) => [from(w, userOf(FAY, { is_bot: 'false' }))]],
  ['no account', (w) => [from(w, undefined)]],
  ['an account that is null', (w) => [from(w, null)]],
  ['an account that is a list', (w) => [from(w, [FAY])]],
  ['an id that is a text', (w) => [from(w, userOf(FAY, { id: String(FAY) }))]],
  ['an id with a fraction', (w) => [from(w, userOf(FAY + 0.5))]],
  ['a negative id', (w) => [from(w, userOf(-FAY))]],
  ['no id', (w) => [from(w, userOf(FAY, { id: undefined }))]],
  ['the id zero', (w) => [from(w, userOf(0))]],
  ['a group', (w) => [w.told(chat(-100_777, 'group'))]],
  ['a supergroup', (w) => [w.told(chat(-100_777, 'supergroup'))]],
  ['a channel', (w) => [w.told(chat(-100_777, 'channel'))]],
  ['a group that has the id of the account', (w) => [w.told(chat(FAY, 'group'))]],
  ['a private chat of another account', (w) => [w.told(chat(FINN, 'private'))]],
  ['a chat without a type', (w) => [w.told({ chat: { id: FAY } })]],
  ['a chat of another spelling', (w) => [w.told(chat(FAY, 'Private'))]],
  ['no chat', (w) => [w.told({ chat: undefined })]],
]

const OTHER_NOTE = 'd'.repeat(22)

/** With the secret, from Fay, and about something else than she read. */
const ANSWERS: readonly Forged[] = [
  ['a message of another bot', (w) => [w.told({ from: { id: BOT_ID + 1, is_bot: true } })]],
  ['a message of a person', (w) => [w.told({ from: userOf(FAY) })]],
  ['a message without a sender', (w) => [w.told({ from: undefined })]],
  ['no message', (w) => [w.yes({ message: undefined })]],
  ['a message of inline mode', (w) => [w.yes({ message: undefined, inline_message_id: 'x' })]],
  ['a message without buttons', (w) => [w.told({ reply_markup: undefined })]],
  ['a message that can no longer be read', (w) => [w.told({ date: 0, reply_markup: undefined })]],
  ['another message', (w) => [w.told({ message_id: w.message.id + 1_000 })]],
  ['a message without a number', (w) => [w.told({ message_id: String(w.message.id) })]],
  ['the message of another call', (w) => [press(w.fake, w.sibling, w.approve)]],
  ['the button of another call in this message', (w) => [w.data(w.foreign)]],
  ['the same, and Telegram has that button there', (w) => [w.shownData(w.foreign)]],
  ['a name that stands for nothing', (w) => [w.shownData(`a:${OTHER_NOTE}`)]],
  ['a name that is empty', (w) => [w.shownData('a:')]],
  ['a name of the prototype', (w) => [w.shownData('a:constructor')]],
  ['the id of the approval as a name', (w) => [w.shownData(`a:${w.pay.id}`)]],
  ['the digest as a name', (w) => [w.shownData(`a:${w.pay.digest}`)]],
  ['the name in capitals', (w) => [w.shownData(w.approve.toUpperCase())]],
  ['the name with a space', (w) => [w.shownData(`${w.approve} `)]],
  ['a verdict that is none', (w) => [w.shownData(`y:${w.approve.slice(2)}`)]],
  ['no data', (w) => [w.yes({ data: undefined })]],
  ['data that is a number', (w) => [w.yes({ data: 1 })]],
  ['data that is an object', (w) => [w.yes({ data: { approve: w.pay.id } })]],
  ['data of a game', (w) => [w.yes({ data: undefined, game_short_name: w.approve })]],
  ['a click that opens it once more', (w) => [w.shownData(`o:${w.strict.id}`)]],
  ['a call that is none', (w) => [w.shownData('o:nope')]],
  ['a call named by a path', (w) => [w.shownData(`o:../${w.pay.id}`)]],
  [
    'an edited message',
    (w) => [{ update_id: w.fake.updateId(), edited_message: w.yes().callback_query.message }],
  ],
  [
    'the answer in another kind of update',
    (w) => [{ update_id: w.fake.updateId(), inline_query: w.yes().callback_query }],
  ],
  ['no id of the update', (w) => [{ ...w.yes(), update_id: undefined }]],
  ['an id of the update that is a text', (w) => [{ ...w.yes(), update_id: '7' }]],
  ['a list of updates', (w) => [[w.yes()]]],
  ['null', () => ['null']],
  ['no JSON', () => ['{']],
  ['nothing', () => ['']],
  ['a form', (w) => [`payload=${encodeURIComponent(JSON.stringify(w.yes()))}`]],
  ['the answer as text in the chat', (w) => [typed(w.fake, FAY, `approve ${w.pay.id}`)]],
  ['the data as text in the chat', (w) => [typed(w.fake, FAY, w.approve)]],
  ['a command', (w) => [typed(w.fake, FAY, `/start ${w.approve}`)]],
  [
    'a reply that gives no reason for anything',
    (w) => [typed(w.fake, FAY, 'yes', { reply_to_message: { message_id: w.message.id } })],
  ],
]

const ALL = [
  ...SECRETS.map(([name, make]) => [`secret: ${name}`, make, 401] as const),
  ...ACCOUNTS.map(([name, make]) => [`account: ${name}`, make, 200] as const),
  ...ANSWERS.map(([name, make]) => [`answer: ${name}`, make, 200] as const),
]

promise(
  ['CS-TG-2', 'CS-TG-3', 'CS-CHAN-5'],
  'forged, stale and confused updates of Telegram decide nothing',
  async () => {
    expect(ALL.length).toBeGreaterThanOrEqual(60)
    const world = await forgeable()
    for (const [name, make, status] of ALL) {
      const [update, headers] = await make(world)
      expect(await world.post(update, headers), name).toBe(status)
      for (const { id } of [world.pay, world.other, world.strict, world.why]) {
        const approval = await world.store.get(id)
        expect([approval?.status, approval?.decisions.length], name).toEqual(['pending', 0])
      }
    }
    // Nothing of it was refused because it could not have worked: the same answer, unforged, decides.
    expect(await world.post(world.yes())).toBe(200)
    expect(await world.statusOf(world.pay.id)).toBe('approved')
  },
)

promise(
  ['CS-TG-2', 'CS-CHAN-5'],
  'a card that is stale, of a person who lost their place or their link, decides nothing',
  async () => {
    const world = await forgeable()
    const { ask, opened, click, fake, send, fay, statusOf, store, person } = world
    // The call was edited since: the card is about another digest.
    const joint = await ask('joint', { amount: 5 })
    const card = await opened(joint.id)
    const approve = dataOf(card, 'Approve')
    const seen = fake.seen(card)
    const finn = await person('finn@example.com')
    const body = { verdict: 'approve', digest: joint.digest, edit: { arguments: { amount: 6 } } }
    expect((await send(`/v1/approvals/${joint.id}/decisions`, { as: finn, body })).status).toBe(200)
    await world.post(press(fake, card, approve, { message: seen }))
    expect(fake.alerts.at(-1)).toMatch(/another call|look again|changed|edited/i)
    expect(
      (await store.get(joint.id))?.decisions.filter(({ by }) => by.subject.includes('fay')),
    ).toEqual([])
    // The link ended while the card was open.
    const links = (await send('/v1/channel-links', { as: fay })).body as { links: { id: string }[] }
    for (const { id } of links.links) {
      await send(`/v1/channel-links/${id}`, { as: fay, method: 'DELETE' })
    }
    await click(world.message, 'Approve')
    expect(fake.alerts.at(-1)).toMatch(/answers for no person/)
    expect(await statusOf(world.pay.id)).toBe('pending')
  },
)

promise(['CS-TG-2', 'CS-TG-7'], 'the same answer, replayed and at once, counts once', async () => {
  const { yes, post, store, pay, fake } = await forgeable()
  const update = yes()
  await Promise.all([post(update), post(update), post({ ...update, update_id: fake.updateId() })])
  await post({ ...update, update_id: fake.updateId() })
  const approval = await store.get(pay.id)
  expect([approval?.status, approval?.decisions.length]).toEqual(['approved', 1])
})
