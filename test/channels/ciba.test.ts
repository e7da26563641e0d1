import { expect, vi } from 'vitest'
import { internals } from '../../src/gate/internals.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { promise } from '../support/promise.ts'
import { cibaWorld, started } from './ciba-world.ts'
import { deviceIssuer } from './device-issuer.ts'
import { failure, lyingIssuer } from './lying-issuer.ts'

promise(
  ['CS-CIBA-1', 'CS-CIBA-3'],
  'the provider asks the person on their device; their yes and their no are decisions',
  async () => {
    const issuer = await started(deviceIssuer())
    const { ask, ends, store, requests, told } = await cibaWorld(issuer.url, {
      acr: { phr: 'passkey' },
    })
    const [one, two] = [await ask('note'), await ask('note', { args: { text: 'other' } })]
    const three = await ask('strict')
    const [first, second, third] = [
      await issuer.shown(one.short),
      await issuer.shown(two.short),
      await issuer.shown(three.short),
    ]
    expect(first.params).toMatchObject({
      login_hint: 'fay',
      binding_message: `note-${one.short}`,
      acr_values: 'phr',
      requested_expiry: '300',
    })
    await Promise.all([issuer.yes(first), issuer.no(second), issuer.yes(third, { acr: 'phr' })])
    await Promise.all([
      ends(one.id, 'approved'),
      ends(two.id, 'denied'),
      ends(three.id, 'approved'),
    ])
    const [yes, no, sure] = await Promise.all([one, two, three].map(({ id }) => store.get(id)))
    const fay = { issuer: issuer.url.origin, subject: 'fay' }
    expect(yes?.decisions).toMatchObject([
      { verdict: 'approve', digest: one.digest, by: { ...fay, assurance: 'signed-in' } },
    ])
    // No token proves who pressed no.
    expect(no?.decisions).toMatchObject([{ verdict: 'deny', by: { ...fay, assurance: 'chat' } }])
    expect(sure?.decisions).toMatchObject([{ by: { ...fay, assurance: 'passkey' } }])
    await told()
    expect(await requests()).toEqual([])
    // One question for each call, whatever else people were told.
    expect(issuer.asked).toHaveLength(3)
  },
)

promise(
  ['CS-CIBA-2'],
  'what a device cannot show or say is for the inbox: risk, rating, length, reasons, forms, assurance',
  async () => {
    const issuer = await started(deviceIssuer())
    const { ask, told, statusOf, store } = await cibaWorld(issuer.url)
    const left = [
      await ask('pay'),
      await ask('unrated'),
      // An agent may rate its own call, and that makes it no harmless one.
      await ask('unrated', { risk: 'L0' }),
      await ask('note', { risk: 'L4' }),
      await ask('strict'),
      await ask('why'),
      await ask('a_tool_whose_name_is_much_too_long_for_the_screen_of_a_phone'),
      await ask('note', {
        form: { type: 'object', properties: { n: { type: 'string' } }, required: ['n'] },
      }),
    ]
    const asked = await ask('note')
    await issuer.shown(asked.short)
    await told()
    expect(issuer.asked).toHaveLength(1)
    for (const { id } of left) expect(await statusOf(id)).toBe('pending')
    expect((await store.outbox.summary()).stuck).toBe(0)
  },
)

promise(
  ['CS-CIBA-2', 'CS-CHAN-2'],
  'no argument and no masked value reaches the provider, whatever the message says',
  async () => {
    const issuer = await started(deviceIssuer())
    const { ask, ends, told, logged } = await cibaWorld(issuer.url, { maxRisk: 'L5' })
    const { id, short } = await ask('note', { args: { text: 'secret-plan', card: 'canary-4111' } })
    const shown = await issuer.shown(short)
    await issuer.yes(shown)
    await ends(id, 'approved')
    await told()
    expect(JSON.stringify(issuer.asked)).not.toMatch(/canary|secret-plan|biller/)
    expect(logged.join('\n')).not.toMatch(/canary|secret-plan/)
  },
)

promise(
  ['CS-CIBA-4', 'CS-CIBA-1'],
  'a question that ran out leaves the call to others, and a reminder may ask again',
  async () => {
    const issuer = await started(lyingIssuer())
    const skew = { ms: 0 }
    const store = memoryStore({ clock: () => Date.now() + skew.ms })
    const { ask, requests, statusOf } = await cibaWorld(issuer.url, { store })
    const { id, short } = await ask('slow')
    issuer.lies.set(short, () => failure('expired_token'))
    await vi.waitFor(
      async () => {
        const [one] = await requests()
        expect(one?.value).toMatchObject({ value: { state: 'over', expired: true } })
      },
      { timeout: 10_000, interval: 100 },
    )
    const asked = () => issuer.bodies.filter((body) => body.includes(short))
    expect([await statusOf(id), asked().length]).toEqual(['pending', 1])
    skew.ms += 3_600_000
    await vi.waitFor(() => expect(asked()).toHaveLength(2), 10_000)
    expect(await statusOf(id)).toBe('pending')
  },
  40_000,
)

promise(
  ['CS-CIBA-4', 'CS-CIBA-5'],
  'quorum and edits hold: a yes about another call counts for nothing',
  async () => {
    const issuer = await started(deviceIssuer())
    const { ask, ends, send, store, person } = await cibaWorld(issuer.url)
    const both = await ask('both')
    const [fays, finns] = await vi.waitFor(() => {
      const found = issuer.asked.filter(({ params }) =>
        params.binding_message?.includes(both.short),
      )
      expect(found.map(({ account }) => account).toSorted()).toEqual(['fay', 'finn'])
      return found.toSorted((a, b) => a.account.localeCompare(b.account))
    }, 10_000)
    if (!fays || !finns) throw new Error('not asked')
    await issuer.yes(fays)
    await vi.waitFor(async () => expect((await store.get(both.id))?.decisions).toHaveLength(1), {
      timeout: 15_000,
      interval: 100,
    })
    expect((await store.get(both.id))?.status).toBe('pending')
    // Finn edits in the inbox: what fay said was about another call, and she is asked again.
    const finn = await person('finn@example.com')
    const edit = { arguments: { text: 'other', card: 'canary-4111' } }
    const body = { verdict: 'approve', digest: both.digest, edit }
    const edited = await send(`/v1/approvals/${both.id}/decisions`, { as: finn, body })
    expect(edited.status).toBe(200)
    const digest = (await store.get(both.id))?.digest ?? ''
    const again = await issuer.shown(digest.slice(0, 8), 'fay')
    await Promise.all([issuer.yes(finns), issuer.yes(again)])
    await ends(both.id, 'approved')
    const decided = (await store.get(both.id))?.decisions.filter((one) => !one.void)
    expect(decided?.map((one) => one.digest)).toEqual([digest, digest])
  },
  40_000,
)

promise(
  ['CS-CIBA-4', 'CS-CIBA-5'],
  'decided elsewhere, removed or locked: polling stops, and a late yes counts for nothing',
  async () => {
    const issuer = await started(deviceIssuer())
    const { ask, send, store, person, requests, bot, told } = await cibaWorld(issuer.url)
    const admin = await person('root@example.com', ['admin'])
    const [gone, locked] = [await ask('note'), await ask('note', { args: { text: 'other' } })]
    const shown = await Promise.all([gone, locked].map(({ short }) => issuer.shown(short)))
    await told()
    const withdrawn = await send(`/v1/approvals/${gone.id}/withdraw`, { as: bot, method: 'POST' })
    expect(withdrawn.status).toBe(200)
    const { people } = (await send('/v1/people', { as: admin })).body as {
      people: { id: string; subject: string }[]
    }
    const fay = people.find(({ subject }) => subject === 'fay')
    const removed = await send(`/v1/people/${fay?.id}`, { as: admin, method: 'DELETE' })
    expect(removed.status).toBe(200)
    await Promise.all(shown.map((one) => issuer.yes(one)))
    await vi.waitFor(async () => expect(await requests()).toEqual([]), {
      timeout: 10_000,
      interval: 100,
    })
    for (const { id } of [gone, locked]) expect((await store.get(id))?.decisions).toEqual([])
    expect((await store.get(locked.id))?.status).toBe('pending')
  },
  40_000,
)

promise(
  ['CS-CIBA-6'],
  'two servers on one store put a question once, and poll it at the provider’s pace',
  async () => {
    const issuer = await started(deviceIssuer())
    issuer.interval = 2
    const store = memoryStore()
    const one = await cibaWorld(issuer.url, { store })
    await cibaWorld(issuer.url, { store })
    const { id, short } = await one.ask('note')
    const shown = await issuer.shown(short)
    await vi.waitFor(() => expect(issuer.polls.get(shown.id)?.length).toBeGreaterThan(1), {
      timeout: 15_000,
      interval: 100,
    })
    const times = issuer.polls.get(shown.id) ?? []
    const pauses = times.slice(1).map((at, nth) => at - (times[nth] ?? 0))
    expect(Math.min(...pauses)).toBeGreaterThan(1_900)
    await issuer.yes(shown)
    await one.ends(id, 'approved')
    expect((await store.get(id))?.decisions).toHaveLength(1)
    expect(issuer.asked).toHaveLength(1)
  },
  40_000,
)

promise(
  ['CS-CIBA-6', 'CS-CHAN-6'],
  'a provider that is away delays no call, and what it did not get is in the notices',
  async () => {
    const issuer = await started(deviceIssuer())
    const { ask, store, ends, statusOf } = await cibaWorld(issuer.url)
    issuer.cut = (path) => path === '/backchannel'
    const from = performance.now()
    const { id, short } = await ask('note')
    expect(performance.now() - from).toBeLessThan(2_000)
    await vi.waitFor(async () => {
      const { notices } = await store.outbox.summary()
      expect(notices.map(({ problem }) => problem)).toEqual([
        'the sign-in provider does not answer',
      ])
    }, 10_000)
    expect(await statusOf(id)).toBe('pending')
    issuer.cut = () => false
    const shown = await issuer.shown(short)
    // The first answers are lost on the way.
    let lost = 0
    issuer.cut = (path, at) => path === '/token' && at === 'before' && ++lost < 3
    await issuer.yes(shown)
    await ends(id, 'approved')
    expect(lost).toBeGreaterThan(2)
    expect((await store.get(id))?.decisions).toHaveLength(1)
  },
  40_000,
)

promise(
  ['CS-CIBA-6', 'CS-TOLD-1'],
  'a provider that is down for an hour delays no call, and then asks about what is still open',
  async () => {
    const issuer = await started(lyingIssuer())
    const skew = { ms: 0 }
    const store = memoryStore({ clock: () => Date.now() + skew.ms })
    const { ask, send, person, server, told } = await cibaWorld(issuer.url, { store })
    const fay = await person('fay@example.com')
    await ask('note', { args: { text: 'before' } })
    await told()
    issuer.refusal = { status: 503, body: '' }
    let slowest = 0
    for (let minute = 0; minute < 60; minute += 6) {
      const from = performance.now()
      const { id, digest } = await ask('note', { args: { text: `minute ${minute}` } })
      const body = { verdict: 'deny', digest }
      expect((await send(`/v1/approvals/${id}/decisions`, { as: fay, body })).status).toBe(200)
      slowest = Math.max(slowest, performance.now() - from)
      skew.ms += 6 * 60_000
    }
    // Less than one attempt at the provider may take.
    expect(slowest).toBeLessThan(5_000)
    const open = await ask('note', { args: { text: 'open' } })
    await server.gate[internals].idle()
    issuer.refusal = undefined
    const from = issuer.bodies.length
    for (let turn = 0; turn < 6; turn++) {
      skew.ms += 20 * 60_000
      await server.gate[internals].idle()
    }
    await told()
    expect((await store.outbox.summary()).stuck).toBe(0)
    const asked = issuer.bodies.slice(from).filter((body) => body.includes('binding_message'))
    expect(asked.map((body) => new URLSearchParams(body).get('binding_message'))).toEqual([
      `note-${open.short}`,
    ])
  },
  40_000,
)
