import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { mail } from '../../src/channels/mail/mail.ts'
import { createMailBatches } from '../../src/channels/mail/mail-batches.ts'
import { digestText, mailText } from '../../src/channels/mail/mail-text.ts'
import { internals } from '../../src/gate/internals.ts'
import { NotDelivered, type Notice } from '../../src/gate/notify/channel.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { HOST, running } from '../server/harness.ts'
import { promise } from '../support/promise.ts'
import { POLICY } from './chat-world.ts'
import { mailServer } from './fake-mail.ts'

async function mailing(share: 'name' | 'message' = 'message') {
  const clock = fakeClock()
  const { mails, state, smtp } = await mailServer()
  const own = running({
    policy: POLICY,
    store: memoryStore({ clock: clock.now }),
    publicUrl: new URL(`http://${HOST}/`),
    channels: [mail({ smtp, from: 'Countersign <no-reply@sign.example.com>', share })],
  })
  const bot = await own.agent('biller')
  const fay = await own.person('fay@example.com')
  const ask = async (
    tool: string,
    args: object = { amount: 500, to: 'Lena', card: 'canary-4111' },
  ) => {
    const body = { tool, run: 'r', key: crypto.randomUUID(), args }
    const answer = await own.send('/v1/calls', { as: bot, body })
    return { id: answer.at('id'), digest: answer.at('digest') }
  }
  const deny = ({ id, digest }: { id: string; digest: string }) =>
    own.send(`/v1/approvals/${id}/decisions`, { as: fay, body: { verdict: 'deny', digest } })
  return { ...own, mails, state, clock, ask, deny }
}

promise(
  ['CS-MAIL-1', 'CS-CHAN-7'],
  'a question and its end are one thread; no link in it decides',
  async () => {
    const { ask, deny, mails, server, store } = await mailing()
    const asked = await ask('pay', {
      amount: 5,
      to: '<script>alert(1)</script>\u202e',
      card: 'canary-4111',
    })
    await vi.waitFor(() => expect(mails).toHaveLength(1), 10_000)
    const [first] = mails
    expect(first?.subject).toBe('L3: pay waits for your decision')
    expect(first?.to).toMatchObject([{ address: 'fay@example.com' }])
    expect(first?.text).toContain(`http://${HOST}/approvals/${asked.id}`)
    expect(first?.text).toContain('Answering this mail does nothing.')
    expect(first?.html).not.toContain('<script>')
    expect(JSON.stringify(mails)).not.toMatch(/canary|\u202e/)
    expect(first?.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated')
    const links = [...`${first?.text} ${first?.html}`.matchAll(/https?:\/\/[^\s"<]+/g)].map(
      ([url]) => url,
    )
    expect(new Set(links)).toEqual(new Set([`http://${HOST}/approvals/${asked.id}`]))
    // A scanner that opens every link, with every method it likes, decides nothing and signs in nobody.
    for (const method of ['GET', 'HEAD', 'POST']) {
      const answer = await server.app.request(`/approvals/${asked.id}`, {
        method,
        headers: { host: HOST },
      })
      expect(answer.headers.get('set-cookie')).toBeNull()
    }
    expect((await store.get(asked.id))?.status).toBe('pending')
    await deny(asked)
    await server.gate[internals].idle()
    await vi.waitFor(() => expect(mails).toHaveLength(2), 10_000)
    expect(mails[1]?.subject).toBe('Re: L3: pay waits for your decision')
    expect(mails[1]?.inReplyTo).toBe(first?.messageId)
    expect(mails[1]?.text).toMatch(/^pay: denied\.\nDecided by fay@example\.com, .* GMT\.\n/)
  },
)

promise(['CS-CHAN-2'], 'with `name` no argument is mailed', async () => {
  const { ask, mails } = await mailing('name')
  await ask('pay')
  await ask('plain')
  await vi.waitFor(() => expect(mails.length).toBeGreaterThan(0), 10_000)
  expect(JSON.stringify(mails)).not.toMatch(/Lena|500|canary/)
})

promise(['CS-MAIL-2'], 'many at once come as digests, and none is lost', async () => {
  const { ask, mails, state, server, store, clock } = await mailing()
  // The mail server is away while thirty calls are asked about.
  state.refuse.set('fay@example.com', { code: 451, times: Number.POSITIVE_INFINITY })
  const ids = await Promise.all(Array.from({ length: 30 }, async () => (await ask('pay')).id))
  await server.gate[internals].idle()
  expect((await store.outbox.summary()).waiting).toBe(30)
  state.refuse.clear()
  clock.advance(7_200_000 / 4)
  await server.gate[internals].idle()
  const said = mails.map(({ text }) => text).join('\n')
  expect(ids.filter((id) => !said.includes(id))).toEqual([])
  expect(mails.length).toBeLessThanOrEqual(5)
  expect(mails[0]?.subject).toBe('8 calls wait for your decision')
})

test('an address gets five mails in ten minutes; the rest waits, and comes together', async () => {
  let now = 0
  const sent: number[] = []
  const batches = createMailBatches(async (_, notices) => void sent.push(notices.length), {
    now: () => now,
    together: 1,
  })
  const notice = {} as Notice
  for (let one = 0; one < 5; one++) await batches.add('a@example.com', notice)
  await expect(batches.add('a@example.com', notice)).rejects.toThrow(NotDelivered)
  await batches.add('b@example.com', notice)
  now = 600_000
  await Promise.all(Array.from({ length: 7 }, () => batches.add('a@example.com', notice)))
  expect(sent).toEqual([1, 1, 1, 1, 1, 1, 7])
})

promise(
  ['CS-MAIL-3'],
  'what the mail server refuses for now is tried again; an unknown address is given up',
  async () => {
    const { ask, mails, state, store, server, clock } = await mailing()
    state.refuse.set('fay@example.com', { code: 451, times: 1 })
    await ask('pay')
    await vi.waitFor(async () => {
      const [notice] = (await store.outbox.summary()).notices
      expect(notice?.problem).toBe('the mail server answered 451')
    }, 10_000)
    clock.advance(5_000)
    await server.gate[internals].idle()
    await vi.waitFor(() => expect(mails).toHaveLength(1), 10_000)
    state.refuse.set('fay@example.com', { code: 550, times: 99 })
    await ask('plain')
    await vi.waitFor(async () => expect((await store.outbox.summary()).waiting).toBe(0), 10_000)
    expect((await store.outbox.summary()).stuck).toBe(0)
  },
)

test.each([
  ['no mail server', 'https://smtp.example.com', 'a@example.com'],
  ['a sender without a domain', 'smtps://smtp.example.com', 'Countersign'],
  [
    'a sender with another header',
    'smtps://smtp.example.com',
    'a@example.com\r\nBcc: eve@example.com',
  ],
])('%s is refused at once', (_, smtp, from) => {
  expect(() => mail({ smtp, from })).toThrow(expect.objectContaining({ code: 'usage' }))
})

promise(
  ['CS-CHAN-2'],
  'a person who was removed does not hear what the call was changed to',
  async () => {
    const { ask, mails, server, send, person } = await mailing()
    const [fay, root] = [
      await person('fay@example.com'),
      await person('root@example.com', ['admin']),
    ]
    await person('finn@example.com')
    const asked = await ask('joint')
    await vi.waitFor(() => expect(mails).toHaveLength(2), 10_000)
    const { people } = (await send('/v1/people', { as: root })).body as {
      people: { id: string; email: string }[]
    }
    const { id } = people.find(({ email }) => email === 'finn@example.com') ?? {}
    expect((await send(`/v1/people/${id}`, { as: root, method: 'DELETE' })).status).toBe(200)
    const edit = { arguments: { amount: 31_337, to: 'Lena', card: 'canary-4111' } }
    const body = { verdict: 'approve', digest: asked.digest, edit }
    const edited = await send(`/v1/approvals/${asked.id}/decisions`, { as: fay, body })
    expect(edited.status).toBe(200)
    await server.gate[internals].idle()
    const told = mails.filter(({ to }) => JSON.stringify(to).includes('finn@example.com'))
    expect(JSON.stringify(told)).not.toMatch(/31.?337/)
    expect(told).toHaveLength(1)
  },
)

promise(['CS-MAIL-2'], 'five mails in any ten minutes, also while they are under way', async () => {
  let now = 0
  const sent: number[] = []
  const slow = Promise.withResolvers<void>()
  const batches = createMailBatches(
    async () => {
      sent.push(now)
      await slow.promise
    },
    { now: () => now, together: 1 },
  )
  const notice = {} as Notice
  const under: Promise<void>[] = []
  for (let one = 1; one <= 5; one++) {
    under.push(batches.add('a@example.com', notice))
    await vi.waitFor(() => expect(sent).toHaveLength(one))
  }
  const sixth = batches.add('a@example.com', notice)
  await expect(Promise.race([sixth, sleep(200)])).rejects.toThrow(NotDelivered)
  slow.resolve()
  await Promise.all(under)
  now = 599_000
  await expect(batches.add('a@example.com', notice)).rejects.toThrow(NotDelivered)
  now = 600_000
  for (let one = 0; one < 5; one++) await batches.add('a@example.com', notice)
  expect(sent).toHaveLength(10)
})

promise(['CS-MAIL-2'], 'the ten minutes begin with each mail', async () => {
  let now = 0
  const sent: number[] = []
  const batches = createMailBatches(async () => void sent.push(now), {
    now: () => now,
    together: 1,
  })
  for (const at of [0, 590, 591, 592, 593, 601, 602, 603]) {
    now = at * 1_000
    await batches.add('a@example.com', {} as Notice).catch(() => {})
  }
  expect(sent.filter((at) => at > 3_000 && at <= 603_000).length).toBeLessThanOrEqual(5)
})

test('a mail says no more than is true', () => {
  const approval = { tool: 'pay', agent: 'biller', status: 'pending', risk: 'L3', message: '' }
  const question = {
    id: 'n',
    kind: 'asked',
    question: true,
    approval: { ...approval, decideBy: 0 },
  }
  const of = (change: object) => ({ ...question, ...change }) as unknown as Notice
  const guessed = of({ approval: { ...question.approval, riskGuessed: true } })
  expect(mailText(guessed).subject).toBe('L3?: pay waits for your decision')
  const over = { ...question.approval, status: 'approved' }
  const ran = of({
    kind: 'succeeded',
    question: false,
    approval: { ...over, execution: 'succeeded' },
  })
  // Who was never asked.
  expect(mailText(ran, false).subject).toBe('L3: pay: approved, succeeded')
  expect(digestText([ran, ran]).subject).toBe('News of 2 calls')
  expect(digestText([guessed, ran]).subject).toBe('1 call waits for your decision')
  const says = 'finance needs 2, only bo@example.com is left'
  const short = of({ kind: 'unreachable', question: false, unreachable: { rule: 'r', says } })
  expect(mailText(short, false).text).toContain(`pay lacks eligible approvers: ${says}.`)
  expect(mailText(short, false).subject).toBe('L3: pay lacks eligible approvers')
})

test('an address with a comma in it is one address', async () => {
  const { mails, smtp } = await mailServer()
  const channel = mail({ smtp, from: 'Countersign <no-reply@sign.example.com>' })
  const approval = { id: 'a', tool: 'pay', agent: 'biller', status: 'pending', message: '' }
  const asked = { id: 'n', kind: 'asked', question: true, approval: { ...approval, decideBy: 0 } }
  const notice = asked as unknown as Notice
  const to = { address: 'fay@example.com,eve@example.com', settles: false, repeated: false }
  await Promise.resolve(channel.send(notice, new AbortController().signal, to)).catch(() => {})
  expect(mails.flatMap((one) => one.to ?? []).map(({ address }) => address)).not.toContain(
    'eve@example.com',
  )
})
