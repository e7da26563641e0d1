import { expect, vi } from 'vitest'
import { SHARES, type Share } from '../../src/gate/notify/channel.ts'
import { DEVICE_MS } from '../../src/server/devices/devices.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { DEVICE_RECORD, PUSH_CHANNEL } from '../../src/store/records/device-record.ts'
import { promise } from '../support/promise.ts'
import type { FakeBrowser } from '../support/push-service.ts'
import { CANARY, pushing } from './push.ts'

promise(
  ['CS-PUSH-1', 'CS-CHAN-1', 'CS-PUSH-3'],
  'an approver’s device shows the question, and it goes away when another approver decides',
  async () => {
    const { person, turnOn, ask, decide, service } = await pushing()
    const fay = await person('fay@example.com')
    const finn = await person('finn@example.com')
    const [one, other] = [(await turnOn(fay)).browser, (await turnOn(finn)).browser]
    const asked = await ask()
    await until(() => expect([one.got.length, other.got.length]).toEqual([1, 1]))
    const { payload, headers } = one.got[0] ?? nothing()
    expect(payload).toMatchObject({
      web_push: 8030,
      notification: { title: 'L3: pay waits for you', tag: `cs-${asked.id}` },
    })
    expect(payload.notification.body).toMatch(/^bot asks · decide by (\w+ \d+, )?\d\d:\d\d$/)
    expect(headers).toMatchObject({ urgency: 'high', 'content-encoding': 'aes128gcm' })
    expect(Number(headers.ttl)).toBeGreaterThan(60)
    await decide(finn, asked)
    await until(() => expect([one.shown.size, other.shown.size]).toEqual([0, 0]))
    const closing = one.got[1]
    expect(closing?.payload).toMatchObject({
      closed: true,
      notification: { title: 'pay: denied', silent: true, tag: `cs-${asked.id}` },
    })
    // A device that was off meanwhile gets the end in place of the question.
    expect(closing?.headers.topic).toBe(headers.topic)
    expect(service.refused).toEqual([])
  },
)

promise(
  ['CS-PUSH-4'],
  'a notification has no actions, and opens the card of the inbox',
  async () => {
    const { person, turnOn, ask } = await pushing({
      server: { publicUrl: new URL('https://sign.example/inbox/') },
    })
    const { browser } = await turnOn(await person('fay@example.com'))
    const { id } = await ask()
    await until(() => expect(browser.got.length).toBe(1))
    const { notification } = browser.got[0]?.payload ?? {}
    expect(notification?.navigate).toBe(`https://sign.example/inbox/approvals/${id}`)
    expect(Object.keys(notification ?? {}).sort()).toEqual([
      ...['body', 'lang', 'navigate', 'requireInteraction', 'tag', 'title'],
    ])
  },
)

promise.each(
  ['CS-CHAN-2', 'CS-TOLD-5'],
  'masked values reach no device, and arguments only in the owner’s own words',
  SHARES.map((share): [Share] => [share]),
  async (share) => {
    const { person, turnOn, ask, decide } = await pushing({ share })
    const fay = await person('fay@example.com')
    const { browser } = await turnOn(fay)
    const pay = await ask('pay')
    const plain = await ask('plain', { amount: 77_123, to: 'Zebediah', card: CANARY })
    await until(() => expect(browser.got.length).toBe(2))
    await decide(fay, pay)
    await decide(fay, plain)
    await until(() => expect(browser.got.length).toBe(4))
    const text = JSON.stringify(browser.got.map(({ payload }) => payload))
    expect(text).not.toContain(CANARY)
    expect(text).not.toMatch(/77123|77_123|Zebediah/)
    expect(text.includes('Lena')).toBe(share !== 'name')
    // Nor the push service, which sees the rest of the request.
    const seen = browser.got.map(({ headers, body }) => JSON.stringify(headers) + body.toString())
    for (const part of [CANARY, 'pay', 'Lena', pay.id]) expect(seen.join()).not.toContain(part)
  },
)

promise(['CS-PUSH-2'], 'devices of people who were not asked get nothing', async () => {
  const { person, turnOn, ask } = await pushing()
  const fay = await turnOn(await person('fay@example.com'))
  const ana = await turnOn(await person('ana@example.com'))
  const viewer = await turnOn(await person('vic@example.com', ['viewer']))
  await ask('pay')
  await until(() => expect(fay.browser.got.length).toBe(1))
  await ask('note', {})
  await until(() => expect(ana.browser.got.length).toBe(1))
  expect([fay.browser.got.length, viewer.browser.got.length]).toEqual([1, 0])
})

/** The machine may be busy; what never comes is what fails. */
const until = <T>(check: () => T | Promise<T>) => vi.waitFor(check, 10_000)

function nothing(): never {
  throw new Error('nothing was sent')
}

const ENDS = {
  'the person signs out': async ({ send, fay }) => {
    await send('/v1/session', { as: fay, method: 'DELETE' })
  },
  'an admin ends the sessions': async ({ send, admin, key }) => {
    await send(`/v1/people/${key}/sessions`, { as: admin, method: 'DELETE' })
  },
  'the person is removed': async ({ send, admin, key }) => {
    await send(`/v1/people/${key}`, { as: admin, method: 'DELETE' })
  },
  'the person is locked': async ({ send, admin }) => {
    const target = { person: { issuer: 'local', subject: 'fay@example.com' } }
    const body = { target, reason: 'lost phone' }
    expect((await send('/v1/locks', { as: admin, body })).status).toBe(201)
  },
  'the device is turned off': async ({ send, fay, id }) => {
    await send(`/v1/devices/${id}`, { as: fay, method: 'DELETE' })
  },
  'the browser is in other hands': async ({ send, person, browser }) => {
    const other = await person('mallory@example.com')
    const body = { endpoint: browser.endpoint }
    const answer = await send('/v1/devices/seen', { as: other, body })
    expect(answer.body).toEqual({})
  },
  'another person turns it on in the same browser': async ({ person, turnOn, browser }) => {
    const other = await person('mallory@example.com')
    expect((await turnOn(other, browser)).answer.status).toBe(201)
  },
  'the inbox was not opened on it for 90 days': async ({ clock, store }) => {
    clock.advance(DEVICE_MS)
    // Else the channel would be taken for one that no server has served for all this time.
    await store.outbox.open(PUSH_CHANNEL)
  },
} satisfies Record<string, (parts: EndParts) => Promise<void>>

type EndParts = Pick<
  Awaited<ReturnType<typeof pushing>>,
  'send' | 'person' | 'clock' | 'store' | 'turnOn'
> & {
  readonly fay: Awaited<ReturnType<EndParts['person']>>
  readonly admin: EndParts['fay']
  readonly key: string
  readonly id: string
  readonly browser: FakeBrowser
}

promise.each(
  ['CS-PUSH-2'],
  'a device gets nothing more',
  Object.entries<(parts: EndParts) => Promise<void>>(ENDS),
  async (_, end) => {
    const own = await pushing()
    const admin = await own.person('ada@example.com', ['admin'])
    const fay = await own.person('fay@example.com')
    const { browser, id } = await own.turnOn(fay)
    const people = (await own.send('/v1/people', { as: admin })).body as {
      people: { id: string; email?: string }[]
    }
    const key = people.people.find(({ email }) => email === 'fay@example.com')?.id ?? ''
    const first = await own.ask()
    await until(() => expect(browser.got.length).toBe(1))
    await end({ ...own, fay, admin, key, id, browser })
    const finn = await own.person('finn@example.com')
    const watch = (await own.turnOn(finn)).browser
    await own.ask()
    await until(() => expect(watch.got.length).toBe(1))
    // What it was asked before is settled without it.
    await own.decide(finn, first)
    const stuck = async () => (await own.store.outbox.summary()).notices
    await until(async () => expect(await stuck()).toEqual([]))
    expect(browser.got.length).toBe(1)
  },
)

promise.each(
  ['CS-PUSH-2'],
  'a push service that no longer knows the device is asked once',
  [
    ['404', 404],
    ['410', 410],
  ] as [string, number][],
  async (_, status) => {
    const { person, turnOn, ask, service, send } = await pushing()
    const fay = await person('fay@example.com')
    await turnOn(fay)
    service.answer = (response) => {
      response.writeHead(status).end()
      return true
    }
    await ask()
    await until(async () => {
      expect((await send('/v1/devices', { as: fay })).body).toMatchObject({ devices: [] })
    })
    await ask()
    const other = await turnOn(await person('finn@example.com'))
    service.answer = () => false
    await ask()
    await until(() => expect(other.browser.got.length).toBe(1))
    expect(service.asked).toBe(2)
  },
)

promise(
  ['CS-TOLD-1', 'CS-TOLD-4'],
  'a push service that is busy, silent or broken delays no call, and is tried again when it says',
  async () => {
    const { person, turnOn, ask, decide, service, clock, store } = await pushing({ timeout: 100 })
    const fay = await person('fay@example.com')
    const { browser } = await turnOn(fay)
    const answers = [
      (response: { writeHead: (n: number, h?: object) => { end(): void } }) =>
        response.writeHead(429, { 'retry-after': '120' }).end(),
      (response: { destroy(): void }) => response.destroy(),
      () => {},
    ]
    service.answer = (response) => {
      const next = answers.shift()
      next?.(response as never)
      return next !== undefined
    }
    const asked = await ask()
    const waits = async () => (await store.outbox.summary()).notices
    await until(async () => expect((await waits())[0]?.problem).toBe('it answered 429'))
    clock.advance(119_000)
    expect(service.asked).toBe(1)
    clock.advance(2_000)
    await until(() => expect(service.asked).toBe(2))
    await until(async () => expect((await waits())[0]?.problem).toMatch(/^it failed: /))
    clock.advance(10_000)
    await until(() => expect(service.asked).toBe(3))
    await until(async () => expect((await waits())[0]?.problem).toBe('it did not answer in time'))
    // The call is decided meanwhile: its question is sent no more, and neither is an end of it.
    expect((await decide(fay, asked)).status).toBe(200)
    clock.advance(60_000)
    await until(async () => expect(await waits()).toEqual([]))
    expect(browser.shown.size).toBe(0)
  },
  20_000,
)

promise(
  ['CS-PUSH-5'],
  'an address inside a network is refused when it is given and when a name leads there',
  async () => {
    const resolve = async () => [{ address: '169.254.169.254', family: 4 }]
    const { person, send, turnOn, browser, ask, store, service } = await pushing({
      resolve,
      allowHosts: [],
    })
    const fay = await person('fay@example.com')
    const made = browser()
    const places = [
      made.endpoint,
      'https://127.0.0.1/x',
      'https://[::1]/x',
      'https://10.0.0.7/x',
      'https://169.254.169.254/latest/meta-data',
      'https://[::ffff:10.0.0.1]/x',
      'http://push.example.com/x',
      'https://u:p@push.example.com/x',
      'file:///etc/passwd',
      'nonsense',
    ]
    for (const endpoint of places) {
      const { answer } = await turnOn(fay, { ...made, endpoint })
      expect([endpoint, answer.status]).toEqual([endpoint, 400])
    }
    expect((await send('/v1/devices', { as: fay })).body).toMatchObject({ devices: [] })
    const { id } = await turnOn(fay, { ...made, endpoint: 'https://push.example.com/x' })
    await ask()
    await until(async () => {
      const [notice] = (await store.outbox.summary()).notices
      expect(notice?.problem).toMatch(/not on the public internet/)
    })
    const tested = await send(`/v1/devices/${id}/test`, { as: fay, method: 'POST' })
    expect(tested.at('error.code')).toBe('push_failed')
    expect(service.asked).toBe(0)
  },
)

promise(['CS-PUSH-2'], 'only its person tests, sees and removes a device', async () => {
  const { person, turnOn, send } = await pushing()
  const [fay, finn] = [await person('fay@example.com'), await person('finn@example.com', ['admin'])]
  const { browser, id } = await turnOn(fay)
  const test = (as: typeof fay) => send(`/v1/devices/${id}/test`, { as, method: 'POST' })
  expect((await test(finn)).at('error.code')).toBe('device_unknown')
  const removed = await send(`/v1/devices/${id}`, { as: finn, method: 'DELETE' })
  expect(removed.at('error.code')).toBe('device_unknown')
  expect((await send('/v1/devices', { as: finn })).body).toMatchObject({ devices: [] })
  const list = await send('/v1/devices', { as: fay })
  expect(list.body).toMatchObject({ devices: [{ id, name: 'Phone' }] })
  // What a reader of the list could send with stays in the store.
  expect(JSON.stringify(list.body)).not.toContain(browser.endpoint)
  expect(JSON.stringify(list.body)).not.toContain(browser.auth)
  expect((await test(fay)).status).toBe(204)
  expect(browser.got[0]?.payload.notification.title).toBe('Countersign reaches this device')
  for (let turn = 0; turn < 9; turn += 1) await test(fay)
  expect((await test(fay)).at('error.code')).toBe('too_many_requests')
})

promise(
  ['CS-PUSH-2'],
  'a browser that changes its subscription names the new one with its secret, once',
  async () => {
    const { person, turnOn, send, browser, ask } = await pushing()
    const { answer, browser: old } = await turnOn(await person('fay@example.com'))
    const next = browser()
    const renew = (renewal: string, was = old.endpoint) => {
      const { endpoint, p256dh, auth } = next
      return send('/v1/devices/renew', { body: { was, renewal, endpoint, p256dh, auth } })
    }
    expect((await renew('A'.repeat(43))).at('error.code')).toBe('device_unknown')
    expect((await renew(answer.at('renewal'), next.endpoint)).status).toBe(404)
    expect((await renew(answer.at('renewal'))).status).toBe(200)
    expect((await renew(answer.at('renewal'))).at('error.code')).toBe('device_unknown')
    await ask()
    await until(() => expect(next.got.length).toBe(1))
    expect(old.got.length).toBe(0)
  },
)

promise(['CS-PUSH-2'], 'a device follows its person into the next session', async () => {
  const { person, turnOn, send, ask, decide } = await pushing()
  const fay = await person('fay@example.com')
  const { browser } = await turnOn(fay)
  const later = await person('fay@example.com')
  const seen = await send('/v1/devices/seen', { as: later, body: { endpoint: browser.endpoint } })
  expect(seen.body).toMatchObject({ device: { name: 'Phone' } })
  // Signing out of the session before is not about this browser any more.
  await send('/v1/session', { as: fay, method: 'DELETE' })
  const asked = await ask()
  await until(() => expect(browser.got.length).toBe(1))
  await decide(later, asked)
  await until(() => expect(browser.shown.size).toBe(0))
})

promise.each(
  ['CS-PUSH-2'],
  'a device that is turned on or renewed at the same moment is gone as well',
  (
    ['the person signs out', 'an admin ends the sessions', 'the person is removed'] as const
  ).flatMap((name): [string, typeof name, boolean][] => [
    [`${name}, turned on`, name, false],
    [`${name}, renewed`, name, true],
  ]),
  async (_, name, isRenewal) => {
    const store = memoryStore()
    let meanwhile: (() => Promise<unknown>) | undefined
    const list: typeof store.records.list = async (kind, page) => {
      const found = await store.records.list(kind, page)
      const act = kind === DEVICE_RECORD ? meanwhile : undefined
      if (act) meanwhile = undefined
      await act?.()
      return found
    }
    const own = await pushing({ store: { ...store, records: { ...store.records, list } } })
    const admin = await own.person('ada@example.com', ['admin'])
    const fay = await own.person('fay@example.com')
    const { answer, browser, id } = await own.turnOn(fay)
    const people = (await own.send('/v1/people', { as: admin })).body as {
      people: { id: string; email?: string }[]
    }
    const key = people.people.find(({ email }) => email === 'fay@example.com')?.id ?? ''
    const { endpoint, p256dh, auth } = own.browser()
    let act: { readonly status: number } | undefined
    meanwhile = async () => {
      const renewal = { was: browser.endpoint, renewal: answer.at('renewal') }
      const body = { endpoint, p256dh, auth, ...(isRenewal ? renewal : { name: 'Tablet' }) }
      act = await own.send(isRenewal ? '/v1/devices/renew' : '/v1/devices', { as: fay, body })
    }
    await ENDS[name]({ ...own, fay, admin, key, id, browser })
    expect(act?.status).toBe(isRenewal ? 200 : 201)
    expect((await store.records.list(DEVICE_RECORD)).records).toEqual([])
  },
)

promise(['CS-PUSH-2'], 'a renewal does not take the device of another person', async () => {
  const { person, turnOn, send } = await pushing()
  const [fay, finn] = [await person('fay@example.com'), await person('finn@example.com')]
  const mine = await turnOn(finn)
  const { browser, id } = await turnOn(fay)
  const { endpoint, p256dh, auth } = browser
  const renewal = { was: mine.browser.endpoint, renewal: mine.answer.at('renewal') }
  const body = { ...renewal, endpoint, p256dh, auth }
  expect((await send('/v1/devices/renew', { body })).at('error.code')).toBe('device_unknown')
  expect((await send('/v1/devices', { as: fay })).body).toMatchObject({ devices: [{ id }] })
})
