import { expect, test } from 'vitest'
import type { Channel } from '../../src/gate/notify/channel.ts'
import type { ChannelHost } from '../../src/gate/notify/channel-host.ts'
import { readLinkCode } from '../../src/server/channels/link-codes.ts'
import { createLinks, LINK_MS } from '../../src/server/channels/links.ts'
import { createMembership } from '../../src/server/identity/membership.ts'
import { accountKey } from '../../src/server/identity/people.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { promise } from '../support/promise.ts'
import { running, type Sender } from './harness.ts'

const POLICY = `version: 1
people: { groups: { finance: [fay@example.com, finn@example.com] } }
tools:
  pay: { secrets: [card], approval: { approvers: ["*"] } }
  wire: { approval: { approvers: ["*"], min_assurance: signed-in } }
  both: { approval: { quorum: [{ group: finance, n: 2 }] } }
`
const FAY = { workspace: 'T1', id: 'U-FAY' }

/** A server with a chat in which nothing is checked: what it proves is the test's to say. */
async function chatting() {
  const clock = fakeClock()
  const hosts = new Map<string, ChannelHost>()
  const chat = (name: string): Channel => ({
    name,
    linking: { title: name, where: 'to the bot' },
    async send() {},
    connect(host) {
      hosts.set(name, host)
      return () => {}
    },
    receive: async (request) => Response.json({ body: await request.text() }),
  })
  const store = memoryStore({ clock: clock.now })
  const own = running({ policy: POLICY, store, channels: [chat('chat'), chat('other')] })
  const host = hosts.get('chat')
  const other = hosts.get('other')
  if (!host || !other) throw new Error('the channel was not connected')
  const bot = await own.agent('bot')
  const fay = await own.person('fay@example.com')
  const code = async (as: Sender, channel = 'chat') =>
    (await own.send('/v1/channel-links/codes', { as, body: { channel } })).at('code')
  const listOf = async (as: Sender) =>
    (await own.send('/v1/channel-links', { as })).body as {
      links: { id: string; account: string; name: string; until: number }[]
      waiting: { id: string; account: string; name: string }[]
    }
  const confirm = (as: Sender, id: string) =>
    own.send(`/v1/channel-links/${id}/confirm`, { as, body: {} })
  const link = async (as: Sender = fay, from = FAY) => {
    await host.claimLink({ ...from, name: 'fay' }, await code(as))
    const [claim] = (await listOf(as)).waiting
    return confirm(as, claim?.id ?? '')
  }
  const ask = async (tool: string, args: object = { to: 'Lena', card: 'canary-4111' }) => {
    const body = { tool, run: 'r', key: crypto.randomUUID(), args }
    const answer = await own.send('/v1/calls', { as: bot, body })
    return { approval: answer.at('id'), seen: answer.at('digest') }
  }
  return { ...own, clock, host, other, fay, code, listOf, confirm, link, ask }
}

promise(
  ['CS-CHAN-3', 'CS-CHAN-5'],
  'a code from the inbox, sent from the account and confirmed in the inbox, lets it answer',
  async () => {
    const { host, fay, link, listOf, ask, server } = await chatting()
    const asked = await ask('pay')
    const answer = { ...asked, verdict: 'approve' } as const
    await expect(host.decide(FAY, answer)).rejects.toMatchObject({ code: 'not_linked' })
    expect((await link()).status).toBe(201)
    expect((await listOf(fay)).links).toMatchObject([{ account: 'U-FAY', name: 'fay' }])
    const decided = await host.decide(FAY, answer)
    expect(decided).toMatchObject({
      status: 'approved',
      decisions: [{ by: { assurance: 'chat' } }],
    })
    expect(decided.decisions[0]?.by.email).toBe('fay@example.com')
    // The same answer again changes nothing.
    const again = await host.decide(FAY, answer).catch((error: unknown) => error)
    expect(again).toMatchObject({ decisions: [{}] })
    const shown = await server.gate.approvals.get(asked.approval)
    expect(shown?.approval.decisions.length).toBe(1)
  },
)

promise(
  ['CS-CHAN-3'],
  'before the person confirms it, an account that sent a code decides nothing',
  async () => {
    const { host, fay, code, ask, listOf } = await chatting()
    await host.claimLink({ ...FAY, name: 'mallory' }, await code(fay))
    const answer = { ...(await ask('pay')), verdict: 'approve' } as const
    await expect(host.decide(FAY, answer)).rejects.toMatchObject({ code: 'not_linked' })
    await expect(host.card(FAY, answer.approval)).rejects.toMatchObject({ code: 'not_linked' })
    expect(await host.accountsOf({ issuer: 'countersign', subject: 'fay@example.com' })).toEqual([])
    expect((await listOf(fay)).links).toEqual([])
  },
)

promise(
  ['CS-CHAN-3'],
  'only the person who made the code can confirm, and each code works once',
  async () => {
    const { host, other, fay, code, confirm, listOf, person, clock } = await chatting()
    const finn = await person('finn@example.com')
    const made = await code(fay)
    // A code of one channel is nothing in another.
    await expect(other.claimLink({ ...FAY, name: 'fay' }, made)).rejects.toMatchObject({
      code: 'link_unknown',
    })
    await host.claimLink({ ...FAY, name: 'fay' }, made.toLowerCase().replaceAll('-', ' '))
    await expect(host.claimLink({ ...FAY, name: 'fay' }, made)).rejects.toMatchObject({
      code: 'link_unknown',
    })
    const [claim] = (await listOf(fay)).waiting
    expect((await listOf(finn)).waiting).toEqual([])
    expect((await confirm(finn, claim?.id ?? '')).at('error.code')).toBe('link_unknown')
    expect((await confirm(fay, claim?.id ?? '')).status).toBe(201)
    expect((await confirm(fay, claim?.id ?? '')).at('error.code')).toBe('link_unknown')
    const late = await code(fay)
    clock.advance(10 * 60_000)
    await expect(host.claimLink({ ...FAY, name: 'fay' }, late)).rejects.toMatchObject({
      code: 'link_unknown',
    })
  },
)

promise(['CS-CHAN-3'], 'one account never answers for two people', async () => {
  const { host, fay, link, code, confirm, listOf, person } = await chatting()
  await link()
  const finn = await person('finn@example.com')
  await host.claimLink({ ...FAY, name: 'fay' }, await code(finn))
  const [claim] = (await listOf(finn)).waiting
  expect((await confirm(finn, claim?.id ?? '')).at('error.code')).toBe('link_unknown')
  expect((await listOf(fay)).links.length).toBe(1)
  expect((await listOf(finn)).links).toEqual([])
})

promise(['CS-CHAN-3'], 'an old session makes and confirms nothing', async () => {
  const { clock, fay, send, code, host, listOf, confirm } = await chatting()
  await host.claimLink({ ...FAY, name: 'fay' }, await code(fay))
  const [claim] = (await listOf(fay)).waiting
  clock.advance(9 * 60_000)
  const made = await code(fay)
  await host.claimLink({ ...FAY, name: 'fay' }, made)
  clock.advance(7 * 60_000)
  expect((await confirm(fay, claim?.id ?? '')).at('error.code')).toBe('signin_too_old')
  const refused = await send('/v1/channel-links/codes', { as: fay, body: { channel: 'chat' } })
  expect(refused.at('error.code')).toBe('signin_too_old')
})

promise.each(
  ['CS-CHAN-4'],
  'a link ends',
  [
    ['after 90 days', async ({ clock }) => clock.advance(LINK_MS + 1)],
    [
      'when its person ends it',
      async ({ send, fay, listOf }) => {
        const [own] = (await listOf(fay)).links
        expect(
          (await send(`/v1/channel-links/${own?.id}`, { as: fay, method: 'DELETE' })).status,
        ).toBe(204)
      },
    ],
    [
      'when an admin ends it',
      async ({ send, fay, listOf, person }) => {
        const admin = await person('root@example.com', ['admin'])
        const [own] = (await listOf(fay)).links
        expect(
          (await send(`/v1/channel-links/${own?.id}`, { as: admin, method: 'DELETE' })).status,
        ).toBe(204)
      },
    ],
    [
      'when the person is removed',
      async ({ send, person }) => {
        const admin = await person('root@example.com', ['admin'])
        const { people } = (await send('/v1/people', { as: admin })).body as {
          people: { id: string; email: string }[]
        }
        const { id } = people.find(({ email }) => email === 'fay@example.com') ?? {}
        expect((await send(`/v1/people/${id}`, { as: admin, method: 'DELETE' })).status).toBe(200)
        // Removed and added again: still not linked.
        const body = { email: 'fay@example.com', roles: ['approver'] }
        expect((await send('/v1/people', { as: admin, body })).status).toBe(201)
      },
    ],
    [
      'when the person was locked, also after the lock was lifted',
      async ({ send, person }) => {
        const admin = await person('root@example.com', ['admin'])
        const { people } = (await send('/v1/people', { as: admin })).body as {
          people: { issuer: string; subject: string; email: string }[]
        }
        const found = people.find(({ email }) => email === 'fay@example.com')
        const target = { person: { issuer: found?.issuer, subject: found?.subject } }
        const set = await send('/v1/locks', { as: admin, body: { target, reason: 'away' } })
        expect(set.status).toBe(201)
        const lifted = await send(`/v1/locks/${set.at('id')}`, { as: admin, method: 'DELETE' })
        expect(lifted.status).toBe(200)
      },
    ],
  ] satisfies [string, (own: Awaited<ReturnType<typeof chatting>>) => Promise<unknown>][],
  async (_, end) => {
    const own = await chatting()
    await own.link()
    const answer = { ...(await own.ask('pay')), verdict: 'approve' } as const
    await end(own)
    await expect(own.host.decide(FAY, answer)).rejects.toMatchObject({ code: 'not_linked' })
  },
)

promise(['CS-CHAN-4'], 'linking and unlinking are on record, by ids alone', async () => {
  const { store, send, fay, link, listOf } = await chatting()
  await link()
  const [own] = (await listOf(fay)).links
  await send(`/v1/channel-links/${own?.id}`, { as: fay, method: 'DELETE' })
  const { entries } = await store.eventsSince('start')
  const told = entries.map(({ event }) => event).filter(({ type }) => type.startsWith('channel.'))
  expect(told.map(({ type }) => type)).toEqual(['channel.linked', 'channel.unlinked'])
  expect(told[0]).toMatchObject({
    facts: { channel: 'chat', workspace: 'T1', account: 'U-FAY', subject: 'fay@example.com' },
  })
})

promise.each(
  ['CS-CHAN-5'],
  'the gate judges an answer from a chat as any other',
  [
    ['another workspace', 'pay', { workspace: 'T2' }, {}, 'not_linked'],
    ['another account', 'pay', { id: 'U-FAX' }, {}, 'not_linked'],
    ['a digest that was not shown', 'pay', {}, { seen: '0'.repeat(64) }, 'call_changed'],
    ['an approval that is none', 'pay', {}, { approval: 'nope' }, 'approval_not_found'],
    ['a rule that wants a sign-in', 'wire', {}, {}, 'assurance_too_low'],
  ] as const,
  async (_, tool, from, change, code) => {
    const { host, link, ask } = await chatting()
    await link()
    const answer = { ...(await ask(tool)), verdict: 'approve', ...change } as const
    await expect(host.decide({ ...FAY, ...from }, answer)).rejects.toMatchObject({ code })
  },
)

promise(['CS-CHAN-5'], 'the same account in another channel is another account', async () => {
  const { other, link, ask } = await chatting()
  await link()
  const answer = { ...(await ask('pay')), verdict: 'approve' } as const
  await expect(other.decide(FAY, answer)).rejects.toMatchObject({ code: 'not_linked' })
})

promise(
  ['CS-CHAN-5'],
  'one person fills one place of a quorum, in the chat and in the inbox',
  async () => {
    const { host, fay, link, ask, send } = await chatting()
    await link()
    const asked = await ask('both')
    expect((await host.decide(FAY, { ...asked, verdict: 'approve' })).status).toBe('pending')
    const body = { verdict: 'approve', digest: asked.seen }
    await send(`/v1/approvals/${asked.approval}/decisions`, { as: fay, body })
    const card = await send(`/v1/approvals/${asked.approval}`, { as: fay })
    expect(card.at('status')).toBe('pending')
  },
)

promise(
  ['CS-CHAN-2', 'CS-CHAN-5'],
  'a card is masked, and says why a person cannot answer here',
  async () => {
    const { host, link, ask } = await chatting()
    await link()
    const { approval } = await ask('pay')
    const card = await host.card(FAY, approval)
    expect(card.refusal).toBeUndefined()
    expect(card.args).toMatchObject({ to: 'Lena' })
    expect(JSON.stringify(card)).not.toContain('canary')
    const high = await host.card(FAY, (await ask('wire')).approval)
    expect(high.refusal).toBe('A yes here needs a stronger sign-in: signed-in.')
  },
)

test('what a provider sends reaches its channel as it came, and no other', async () => {
  const { server } = await chatting()
  const body = '{"a" : 1,\n "a":2}'
  const headers = { host: '127.0.0.1:4747', 'content-type': 'text/plain' }
  const sent = await server.app.request('/v1/channels/chat', { method: 'POST', headers, body })
  expect(await sent.json()).toEqual({ body })
  const lost = await server.app.request('/v1/channels/nope', { method: 'POST', headers, body })
  expect(lost.status).toBe(404)
  const large = await server.app.request('/v1/channels/chat', {
    method: 'POST',
    headers,
    body: 'x'.repeat(1_048_577),
  })
  expect(large.status).toBe(413)
})

test('a code is read as people write it', () => {
  expect(readLinkCode(' 7k2m-q9xd-o4tb ')).toBe('7K2MQ9XD04TB')
  expect(readLinkCode('7K2M Q9XD L4TI')).toBe('7K2MQ9XD14T1')
  for (const text of ['', 'hello', '7K2M-Q9XD-04T', '7K2M-Q9XD-04TBX', '7K2M-Q9XD-04TU']) {
    expect(readLinkCode(text)).toBeUndefined()
  }
})

promise(['CS-CHAN-4'], 'a link that is ended while its account asks anew has ended', async () => {
  const { host, fay, link, code, listOf, ask, send } = await chatting()
  await link()
  await host.claimLink({ ...FAY, name: 'fay' }, await code(fay))
  const [own] = (await listOf(fay)).links
  const ended = await send(`/v1/channel-links/${own?.id}`, { as: fay, method: 'DELETE' })
  expect(ended.status).toBe(204)
  expect(await listOf(fay)).toMatchObject({ links: [], waiting: [] })
  const answer = { ...(await ask('pay')), verdict: 'approve' } as const
  await expect(host.decide(FAY, answer)).rejects.toMatchObject({ code: 'not_linked' })
})

promise(
  ['CS-CHAN-3'],
  'an account is confirmed once, and the other press is told why',
  async () => {
    const { host, fay, code, listOf, confirm } = await chatting()
    await host.claimLink({ ...FAY, name: 'fay' }, await code(fay))
    const [claim] = (await listOf(fay)).waiting
    const both = await Promise.all([confirm(fay, claim?.id ?? ''), confirm(fay, claim?.id ?? '')])
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 404])
    expect(JSON.stringify(both.map(({ body }) => body))).not.toContain('another person')
  },
)

promise(
  ['CS-CHAN-4'],
  'a person who is removed while they confirm has no link when they are added again',
  async () => {
    const store = memoryStore()
    const membership = createMembership(store)
    const by = { person: { issuer: 'countersign', subject: 'root' } }
    const fay = { issuer: 'countersign', subject: 'fay', roles: ['approver'] as const }
    await membership.set(by, fay)
    const links = createLinks({
      ...{ records: store.records, now: () => store.now() },
      async amend(amendment) {
        await membership.remove(by, accountKey(fay))
        return store.amend(amendment)
      },
    })
    const { code } = await links.makeCode(fay, 'chat')
    await links.claim('chat', { ...FAY, name: 'fay' }, code)
    const [claim] = await links.waiting(fay)
    await expect(links.confirm(fay, claim?.claim ?? '')).rejects.toMatchObject({
      code: 'link_unknown',
    })
    await membership.set(by, fay)
    expect(await links.find('chat', FAY)).toBeUndefined()
  },
)
