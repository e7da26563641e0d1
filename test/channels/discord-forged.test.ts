import { expect } from 'vitest'
import { promise } from '../support/promise.ts'
import {
  cardOf,
  command,
  discordWorld,
  EVE,
  FAY,
  FINN,
  idOf,
  interaction,
  press,
  submitted,
  textOf,
  userOf,
} from './discord-world.ts'
import { BOT_ID, keyOf, nextId, signedByDiscord } from './fake-discord.ts'

type World = Awaited<ReturnType<typeof forgeable>>
type Sent = readonly [payload: unknown, headers?: Record<string, string>]
type Forged = readonly [string, (world: World) => Sent]

/** Fay is linked and has the card of one call open; Finn is linked too, Eve is not. */
async function forgeable() {
  const world = await discordWorld()
  const { link, ask, open, click, person, asking, fake } = world
  await link()
  await link(await person('finn@example.com'), FINN)
  const pay = await ask('pay')
  const other = await ask('plain')
  const strict = await ask('strict')
  const why = await ask('why', {})
  const team = await ask('team')
  const message = fake.seen(await asking(pay.id))
  const card = await open(pay.id)
  const sibling = await open(other.id)
  const joint = await open(team.id)
  const modal = (await click(await open(why.id), 'Approve')).data as { custom_id: string }
  const [approve, foreign] = [idOf(card, 'Approve'), idOf(sibling, 'Approve')]
  const yes = (more: object = {}) => press(card, approve, more)
  /** The right message, with a button that a changed client made up. */
  const data = (id: string) => press(card, id)
  /** As above, and Discord itself had that button in the message. */
  const shown = (id: string) => press(withButton(card, id), id)
  return {
    ...{
      ...world,
      pay,
      other,
      strict,
      why,
      team,
      joint,
      message,
      card,
      sibling,
      modal,
      approve,
      foreign,
    },
    ...{ yes, data, shown },
  }
}

function withButton(message: object, custom_id: string) {
  const components = [{ type: 1, components: [{ type: 2, style: 1, label: 'x', custom_id }] }]
  return { ...message, components }
}

const now = () => Math.floor(Date.now() / 1_000)
const good = (w: World) => JSON.stringify(w.yes())
const signed = (body: string, more: Parameters<typeof signedByDiscord>[1] = {}) =>
  signedByDiscord(body, more)
const SIGNATURE = 'x-signature-ed25519'
const TIME = 'x-signature-timestamp'

function changed(make: (headers: Record<string, string>, body: string) => Record<string, string>) {
  return (w: World): Sent => {
    const body = good(w)
    return [body, make(signed(body), body)]
  }
}

/** The right answer under a wrong signature. */
const SIGNATURES: readonly Forged[] = [
  ['no headers', (w) => [good(w), {}]],
  ['no signature', changed((own) => ({ [TIME]: own[TIME] ?? '' }))],
  ['no time', changed((own) => ({ [SIGNATURE]: own[SIGNATURE] ?? '' }))],
  ['another key', changed((_, body) => signed(body, { key: keyOf(9) }))],
  ['five minutes and a second old', changed((_, body) => signed(body, { at: `${now() - 301}` }))],
  ['an hour old', changed((_, body) => signed(body, { at: `${now() - 3_600}` }))],
  ['five minutes ahead', changed((_, body) => signed(body, { at: `${now() + 310}` }))],
  ['a time that is none', changed((_, body) => signed(body, { at: 'now' }))],
  ['an empty time', changed((_, body) => signed(body, { at: '' }))],
  ['a time with a sign', changed((_, body) => signed(body, { at: `+${now()}` }))],
  ['a time with a fraction', changed((_, body) => signed(body, { at: `${now()}.5` }))],
  ['a time in milliseconds', changed((_, body) => signed(body, { at: `${Date.now()}` }))],
  [
    'an old signature with a new time',
    changed((_, body) => ({ ...signed(body, { at: `${now() - 400}` }), [TIME]: `${now()}` })),
  ],
  [
    'a digit of the time in the body',
    (w) => {
      const at = `${now()}`
      const body = good(w)
      // The bytes that were signed are the same, divided elsewhere.
      return [`${at.slice(-1)}${body}`, { ...signed(body, { at }), [TIME]: at.slice(0, -1) }]
    },
  ],
  [
    'one byte changed',
    (w) => {
      const body = good(w)
      return [body.replace('"type":3', '"type":5'), signed(body)]
    },
  ],
  [
    'one byte more',
    (w) => {
      const body = good(w)
      return [`${body} `, signed(body)]
    },
  ],
  [
    'one byte less',
    (w) => {
      const body = good(w)
      return [body.slice(0, -1), signed(body)]
    },
  ],
  [
    'the same JSON, written otherwise',
    (w) => {
      const body = good(w)
      return [JSON.stringify(JSON.parse(body), null, 1), signed(body)]
    },
  ],
  [
    'a byte order mark before it',
    (w) => {
      const body = good(w)
      return [`\ufeff${body}`, signed(body)]
    },
  ],
  ['the signature of a PING', changed(() => signed('{"type":1}'))],
  ['the signature of another answer', changed((_, body) => signed(body.replace('"a:', '"d:')))],
  ['a cut signature', changed((own) => ({ ...own, [SIGNATURE]: own[SIGNATURE]?.slice(2) ?? '' }))],
  ['a longer signature', changed((own) => ({ ...own, [SIGNATURE]: `${own[SIGNATURE]}00` }))],
  ['an empty signature', changed((own) => ({ ...own, [SIGNATURE]: '' }))],
  ['a signature of zeros', changed((own) => ({ ...own, [SIGNATURE]: '0'.repeat(128) }))],
  [
    'a signature in base64',
    changed((own) => ({
      ...own,
      [SIGNATURE]: Buffer.from(own[SIGNATURE] ?? '', 'hex').toString('base64'),
    })),
  ],
  ['two signatures', changed((own) => ({ ...own, [SIGNATURE]: `00, ${own[SIGNATURE]}` }))],
  [
    'the signature under the name of Slack',
    changed((own) => ({ 'x-slack-signature': own[SIGNATURE] ?? '', [TIME]: own[TIME] ?? '' })),
  ],
  ['no id of the interaction', (w) => [{ ...w.yes(), id: undefined }]],
  ['an id of the interaction that is a number', (w) => [{ ...w.yes(), id: 7 }]],
  ['a list of interactions', (w) => [[w.yes()]]],
  ['null', () => ['null']],
  ['no JSON', () => ['{']],
  ['nothing', () => ['']],
  ['a form', (w) => [`payload=${encodeURIComponent(good(w))}`]],
]

const from = (w: World, user: unknown) => w.yes({ user })

/** Signed by Discord, from an account that must not answer. */
const ACCOUNTS: readonly Forged[] = [
  ['an account without a link', (w) => [from(w, userOf(EVE))]],
  [
    'another approver of the same call, with the card of Fay',
    (w) => [press(w.joint, idOf(w.joint, 'Approve'), { user: userOf(FINN) })],
  ],
  ['another linked account', (w) => [from(w, userOf(FINN))]],
  ['a bot', (w) => [from(w, userOf(FAY, { bot: true }))]],
  ['a bot in another spelling', (w) => [from(w, userOf(FAY, { bot: 'true' }))]],
  ['a bot by null', (w) => [from(w, userOf(FAY, { bot: null }))]],
  ['Discord itself', (w) => [from(w, userOf(FAY, { system: true }))]],
  ['no account', (w) => [from(w, undefined)]],
  ['an account that is null', (w) => [from(w, null)]],
  ['an account that is a list', (w) => [from(w, [FAY])]],
  ['an id that is a number', (w) => [from(w, userOf(FAY, { id: Number(FAY) }))]],
  ['an id with a space', (w) => [from(w, userOf(`${FAY} `))]],
  ['an id with a zero before it', (w) => [from(w, userOf(`0${FAY}`))]],
  ['no id', (w) => [from(w, userOf(FAY, { id: undefined }))]],
  ['our own bot', (w) => [from(w, userOf(BOT_ID))]],
  ['a member and a user', (w) => [w.yes({ member: { user: userOf(EVE) } })]],
  ['a member without a user', (w) => [w.yes({ user: undefined, member: { id: FAY } })]],
  ['a member that is a user', (w) => [w.yes({ user: undefined, member: userOf(FAY) })]],
  ['another application', (w) => [w.yes({ application_id: '700000000000000009' })]],
  ['no application', (w) => [w.yes({ application_id: undefined })]],
  ['the bot as the application', (w) => [w.yes({ application_id: BOT_ID })]],
]

/** Signed by Discord, from Fay, and about something else than she read. */
const ANSWERS: readonly Forged[] = [
  ['a message of another bot', (w) => [press({ ...w.card, author: { id: EVE } }, w.approve)]],
  ['a message without an author', (w) => [press({ ...w.card, author: undefined }, w.approve)]],
  ['no message', (w) => [w.yes({ message: undefined })]],
  ['a message without buttons', (w) => [press({ ...w.card, components: [] }, w.approve)]],
  ['the message of another call', (w) => [press(w.sibling, w.approve)]],
  ['the button of another call in this message', (w) => [w.data(w.foreign)]],
  ['the question with the button of the card', (w) => [press(w.message, w.approve)]],
  ['a name that stands for nothing', (w) => [w.shown(`a:${'d'.repeat(22)}`)]],
  ['a name that is empty', (w) => [w.shown('a:')]],
  ['a name of the prototype', (w) => [w.shown('a:constructor')]],
  ['the id of the approval as a name', (w) => [w.shown(`a:${w.pay.id}`)]],
  ['the digest as a name', (w) => [w.shown(`a:${w.pay.digest}`)]],
  ['the name in capitals', (w) => [w.shown(w.approve.toUpperCase())]],
  ['the name with a space', (w) => [w.shown(`${w.approve} `)]],
  ['the name of a modal as a card', (w) => [w.shown(`a:${w.modal.custom_id.slice(2)}`)]],
  ['a verdict that is none', (w) => [w.shown(`y:${w.approve.slice(2)}`)]],
  ['no name', (w) => [w.yes({ data: { component_type: 2 } })]],
  ['a name that is a number', (w) => [w.yes({ data: { component_type: 2, custom_id: 1 } })]],
  ['a list of choices', (w) => [w.yes({ data: { component_type: 3, custom_id: w.approve } })]],
  [
    'a choice of this value',
    (w) => [w.yes({ data: { component_type: 3, custom_id: 'x', values: [w.approve] } })],
  ],
  [
    'a click that opens it once more',
    (w) => [press(w.message, idOf(w.message, 'Read and decide'))],
  ],
  ['a call that wants a sign-in', (w) => [w.shown(`o:${w.strict.id}`)]],
  ['a call that is none', (w) => [w.shown('o:nope')]],
  ['a call named by a path', (w) => [w.shown(`o:../${w.pay.id}`)]],
  ['the answer as a command', (w) => [{ ...w.yes(), type: 2 }]],
  ['the answer as a completion', (w) => [{ ...w.yes(), type: 4 }]],
  ['the answer as a modal', (w) => [{ ...w.yes(), type: 5 }]],
  ['a type that is a text', (w) => [{ ...w.yes(), type: '3' }]],
  ['no type', (w) => [{ ...w.yes(), type: undefined }]],
  ['the answer as a link code', (w) => [command(w.approve)]],
  ['the approval as a link code', (w) => [command(`approve-${w.pay.id}`.slice(0, 40))]],
  ['another command', (w) => [interaction(2, { name: 'approve', options: [{ value: w.pay.id }] })]],
  ['a modal without a reason that is needed', (w) => [submitted(w.modal.custom_id, ' ')]],
  [
    'a modal of another account',
    (w) => [submitted(w.modal.custom_id, 'x', { user: userOf(FINN) })],
  ],
  ['a modal that was never shown', () => [submitted(`m:${'d'.repeat(22)}`, 'x')]],
  ['the name of a card as a modal', (w) => [submitted(`m:${w.approve.slice(2)}`, 'x')]],
  ['the button of a card as a modal', (w) => [submitted(w.approve, 'x')]],
]

const ALL = [
  ...SIGNATURES.map(([name, make]) => [`signature: ${name}`, make, 401] as const),
  ...ACCOUNTS.map(([name, make]) => [`account: ${name}`, make, 200] as const),
  ...ANSWERS.map(([name, make]) => [`answer: ${name}`, make, 200] as const),
]

promise(
  ['CS-DISC-2', 'CS-DISC-3', 'CS-CHAN-5'],
  'forged, stale and confused interactions of Discord decide nothing',
  async () => {
    expect(ALL.length).toBeGreaterThanOrEqual(60)
    const world = await forgeable()
    for (const [name, make, status] of ALL) {
      const [payload, headers] = make(world)
      const given = await world.post(payload, headers)
      expect(given.status, name).toBe(status)
      for (const { id } of [world.pay, world.other, world.strict, world.why, world.team]) {
        const approval = await world.store.get(id)
        expect([approval?.status, approval?.decisions.length], name).toEqual(['pending', 0])
      }
    }
    // Nothing of it was refused because it could not have worked: the same answers, unforged, decide.
    await world.post(world.yes())
    expect(await world.statusOf(world.pay.id)).toBe('approved')
    await world.post(submitted(world.modal.custom_id, 'budgeted'))
    expect(await world.statusOf(world.why.id)).toBe('approved')
  },
)

promise(
  ['CS-DISC-2', 'CS-CHAN-5'],
  'a card of Discord that is stale, or of a person who lost their link, decides nothing',
  async () => {
    const world = await forgeable()
    const { ask, open, click, send, fay, statusOf, store, person, post } = world
    // The call was edited since: the card is about another digest.
    const joint = await ask('joint', { amount: 5 })
    const card = await open(joint.id)
    const finn = await person('finn@example.com')
    const body = { verdict: 'approve', digest: joint.digest, edit: { arguments: { amount: 6 } } }
    expect((await send(`/v1/approvals/${joint.id}/decisions`, { as: finn, body })).status).toBe(200)
    expect(textOf(await click(card, 'Approve'))).toMatch(/another call|look again|changed|edited/i)
    expect(
      (await store.get(joint.id))?.decisions.filter(({ by }) => by.subject.includes('fay')),
    ).toEqual([])
    // The link ended while the card and the modal were open.
    const links = (await send('/v1/channel-links', { as: fay })).body as { links: { id: string }[] }
    for (const { id } of links.links) {
      await send(`/v1/channel-links/${id}`, { as: fay, method: 'DELETE' })
    }
    expect(textOf(await click(world.card, 'Approve'))).toMatch(/answers for no person/)
    const { answer } = await post(submitted(world.modal.custom_id, 'x'))
    expect(textOf(answer)).toMatch(/answers for no person/)
    expect(textOf({ data: cardOf(answer) })).not.toContain('Lena')
    expect(await statusOf(world.pay.id)).toBe('pending')
    expect(await statusOf(world.why.id)).toBe('pending')
  },
)

promise(
  ['CS-DISC-2', 'CS-DISC-7'],
  'the same answer to Discord, replayed and at once, counts once and is answered once',
  async () => {
    const { yes, post, store, pay, message } = await forgeable()
    const answer = yes()
    const again = () => post({ ...answer, id: nextId() })
    const all = await Promise.all([post(answer), post(answer), again(), again()])
    expect(all.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 401])
    await again()
    const approval = await store.get(pay.id)
    expect([approval?.status, approval?.decisions.length]).toEqual(['approved', 1])
    // A recorded request shows the call to no second sender.
    const opened = press(message, idOf(message, 'Read and decide'))
    expect((await post(opened)).status).toBe(200)
    expect((await post(opened)).status).toBe(401)
  },
)
