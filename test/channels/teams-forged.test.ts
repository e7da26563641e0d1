import { exportSPKI, SignJWT, UnsecuredJWT } from 'jose'
import { expect } from 'vitest'
import { promise } from '../support/promise.ts'
import { APP_ID, RIGHT_PUBLIC, TENANT, type TokenChange } from './fake-teams.ts'
import {
  actionOf,
  activity,
  EVE,
  execute,
  FAY,
  FINN,
  placeOf,
  teamsWorld,
  typed,
  userOf,
} from './teams-world.ts'

type World = Awaited<ReturnType<typeof forgeable>>
type Sent = readonly [payload: unknown, headers?: Record<string, string>]
type Forged = readonly [string, (world: World) => Sent | Promise<Sent>]

/** Fay is linked and has the card of one call open; Finn is linked too, Eve is not. */
async function forgeable() {
  const world = await teamsWorld()
  const { link, ask, open, person, fake } = world
  await link()
  await link(await person('finn@example.com'), FINN)
  const pay = await ask('pay')
  const other = await ask('plain')
  const strict = await ask('strict')
  const why = await ask('why', {})
  const team = await ask('team')
  const shown = await open(pay.id)
  const joint = await open(team.id)
  const approve = actionOf(shown.card, 'Approve')
  const { note } = approve.data as { note: string }
  const yes = (more: object = {}) => execute(fake, FAY, approve, more)
  /** The verb of approval, with other data. */
  const data = (given: unknown) => execute(fake, FAY, { verb: 'cs_approve', data: given })
  const action = (given: unknown) => yes({ value: { action: given } })
  return { ...world, pay, other, strict, why, team, joint, shown, approve, note, yes, data, action }
}

const now = () => Math.floor(Date.now() / 1_000)
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const under = (change: TokenChange) => async (w: World) =>
  [w.yes(), bearer(await w.fake.token(change))] as const
const claims = (change: NonNullable<TokenChange['claims']>) => under({ claims: change })

/** The right answer under a wrong token. */
const TOKENS: readonly Forged[] = [
  ['no header', (w) => [w.yes(), {}]],
  ['an empty header', (w) => [w.yes(), { authorization: '' }]],
  ['an empty bearer', (w) => [w.yes(), { authorization: 'Bearer ' }]],
  ['a bearer that is no token', (w) => [w.yes(), bearer('nope')]],
  ['another scheme', async (w) => [w.yes(), { authorization: `Basic ${await w.fake.token()}` }]],
  ['a token without a scheme', async (w) => [w.yes(), { authorization: await w.fake.token() }]],
  [
    'two tokens',
    async (w) => [w.yes(), { authorization: `Bearer x, Bearer ${await w.fake.token()}` }],
  ],
  ['another bot', claims({ aud: '0a1b2c3d-0000-4000-8000-000000000002' })],
  ['no bot', claims({ aud: undefined })],
  ['another issuer', claims({ iss: 'https://sts.windows.net/' })],
  ['an issuer with a slash', claims({ iss: 'https://api.botframework.com/' })],
  ['no issuer', claims({ iss: undefined })],
  ['five minutes and more past its end', claims({ exp: now() - 310 })],
  ['an hour past its end', claims({ exp: now() - 3_600 })],
  ['no end', claims({ exp: undefined })],
  ['an end that is a text', claims({ exp: '9999999999' as never })],
  ['not yet', claims({ nbf: now() + 3_600 })],
  ['another service', claims({ serviceurl: 'https://smba.trafficmanager.net/emea/' })],
  ['no service', claims({ serviceurl: undefined })],
  ['a service that is a list', claims({ serviceurl: ['x'] })],
  ['a key of another channel', under({ key: 'other' })],
  ['a key that is not published', under({ key: 'unpublished' })],
  ['a key under the name of another', under({ key: 'unpublished', kid: 'right' })],
  ['the key of another channel under the name of ours', under({ key: 'other', kid: 'right' })],
  ['another algorithm of the same key', under({ alg: 'PS256' })],
  ['a longer hash of the same key', under({ alg: 'RS512' })],
  [
    'no signature',
    (w) => [
      w.yes(),
      bearer(
        new UnsecuredJWT({ serviceurl: w.fake.serviceUrl })
          .setIssuer('https://api.botframework.com')
          .setAudience(APP_ID)
          .setExpirationTime('1h')
          .encode(),
      ),
    ],
  ],
  [
    'the public key as a secret',
    async (w) => {
      const secret = new TextEncoder().encode(await exportSPKI(RIGHT_PUBLIC))
      const token = await new SignJWT({ serviceurl: w.fake.serviceUrl })
        .setProtectedHeader({ alg: 'HS256', kid: 'right' })
        .setIssuer('https://api.botframework.com')
        .setAudience(APP_ID)
        .setExpirationTime('1h')
        .sign(secret)
      return [w.yes(), bearer(token)]
    },
  ],
  [
    'a changed claim',
    async (w) => {
      const [head, , end] = (await w.fake.token()).split('.')
      const [, body] = (await w.fake.token({ claims: { jti: 'x' } })).split('.')
      return [w.yes(), bearer(`${head}.${body}.${end}`)]
    },
  ],
  ['a cut signature', async (w) => [w.yes(), bearer((await w.fake.token()).slice(0, -3))]],
  ['a service in the body alone', (w) => [w.yes({ serviceUrl: 'https://evil.example/' })]],
  ['no service in the body', (w) => [w.yes({ serviceUrl: undefined })]],
  [
    'a service of others, in both',
    async (w) => {
      const serviceUrl = 'https://evil.example/'
      const token = await w.fake.token({ claims: { serviceurl: serviceUrl } })
      return [w.yes({ serviceUrl }), bearer(token)]
    },
  ],
  [
    'a service that only begins as ours',
    async (w) => {
      const serviceUrl = 'https://smba.trafficmanager.net.evil.example/'
      const token = await w.fake.token({ claims: { serviceurl: serviceUrl } })
      return [w.yes({ serviceUrl }), bearer(token)]
    },
  ],
  ['another channel', (w) => [w.yes({ channelId: 'directline' })]],
  ['no channel', (w) => [w.yes({ channelId: undefined })]],
  ['no id', (w) => [w.yes({ id: undefined })]],
  ['a list', (w) => [[w.yes()]]],
  ['null', () => ['null']],
  ['no JSON', () => ['{']],
  ['nothing', () => ['']],
]

const from = (w: World, change: object) =>
  w.yes({ from: { id: userOf(FAY), aadObjectId: FAY, ...change } })
const place = (w: World, change: object) =>
  w.yes({
    conversation: {
      ...{ id: placeOf(FAY), conversationType: 'personal', tenantId: TENANT },
      ...change,
    },
  })
const OTHER_TENANT = '0a1b2c3d-0000-4000-8000-00000000000b'

/** With the token, from an account or a place that must not answer. */
const ACCOUNTS: readonly Forged[] = [
  ['an account without a link', (w) => [execute(w.fake, EVE, w.approve)]],
  [
    'another approver of the same call, with the card of Fay',
    (w) => [execute(w.fake, FINN, actionOf(w.joint.card, 'Approve'))],
  ],
  ['another linked account', (w) => [execute(w.fake, FINN, w.approve)]],
  ['the id of Fay on the account of Eve', (w) => [from(w, { id: userOf(EVE) })]],
  ['the id of Eve on the account of Fay', (w) => [from(w, { aadObjectId: EVE })]],
  ['an account that is not in the chat', (w) => [from(w, { id: '29:1user-9999' })]],
  ['a bot', (w) => [from(w, { id: '28:other' })]],
  ['no account', (w) => [w.yes({ from: undefined })]],
  ['an account that is a list', (w) => [w.yes({ from: [FAY] })]],
  ['no object id', (w) => [from(w, { aadObjectId: undefined })]],
  ['an object id in capitals', (w) => [from(w, { aadObjectId: FAY.toUpperCase() })]],
  ['an object id with a space', (w) => [from(w, { aadObjectId: `${FAY} ` })]],
  ['another organisation', (w) => [w.yes({ channelData: { tenant: { id: OTHER_TENANT } } })]],
  ['no organisation', (w) => [w.yes({ channelData: {} })]],
  ['a chat of another organisation', (w) => [place(w, { tenantId: OTHER_TENANT })]],
  ['a group chat', (w) => [place(w, { conversationType: 'groupChat' })]],
  ['a channel of a team', (w) => [place(w, { conversationType: 'channel' })]],
  ['a chat of no kind', (w) => [place(w, { conversationType: undefined })]],
  ['no chat', (w) => [w.yes({ conversation: undefined })]],
  ['a message to another bot', (w) => [w.yes({ recipient: { id: '28:other' } })]],
  ['a message to no bot', (w) => [w.yes({ recipient: undefined })]],
]

/** With the token, from Fay, and about something else than she read. */
const ANSWERS: readonly Forged[] = [
  ['a name that stands for nothing', (w) => [w.data({ note: 'd'.repeat(22) })]],
  ['a name that is empty', (w) => [w.data({ note: '' })]],
  ['no name', (w) => [w.data({})]],
  ['no data', (w) => [w.data(undefined)]],
  ['data that is a text', (w) => [w.data(w.note)]],
  ['a name that is a list', (w) => [w.data({ note: [w.note] })]],
  ['a name of the prototype', (w) => [w.data({ note: 'constructor' })]],
  ['the approval as a name', (w) => [w.data({ note: w.pay.id, id: w.pay.id })]],
  ['the digest as a name', (w) => [w.data({ note: w.pay.digest, digest: w.pay.digest })]],
  ['the name in capitals', (w) => [w.data({ note: w.note.toUpperCase() })]],
  ['the name with a space', (w) => [w.data({ note: `${w.note} ` })]],
  ['the approval and its digest without a name', (w) => [w.data({ ...w.pay })]],
  ['a verb that is none', (w) => [execute(w.fake, FAY, { ...w.approve, verb: 'approve' })]],
  ['a verb in capitals', (w) => [execute(w.fake, FAY, { ...w.approve, verb: 'CS_APPROVE' })]],
  ['no verb', (w) => [execute(w.fake, FAY, { ...w.approve, verb: '' })]],
  ['a verb in the data', (w) => [w.action({ type: 'Action.Execute', data: w.approve })]],
  ['Action.Submit', (w) => [w.action({ type: 'Action.Submit', ...w.approve })]],
  ['an action without a type', (w) => [w.action(w.approve)]],
  ['no action', (w) => [w.yes({ value: {} })]],
  ['an automatic refresh', (w) => [execute(w.fake, FAY, { verb: 'cs_open', data: w.pay })]],
  [
    'a call that wants a sign-in',
    (w) => [execute(w.fake, FAY, { verb: 'cs_open', data: w.strict })],
  ],
  ['a call that is none', (w) => [execute(w.fake, FAY, { verb: 'cs_open', data: { id: 'x' } })]],
  [
    'a call named by a path',
    (w) => [execute(w.fake, FAY, { verb: 'cs_open', data: { id: `../${w.pay.id}` } })],
  ],
  ['another invoke', (w) => [w.yes({ name: 'task/submit' })]],
  ['the answer as a message', (w) => [w.yes({ type: 'message' })]],
  ['the answer as an event', (w) => [w.yes({ type: 'event' })]],
  [
    'the answer in the value of a message',
    (w) => [typed(w.fake, FAY, '', { value: w.approve.data })],
  ],
  ['the answer as text', (w) => [typed(w.fake, FAY, `approve ${w.pay.id}`)]],
  ['the name as text', (w) => [typed(w.fake, FAY, w.note)]],
  ['a reaction', (w) => [activity(w.fake, FAY, { type: 'messageReaction' })]],
]

const ALL = [
  ...TOKENS.map(([name, make]) => [`token: ${name}`, make, 401] as const),
  ...ACCOUNTS.map(([name, make]) => [`account: ${name}`, make, 200] as const),
  ...ANSWERS.map(([name, make]) => [`answer: ${name}`, make, 200] as const),
]

promise(
  ['CS-TEAMS-3', 'CS-TEAMS-4', 'CS-CHAN-5'],
  'forged, stale and confused activities of Teams decide nothing',
  async () => {
    expect(ALL.length).toBeGreaterThanOrEqual(60)
    const world = await forgeable()
    for (const [name, make, status] of ALL) {
      const [payload, headers] = await make(world)
      expect((await world.post(payload, headers)).status, name).toBe(status)
      for (const { id } of [world.pay, world.other, world.strict, world.why, world.team]) {
        const approval = await world.store.get(id)
        expect([approval?.status, approval?.decisions.length], name).toEqual(['pending', 0])
      }
    }
    // Nothing of it was refused because it could not have worked: the same answer, unforged, decides.
    expect((await world.post(world.yes())).text).toBe('It is approved.')
    expect(await world.statusOf(world.pay.id)).toBe('approved')
  },
)

promise(
  ['CS-TEAMS-3', 'CS-CHAN-5'],
  'a card of Teams that is stale, or of a person who lost their link, decides nothing',
  async () => {
    const world = await forgeable()
    const { ask, open, click, send, fay, statusOf, store, person } = world
    // The call was edited since: the card is about another digest.
    const joint = await ask('joint', { amount: 5 })
    const card = await open(joint.id)
    const finn = await person('finn@example.com')
    const body = { verdict: 'approve', digest: joint.digest, edit: { arguments: { amount: 6 } } }
    expect((await send(`/v1/approvals/${joint.id}/decisions`, { as: finn, body })).status).toBe(200)
    expect((await click(card, 'Approve')).text).toMatch(/another call|look again|changed|edited/i)
    expect(
      (await store.get(joint.id))?.decisions.filter(({ by }) => by.subject.includes('fay')),
    ).toEqual([])
    // The link ended while the card was open.
    const links = (await send('/v1/channel-links', { as: fay })).body as { links: { id: string }[] }
    for (const { id } of links.links) {
      await send(`/v1/channel-links/${id}`, { as: fay, method: 'DELETE' })
    }
    expect((await click(world.shown, 'Approve')).text).toMatch(/answers for no person/)
    expect(await statusOf(world.pay.id)).toBe('pending')
  },
)

promise(
  ['CS-TEAMS-3', 'CS-TEAMS-7'],
  'the same answer in Teams, replayed and at once, counts once and is answered once',
  async () => {
    const { yes, post, store, pay } = await forgeable()
    const answer = yes()
    const again = () => post({ ...answer, id: crypto.randomUUID() })
    const all = await Promise.all([post(answer), post(answer), again(), again()])
    expect(all.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 401])
    await again()
    const approval = await store.get(pay.id)
    expect([approval?.status, approval?.decisions.length]).toEqual(['approved', 1])
  },
)
