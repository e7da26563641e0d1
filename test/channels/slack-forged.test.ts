import { expect } from 'vitest'
import { promise } from '../support/promise.ts'
import { formOf, SIGNING_SECRET, signedBySlack, TEAM } from './fake-slack.ts'
import { slackWorld } from './slack-world.ts'

type World = Awaited<ReturnType<typeof forgeable>>
type Sent = readonly [body: string, headers?: Record<string, string>]
type Forged = readonly [string, (world: World) => Sent | Promise<Sent>]

/** Fay is linked and has the modal of one call open; Finn and Eve are members, not linked. */
async function forgeable() {
  const world = await slackWorld()
  await world.link()
  const pay = await world.ask('pay')
  const other = await world.ask('plain')
  const strict = await world.ask('strict')
  const view = await world.open(pay.id)
  const named = JSON.parse(view.private_metadata ?? '') as Record<string, unknown>
  const yes = (change: object = {}) => ({ ...world.submission(view, 'approve'), ...change })
  const meta = (change: object) =>
    formOf({
      ...yes(),
      view: { ...yes().view, private_metadata: JSON.stringify({ ...named, ...change }) },
    })
  return { ...world, pay, other, strict, view, yes, meta }
}

const now = () => Math.floor(Date.now() / 1_000)
const good = (world: World) => formOf(world.yes())
const signed = (body: string, more: Parameters<typeof signedBySlack>[1] = {}) =>
  signedBySlack(body, more)

/** The right answer under a wrong signature. */
const SIGNATURES: readonly Forged[] = [
  ['no headers', (w) => [good(w), {}]],
  ['no signature', (w) => [good(w), { 'x-slack-request-timestamp': String(now()) }]],
  [
    'no time',
    (w) => [good(w), { 'x-slack-signature': signed(good(w))['x-slack-signature'] ?? '' }],
  ],
  ['another secret', (w) => [good(w), signed(good(w), { secret: 'a'.repeat(32) })]],
  ['an empty secret', (w) => [good(w), signed(good(w), { secret: '' })]],
  [
    'the secret in capitals',
    (w) => [good(w), signed(good(w), { secret: SIGNING_SECRET.toUpperCase() })],
  ],
  ['five minutes and a second old', (w) => [good(w), signed(good(w), { at: now() - 301 })]],
  ['an hour old', (w) => [good(w), signed(good(w), { at: now() - 3_600 })]],
  ['five minutes ahead', (w) => [good(w), signed(good(w), { at: now() + 310 })]],
  [
    'a time that is none',
    (w) => [good(w), { ...signed(good(w)), 'x-slack-request-timestamp': 'now' }],
  ],
  [
    'a time with a sign',
    (w) => [good(w), { ...signed(good(w)), 'x-slack-request-timestamp': `+${now()}` }],
  ],
  ['a time in milliseconds', (w) => [good(w), signed(good(w), { at: Date.now() })]],
  [
    'an old signature with a new time',
    (w) => [
      good(w),
      { ...signed(good(w), { at: now() - 400 }), 'x-slack-request-timestamp': String(now()) },
    ],
  ],
  ['one byte changed', (w) => [good(w).replace('approve', 'approvf'), signed(good(w))]],
  ['one byte more', (w) => [`${good(w)}&`, signed(good(w))]],
  ['one byte less', (w) => [good(w).slice(0, -1), signed(good(w))]],
  ['the same form, written otherwise', (w) => [good(w).replaceAll('%3A', ':'), signed(good(w))]],
  ['a byte order mark before it', (w) => [`\ufeff${good(w)}`, signed(good(w))]],
  ['a field before it', (w) => [`x=1&${good(w)}`, signed(good(w))]],
  [
    'the signature of another answer',
    (w) => [good(w), signed(formOf(w.submission(w.view, 'deny')))],
  ],
  [
    'a cut signature',
    (w) => [
      good(w),
      {
        ...signed(good(w)),
        'x-slack-signature': (signed(good(w))['x-slack-signature'] ?? '').slice(0, -2),
      },
    ],
  ],
  [
    'a longer signature',
    (w) => [
      good(w),
      { ...signed(good(w)), 'x-slack-signature': `${signed(good(w))['x-slack-signature']}00` },
    ],
  ],
  [
    'another version',
    (w) => [
      good(w),
      {
        ...signed(good(w)),
        'x-slack-signature': (signed(good(w))['x-slack-signature'] ?? '').replace('v0=', 'v1='),
      },
    ],
  ],
  ['the empty signature', (w) => [good(w), { ...signed(good(w)), 'x-slack-signature': 'v0=' }]],
  [
    'a signature in capitals',
    (w) => [
      good(w),
      {
        ...signed(good(w)),
        'x-slack-signature': (signed(good(w))['x-slack-signature'] ?? '').toUpperCase(),
      },
    ],
  ],
  [
    'two signatures',
    (w) => [
      good(w),
      { ...signed(good(w)), 'x-slack-signature': `v0=0, ${signed(good(w))['x-slack-signature']}` },
    ],
  ],
]

const user = (w: World, id: string, facts: object = {}) => {
  w.fake.users.set(id, { id, team_id: TEAM, name: id, email: 'fay@example.com', ...facts })
  return id
}
const failing = (w: World, how: 'error' | 'limit') => {
  w.fake.fail('users.info', how)
  return w
}
const of = (id: string) => ({ user: { id, team_id: TEAM } })

/** Signed by Slack, from an account that must not answer. */
const ACCOUNTS: readonly Forged[] = [
  ['a member without a link', (w) => [formOf(w.yes(of('U0EVE')))]],
  ['a member whose address is that of the approver', (w) => [formOf(w.yes(of(user(w, 'U0TWIN'))))]],
  ['an unknown user', (w) => [formOf(w.yes(of('U0NONE')))]],
  ['no user', (w) => [formOf(w.yes({ user: {} }))]],
  ['a user that is a list', (w) => [formOf(w.yes({ user: ['U0FAY'] }))]],
  ['an id of another case', (w) => [formOf(w.yes(of('u0fay')))]],
  ['an id with a space', (w) => [formOf(w.yes(of('U0FAY ')))]],
  ['another workspace', (w) => [formOf(w.yes({ team: { id: 'T0EVIL' } }))]],
  ['no workspace', (w) => [formOf(w.yes({ team: null }))]],
  [
    'a user of another workspace',
    (w) => [formOf(w.yes({ user: { id: 'U0FAY', team_id: 'T0EVIL' } }))],
  ],
  ['the workspace of an enterprise', (w) => [formOf(w.yes({ team: { id: 'E0ACME' } }))]],
  ...(
    [
      ['deleted', { deleted: true }],
      ['a bot', { is_bot: true }],
      ['a guest', { is_restricted: true }],
      ['a guest of one channel', { is_ultra_restricted: true }],
      ['a stranger of a shared channel', { is_stranger: true }],
      ['moved to another workspace', { team_id: 'T0EVIL' }],
      ['without a workspace', { team_id: undefined }],
      ['deleted in another spelling', { deleted: 'true' }],
      ['renamed by Slack', { id: 'U0OTHER' }],
    ] as const
  ).map(
    ([name, facts]): Forged => [
      `the linked account, ${name}`,
      (w) => {
        const changed = { id: 'U0FAY', team_id: TEAM, name: 'fay', ...facts }
        w.fake.users.set('U0FAY', changed as never)
        return [good(w)]
      },
    ],
  ),
  ['while Slack does not say who that is', (w) => [good(failing(w, 'error'))]],
  ['while Slack limits', (w) => [good(failing(w, 'limit'))]],
]

/** Signed by Slack, from Fay, and about something else than she read. */
const ANSWERS: readonly Forged[] = [
  ['another digest', (w) => [w.meta({ digest: '0'.repeat(64) })]],
  ['the digest of another call', (w) => [w.meta({ digest: w.other.digest })]],
  ['another call under this digest', (w) => [w.meta({ id: w.other.id })]],
  ['no digest', (w) => [w.meta({ digest: undefined })]],
  ['an empty digest', (w) => [w.meta({ digest: '' })]],
  ['a digest that is a number', (w) => [w.meta({ digest: 0 })]],
  ['a digest in capitals', (w) => [w.meta({ digest: w.pay.digest.toUpperCase() })]],
  ['a call that is none', (w) => [w.meta({ id: 'nope' })]],
  ['a call named by a path', (w) => [w.meta({ id: `../${w.pay.id}` })]],
  ['a view that was opened for another account', (w) => [w.meta({ user: 'U0FINN' })]],
  ['no account in the view', (w) => [w.meta({ user: undefined })]],
  [
    'metadata that is no JSON',
    (w) => [formOf(w.yes({ view: { ...w.yes().view, private_metadata: 'x' } }))],
  ],
  [
    'metadata that is null',
    (w) => [formOf(w.yes({ view: { ...w.yes().view, private_metadata: 'null' } }))],
  ],
  [
    'no metadata',
    (w) => [formOf(w.yes({ view: { ...w.yes().view, private_metadata: undefined } }))],
  ],
  [
    'another view of ours',
    (w) => [formOf(w.yes({ view: { ...w.yes().view, callback_id: 'cs_sentence' } }))],
  ],
  [
    'a view of another app',
    (w) => [formOf(w.yes({ view: { ...w.yes().view, callback_id: 'other' } }))],
  ],
  ['no verdict', (w) => [formOf(w.yes({ view: { ...w.yes().view, state: { values: {} } } }))]],
  ['a verdict that is none', (w) => [formOf(w.submission(w.view, 'yes'))]],
  ['a verdict with a space', (w) => [formOf(w.submission(w.view, 'approve '))]],
  ['a verdict of the prototype', (w) => [formOf(w.submission(w.view, 'constructor'))]],
  ['a rule that wants a sign-in', (w) => [w.meta({ id: w.strict.id, digest: w.strict.digest })]],
  [
    'a button that claims to approve',
    (w) => [
      formOf({ ...w.click(w.pay.id), actions: [{ action_id: 'cs_approve', value: w.pay.id }] }),
    ],
  ],
  ['a click without a modal', (w) => [formOf(w.click(w.pay.id))]],
  ['a view that was closed', (w) => [formOf({ ...w.yes(), type: 'view_closed' })]],
  ['a shortcut', (w) => [formOf({ ...w.yes(), type: 'shortcut' })]],
  ['no payload', () => ['payload=']],
  ['a payload that is no JSON', () => ['payload=%7B']],
  ['a payload that is null', () => ['payload=null']],
  ['the answer as JSON', (w) => [JSON.stringify(w.yes())]],
  [
    'the answer as an event',
    (w) => [
      JSON.stringify({ type: 'event_callback', event_id: 'e', team_id: TEAM, event: w.yes() }),
    ],
  ],
  [
    'the answer as text in the chat',
    (w) => [
      JSON.stringify({
        type: 'event_callback',
        event_id: crypto.randomUUID(),
        team_id: TEAM,
        event: {
          type: 'message',
          channel_type: 'im',
          user: 'U0FAY',
          channel: 'D0FAY',
          text: `approve ${w.pay.id}`,
        },
      }),
    ],
  ],
]

const ALL = [
  ...SIGNATURES.map(([name, make]) => [`signature: ${name}`, make, 401] as const),
  ...ACCOUNTS.map(([name, make]) => [`account: ${name}`, make, 200] as const),
  ...ANSWERS.map(([name, make]) => [`answer: ${name}`, make, 200] as const),
]

promise(
  ['CS-SLACK-2', 'CS-SLACK-3', 'CS-CHAN-5'],
  'forged, stale and confused callbacks decide nothing',
  async () => {
    expect(ALL.length).toBeGreaterThanOrEqual(60)
    const world = await forgeable()
    for (const [name, make, status] of ALL) {
      const [body, headers = signedBySlack(body)] = await make(world)
      const answered = await world.post(body, headers)
      expect(answered.status, name).toBe(status)
      for (const { id } of [world.pay, world.other, world.strict]) {
        const approval = await world.store.get(id)
        expect([approval?.status, approval?.decisions.length], name).toEqual(['pending', 0])
      }
      // Undone at once: the next one is about the next mistake alone.
      world.fake.users.set('U0FAY', {
        id: 'U0FAY',
        team_id: TEAM,
        name: 'fay',
        email: 'fay@example.com',
      })
    }
    // Nothing of it was refused because it could not have worked: the same answer, unforged, decides.
    expect(await world.post(good(world))).toEqual({ status: 200, body: {} })
    expect(await world.statusOf(world.pay.id)).toBe('approved')
  },
)

promise(
  ['CS-SLACK-2', 'CS-SLACK-7'],
  'the same answer, replayed and out of order, counts once',
  async () => {
    const world = await forgeable()
    const { pay, view, post, submission, store } = world
    const yes = formOf(submission(view, 'approve'))
    const headers = signedBySlack(yes)
    await Promise.all([post(yes, headers), post(yes, headers), post(yes)])
    await post(yes, headers)
    const approval = await store.get(pay.id)
    expect([approval?.status, approval?.decisions.length]).toEqual(['approved', 1])
    // A no that was sent earlier and arrives now takes the yes back, once: it was hers.
    const no = formOf(submission(view, 'deny'))
    await post(no)
    await post(no)
    const late = await post(yes)
    expect(late.body).toMatchObject({ response_action: 'errors' })
    expect((await store.get(pay.id))?.status).toBe('invalidated')
  },
)
