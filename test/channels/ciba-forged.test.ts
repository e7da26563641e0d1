import { expect, vi } from 'vitest'
import { OPERATOR } from '../../src/approval/transition.ts'
import { createMembership } from '../../src/server/identity/membership.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { Store } from '../../src/store/store.ts'
import { promise } from '../support/promise.ts'
import { liesOf } from './ciba-lies.ts'
import { cibaWorld, started } from './ciba-world.ts'
import { failure, lyingIssuer, tokens, yes } from './lying-issuer.ts'

/** What is on record as tried without the right. */
async function refusals(store: Store) {
  const { entries } = await store.eventsSince('start', 1_000)
  return entries.flatMap(({ event }) =>
    event.type === 'attempt.refused' && 'by' in event
      ? [{ by: event.by, ...event.facts, approval: event.facts?.approval as string }]
      : [],
  )
}

promise(
  ['CS-CIBA-3', 'CS-CIBA-1'],
  'forged, replayed, stale and confused answers of a provider decide nothing',
  async () => {
    const issuer = await started(lyingIssuer())
    const { ask, server, store, ends } = await cibaWorld(issuer.url)
    const cases: { readonly name: string; readonly id: string; readonly short: string }[] = []
    for (const [name, lie] of Object.entries(liesOf(issuer))) {
      const { id, short } = await ask('note', { args: { text: name } })
      issuer.lies.set(short, lie)
      cases.push({ name, id, short })
    }
    expect(cases.length).toBeGreaterThanOrEqual(60)
    const polled = () => new Set(issuer.polls.keys())
    await vi.waitFor(() => expect(polled().size).toBe(cases.length), {
      timeout: 60_000,
      interval: 200,
    })
    // None of it was refused because it could not have worked: the same question, answered, decides.
    const control = await ask('note', { args: { text: 'yes' } })
    issuer.lies.set(control.short, yes)
    await ends(control.id, 'approved')
    // With what is under way.
    await server.close()
    for (const { name, id } of cases) {
      const approval = await store.get(id)
      expect([approval?.status, approval?.decisions.length], name).toEqual(['pending', 0])
    }
    expect(issuer.bodies.join('\n')).not.toMatch(/canary/)
  },
  120_000,
)

promise(
  ['CS-CIBA-3'],
  'a question to one approver is not answered by the token of another',
  async () => {
    const issuer = await started(lyingIssuer())
    const { ask, store, server, logged } = await cibaWorld(issuer.url)
    const finn = { sub: 'finn', email: 'finn@example.com', email_verified: true }
    issuer.userinfo.set('finn', { body: finn })
    const { id, short } = await ask('both')
    // Finn may approve it as well, and said nothing.
    issuer.lies.set(short, async ({ hint, claims, sign }) =>
      hint === 'fay'
        ? tokens(await sign({ ...claims, ...finn }), { access_token: 'finn' })
        : failure('authorization_pending'),
    )
    await vi.waitFor(() => expect(logged.join('\n')).toMatch(/it names another person/), {
      timeout: 20_000,
      interval: 100,
    })
    expect((await store.get(id))?.decisions).toEqual([])
    await server.close()
    expect(await refusals(store)).toEqual([
      { by: { system: 'gate' }, at: 'the sign-in provider', code: 'signin_refused', count: 1 },
    ])
  },
  40_000,
)

promise(
  ['CS-CIBA-3', 'CS-CIBA-5', 'CS-EVIDENCE-2'],
  'an assurance comes from the signed acr and the operator’s map alone',
  async () => {
    const issuer = await started(lyingIssuer())
    const { ask, ends, store, server, logged } = await cibaWorld(issuer.url, {
      acr: { phr: 'passkey' },
    })
    const says = async (acr: unknown, more: object = {}) => {
      const made = await ask('strict', { args: { text: JSON.stringify([acr, more]) } })
      issuer.lies.set(made.short, async ({ claims, sign }) =>
        tokens(await sign({ ...claims, ...(acr === undefined ? {} : { acr }) }), more),
      )
      return made.id
    }
    issuer.userinfo.set('raised', {
      body: { sub: 'fay', email: 'fay@example.com', email_verified: true, acr: 'phr' },
    })
    const weak = [
      await says(undefined),
      await says('mfa'),
      await says('PHR'),
      await says(['phr']),
      await says('constructor'),
      await says(undefined, { access_token: 'raised' }),
    ]
    const strong = await says('phr')
    await ends(strong, 'approved')
    await vi.waitFor(
      () => {
        const refused = logged.filter((line) => line.includes('a yes here needs passkey'))
        expect(refused).toHaveLength(weak.length)
      },
      { timeout: 15_000, interval: 100 },
    )
    for (const id of weak) {
      expect([(await store.get(id))?.status, (await store.get(id))?.decisions]).toEqual([
        'pending',
        [],
      ])
    }
    await server.close()
    const by = { person: { issuer: issuer.url.origin, subject: 'fay' } }
    const said = { by, at: 'the sign-in provider', code: 'assurance_too_low', count: 1 }
    const found = await refusals(store)
    expect(found.toSorted((a, b) => weak.indexOf(a.approval) - weak.indexOf(b.approval))).toEqual(
      weak.map((approval) => ({ ...said, approval })),
    )
  },
  40_000,
)

promise(
  ['CS-CIBA-4', 'CS-CIBA-5', 'CS-CIBA-6'],
  'a yes that comes while the call ends, changes, or its person is locked decides nothing',
  async () => {
    const issuer = await started(lyingIssuer())
    const { ask, send, store, person, server, bot } = await cibaWorld(issuer.url)
    const root = await person('root@example.com', ['admin'])
    const finn = await person('finn@example.com')
    const late: string[] = []
    // Each answer is given only after something else happened: the poll is under way meanwhile.
    const during = async (
      tool: string,
      text: string,
      happens: (made: { id: string; digest: string }) => Promise<{ status: number }>,
    ) => {
      const made = await ask(tool, { args: { text, card: 'c' } })
      const done = Promise.withResolvers<number>()
      issuer.lies.set(made.short, async (polled) => {
        if (polled.nth === 1) done.resolve((await happens(made)).status)
        return yes(polled)
      })
      late.push(made.id)
      expect(await done.promise).toBeLessThan(300)
    }
    const decide = (id: string, body: object) =>
      send(`/v1/approvals/${id}/decisions`, { as: finn, body })
    await Promise.all([
      during('note', 'withdrawn', ({ id }) =>
        send(`/v1/approvals/${id}/withdraw`, { as: bot, method: 'POST' }),
      ),
      during('both', 'before', ({ id, digest }) =>
        decide(id, {
          verdict: 'approve',
          digest,
          edit: { arguments: { text: 'edited', card: 'c' } },
        }),
      ),
      during('both', 'denied', ({ id, digest }) => decide(id, { verdict: 'deny', digest })),
    ])
    await during('note', 'locked', () =>
      send('/v1/locks', {
        as: root,
        body: {
          target: { person: { issuer: issuer.url.origin, subject: 'fay' } },
          reason: 'lost her phone',
        },
      }),
    )
    await server.close()
    for (const id of late) {
      const own = (await store.get(id))?.decisions.filter(({ by }) => by.subject === 'fay')
      expect(own, id).toEqual([])
    }
  },
  40_000,
)

promise(
  ['CS-CIBA-6'],
  'slow_down makes the pause longer, and an answer that is lost is asked for once more only',
  async () => {
    const issuer = await started(lyingIssuer())
    const { ask, ends, requests, logged } = await cibaWorld(issuer.url)
    const slow = await ask('note', { args: { text: 'slow' } })
    const lost = await ask('note', { args: { text: 'lost' } })
    issuer.lies.set(slow.short, (polled) => (polled.nth === 1 ? failure('slow_down') : yes(polled)))
    issuer.lies.set(lost.short, () => failure('invalid_grant'))
    await ends(slow.id, 'approved')
    const times = issuer.polls.get(`note-${slow.short}`) ?? []
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(5_900)
    await vi.waitFor(() => expect(logged.join('\n')).toMatch(/was lost; the inbox decides/), {
      timeout: 15_000,
      interval: 100,
    })
    const asked = issuer.bodies.filter((body) => body.includes(`note-${lost.short}`))
    expect(asked).toHaveLength(2)
    const left = (await requests()).map(({ value }) => value)
    expect(left).toMatchObject([{ value: { state: 'over', expired: false } }])
  },
  40_000,
)

promise(
  ['CS-CIBA-6'],
  'a provider that refuses the question says why in the notices; one that knows no such person is asked no more',
  async () => {
    const issuer = await started(lyingIssuer())
    const { ask, store, told } = await cibaWorld(issuer.url)
    issuer.refusal = failure('unauthorized_client')
    await ask('note')
    await vi.waitFor(async () => {
      const { notices } = await store.outbox.summary()
      expect(notices.map(({ problem }) => problem)).toEqual([
        'the sign-in provider answers unauthorized_client',
      ])
    }, 10_000)
    issuer.refusal = failure('unknown_user_id')
    await told()
    const asked = () => issuer.bodies.filter((body) => body.includes('binding_message')).length
    const before = asked()
    await ask('note')
    await told()
    expect(asked()).toBe(before + 1)
  },
  40_000,
)

promise(
  ['CS-CIBA-5'],
  'groups are those of the answer, stand-ins answer for whom they stand in, and no person for their own call',
  async () => {
    const issuer = await started(lyingIssuer())
    const policy = `version: 1
people: { groups: { treasury: { claim: money }, finance: [fay@example.com], pair: [fay@example.com, finn@example.com] } }
tools:
  mint: { risk: L1, approval: { approvers: [{ group: treasury }] } }
  note: { risk: L1, approval: { approvers: [{ group: finance }] } }
  own: { risk: L1, approval: { approvers: [{ group: pair }] } }
`
    const store = memoryStore()
    const world = await cibaWorld(issuer.url, { store, policy })
    const { ask, ends, server, send, agent, logged, told, statusOf } = world
    const known = { issuer: issuer.url.origin, emailVerified: true, roles: ['approver'] as const }
    const member = { ...known, subject: 'fay', email: 'fay@example.com', claims: ['money'] }
    await createMembership(store).set(OPERATOR, member)
    // She was a member when she last signed in, and is none when she answers.
    const mint = await ask('mint')
    issuer.lies.set(mint.short, yes)
    await vi.waitFor(() => expect(logged.join()).toMatch(/not asked about approval/), {
      timeout: 10_000,
      interval: 100,
    })
    expect(await statusOf(mint.id)).toBe('pending')
    // Her own call: nothing is asked of her.
    const own = await agent('hers', { principal: 'fay@example.com' })
    const asked = await send('/v1/calls', {
      as: own,
      body: { tool: 'own', run: 'r', key: 'own', args: { text: 'own' } },
    })
    await told()
    const about = asked.at('digest').slice(0, 8)
    const hints = issuer.bodies
      .map((body) => new URLSearchParams(body))
      .filter((body) => body.get('binding_message') === `own-${about}`)
      .map((body) => body.get('login_hint'))
    expect(hints).toEqual(['finn'])
    // Finn stands in for her, and is asked in her place.
    const made = await server.credentials.sessions.create({ issuer: known.issuer, subject: 'fay' })
    const fay = { cookie: `countersign-4747=${made.secret}`, 'x-countersign-csrf': made.key }
    const until = (await store.now()) + 86_400_000
    const stood = await send('/v1/people/stand-ins', {
      as: fay,
      body: { standIn: 'finn@example.com', until, reason: 'at sea' },
    })
    expect(stood.status).toBe(201)
    const note = await ask('note', { args: { text: 'stood in' } })
    issuer.userinfo.set('finn', {
      body: { sub: 'finn', email: 'finn@example.com', email_verified: true },
    })
    issuer.lies.set(note.short, async ({ hint, claims, sign }) =>
      hint === 'finn'
        ? tokens(await sign({ ...claims, sub: 'finn', email: 'finn@example.com' }), {
            access_token: 'finn',
          })
        : failure('authorization_pending'),
    )
    await ends(note.id, 'approved')
    expect((await store.get(note.id))?.decisions).toMatchObject([
      { by: { subject: 'finn', for: [{ subject: 'fay' }] } },
    ])
  },
  40_000,
)
