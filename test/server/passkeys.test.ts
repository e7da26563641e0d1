import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { recordsOf } from '../../src/gate/audit/audit-records.ts'
import { verifyAudit } from '../../src/gate/audit/audit-verify.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { openAuditLog } from '../../src/store/sqlite/audit-log.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { type Authenticator, softAuthenticator } from '../support/authenticator.ts'
import { promise } from '../support/promise.ts'
import { running, type Sender } from './harness.ts'

const POLICY = `version: 1
tools:
  wire: { approval: { approvers: ["*"], min_assurance: passkey, edit: true } }
`
const HERE = { host: 'localhost:4747' }
const ORIGIN = 'http://localhost:4747'

type Attack = [string, (of: Awaited<ReturnType<typeof asked>>) => Promise<{ code: string }>]
type Own = ReturnType<typeof running>

async function add({ send }: Own, as: Sender, authenticator: Authenticator, signing = {}) {
  const begun = await send('/v1/passkey-options', { as, body: {}, headers: HERE })
  const { options } = begun.body as { options: unknown }
  const response = authenticator.create(options, { origin: ORIGIN, ...signing })
  return send('/v1/passkeys', { as, body: { name: 'Laptop', response }, headers: HERE })
}

/** A pending call that needs a passkey, and Ana, who has one. */
async function asked(store: Store = memoryStore()) {
  const own = running({ policy: POLICY, store })
  const bot = await own.agent('bot')
  const ana = await own.person('ana@example.com')
  const key = softAuthenticator()
  expect((await add(own, ana, key)).status).toBe(201)
  const ask = async (to: string) => {
    const body = { tool: 'wire', run: 'r', key: to, args: { to } }
    const answer = await own.send('/v1/calls', { as: bot, body })
    return { id: answer.at('id'), digest: answer.at('digest') }
  }
  const begin = async (
    { id, digest }: { id: string; digest: string },
    { as = ana, ...more }: { as?: Sender; [part: string]: unknown } = {},
  ) => {
    const body = { verdict: 'approve', digest, ...more }
    const answer = await own.send(`/v1/approvals/${id}/passkey`, { as, body, headers: HERE })
    return { answer, options: (answer.body as { options?: unknown }).options }
  }
  const decide = ({ id, digest }: { id: string; digest: string }, more: object, as: Sender = ana) =>
    own.send(`/v1/approvals/${id}/decisions`, {
      as,
      body: { verdict: 'approve', digest, ...more },
      headers: HERE,
    })
  return { ...own, bot, ana, key, ask, begin, decide }
}

promise(
  ['CS-PASSKEY-1'],
  'a call that needs a passkey is approved with one, and the record says so',
  async () => {
    const { send, ana, key, ask, begin, decide } = await asked()
    const call = await ask('Lena')
    const seen = await send(`/v1/approvals/${call.id}`, { as: ana })
    expect(seen.body).toMatchObject({ mine: { may: true }, terms: { minAssurance: 'passkey' } })

    expect((await decide(call, {})).at('error.code')).toBe('assurance_too_low')
    const { options } = await begin(call)
    const done = await decide(call, { passkey: key.get(options, { origin: ORIGIN }) })
    expect(done.at('status')).toBe('approved')
    expect((await send(`/v1/approvals/${call.id}`, { as: ana })).body).toMatchObject({
      decisions: [{ verdict: 'approve', assurance: 'passkey' }],
    })
    const listed = await send('/v1/passkeys', { as: ana })
    expect(listed.body).toMatchObject({
      passkeys: [{ name: 'Laptop', usedAt: expect.any(Number) }],
    })
    expect(JSON.stringify(listed.body)).not.toContain('publicKey')
  },
)

test('a denial needs no passkey', async () => {
  const { ask, decide } = await asked()
  const call = await ask('Lena')
  expect((await decide(call, { verdict: 'deny' })).body).toMatchObject({ status: 'denied' })
})

promise(['CS-PASSKEY-1'], 'an edit is signed together with what it makes of the call', async () => {
  const { key, ask, begin, decide } = await asked()
  const call = await ask('Lena')
  const edit = { arguments: { to: 'Lea' } }
  const { options } = await begin(call, { edit })
  const passkey = key.get(options, { origin: ORIGIN })
  const other = await decide(call, { edit: { arguments: { to: 'Mallory' } }, passkey })
  expect(other.at('error.code')).toBe('passkey_refused')
  const again = await begin(call, { edit })
  const done = await decide(call, { edit, passkey: key.get(again.options, { origin: ORIGIN }) })
  expect(done.body).toMatchObject({ status: 'approved' })
})

promise(['CS-PASSKEY-1'], 'all that a decision holds is signed together', async () => {
  const { key, ask, begin, decide } = await asked()
  const call = await ask('Lena')
  const more = {
    reason: 'as agreed',
    payload: { cost_centre: 7 },
    grant: { uses: 2, any_run: true },
  }
  const { options } = await begin(call, more)
  const done = await decide(call, { ...more, passkey: key.get(options, { origin: ORIGIN }) })
  expect(done.body).toMatchObject({ status: 'approved' })
})

const ADDED: readonly [string, Record<string, unknown>, object][] = [
  ['with a grant added', {}, { grant: { any_run: true, uses: 100 } }],
  ['with a larger grant', { grant: { uses: 1 } }, { grant: { uses: 100 } }],
  ['with a payload added', {}, { payload: { limit: 1e6 } }],
  ['with another payload', { payload: { limit: 1 } }, { payload: { limit: 2 } }],
  ['with a payload of null', {}, { payload: null }],
  ['with a reason added', {}, { reason: 'Ana said so' }],
  ['with an empty reason added', {}, { reason: '' }],
  ['with an empty grant added', {}, { grant: {} }],
  ['with the reason as an answer', { reason: 'no' }, { answer: 'no' }],
  ['with a reason in other code points', { reason: '\u00e9' }, { reason: 'e\u0301' }],
  ['with a number as text', { payload: 1 }, { payload: '1' }],
  ['with a prototype added', { payload: {} }, JSON.parse('{"payload":{"__proto__":{"a":1}}}')],
  ['with the edit left out', { edit: { arguments: { to: 'Lea' } } }, {}],
]

promise.each<Attack>(
  ['CS-PASSKEY-2'],
  'a signature decides nothing',
  [
    ...ADDED.map(
      ([name, signed, sent]): Attack => [
        name,
        async ({ key, ask, begin, decide }) => {
          const call = await ask('Lena')
          const { options } = await begin(call, signed)
          const passkey = key.get(options, { origin: ORIGIN })
          return { code: (await decide(call, { ...sent, passkey })).at('error.code') }
        },
      ],
    ),
    [
      'for another call',
      async ({ key, ask, begin, decide }) => {
        const [mine, other] = [await ask('Lena'), await ask('Mallory')]
        const { options } = await begin(mine)
        const answer = await decide(other, { passkey: key.get(options, { origin: ORIGIN }) })
        return { code: answer.at('error.code') }
      },
    ],
    [
      'a second time',
      async ({ key, ask, begin, decide }) => {
        const [call, other] = [await ask('Lena'), await ask('Lena 2')]
        const { options } = await begin(call)
        const passkey = key.get(options, { origin: ORIGIN })
        expect((await decide(call, { passkey })).status).toBe(200)
        await decide(other, { passkey })
        return { code: (await decide(call, { passkey })).at('error.code') }
      },
    ],
    [
      'made on another page',
      async ({ key, ask, begin, decide }) => {
        const call = await ask('Lena')
        const { options } = await begin(call)
        const passkey = key.get(options, { origin: 'http://localhost:9999' })
        return { code: (await decide(call, { passkey })).at('error.code') }
      },
    ],
    [
      'without knowing the person',
      async ({ key, ask, begin, decide }) => {
        const call = await ask('Lena')
        const { options } = await begin(call)
        const passkey = key.get(options, { origin: ORIGIN, verified: false })
        return { code: (await decide(call, { passkey })).at('error.code') }
      },
    ],
    [
      'by a copy that counts from the start',
      async ({ key, ask, begin, decide }) => {
        const [first, second] = [await ask('1'), await ask('2')]
        const one = await begin(first)
        const passkey = key.get(one.options, { origin: ORIGIN, counter: 9 })
        expect((await decide(first, { passkey })).status).toBe(200)
        const two = await begin(second)
        const copy = key.get(two.options, { origin: ORIGIN, counter: 3 })
        return { code: (await decide(second, { passkey: copy })).at('error.code') }
      },
    ],
    [
      'by a key nobody added',
      async ({ ask, begin, decide }) => {
        const call = await ask('Lena')
        const { options } = await begin(call)
        const passkey = softAuthenticator().get(options, { origin: ORIGIN })
        return { code: (await decide(call, { passkey })).at('error.code') }
      },
    ],
    [
      'by somebody else’s key',
      async ({ person, ask, begin, decide, key }) => {
        const call = await ask('Lena')
        const kim = await person('kim@example.com')
        const { options } = await begin(call)
        const passkey = key.get(options, { origin: ORIGIN })
        return { code: (await decide(call, { passkey }, kim)).at('error.code') }
      },
    ],
    [
      'to a question nobody asked',
      async ({ key, ask, decide, begin }) => {
        const call = await ask('Lena')
        const { options } = await begin(call)
        const challenge = Buffer.alloc(32).toString('base64url')
        const passkey = key.get(options, { origin: ORIGIN, challenge })
        return { code: (await decide(call, { passkey })).at('error.code') }
      },
    ],
    ...[null, 5, 'x', [], {}, { response: {} }, { response: { clientDataJSON: 'eyJ9' } }].map(
      (passkey): Attack => [
        `that is ${JSON.stringify(passkey)}`,
        async ({ ask, decide }) => {
          const call = await ask('Lena')
          return { code: (await decide(call, { passkey })).at('error.code') }
        },
      ],
    ),
  ],
  async (_, attack) => {
    const own = await asked()
    expect((await attack(own)).code).toBe('passkey_refused')
  },
)

promise(['CS-PASSKEY-2'], 'a question is answered within two minutes', async () => {
  let now = Date.now()
  const own = running({ policy: POLICY, store: memoryStore({ clock: () => now }) })
  const ana = await own.person('ana@example.com')
  const key = softAuthenticator()
  expect((await add(own, ana, key)).status).toBe(201)
  const bot = await own.agent('bot')
  const asked = await own.send('/v1/calls', { as: bot, body: { tool: 'wire', args: {} } })
  const [id, digest] = [asked.at('id'), asked.at('digest')]
  const at = `/v1/approvals/${id}`
  const wish = { verdict: 'approve', digest }
  const begun = await own.send(`${at}/passkey`, { as: ana, body: wish, headers: HERE })
  now += 121_000
  const { options } = begun.body as { options: unknown }
  const passkey = key.get(options, { origin: ORIGIN })
  const body = { verdict: 'approve', digest, passkey }
  const answer = await own.send(`${at}/decisions`, { as: ana, body, headers: HERE })
  expect(answer.at('error.code')).toBe('passkey_refused')
})

promise(
  ['CS-PASSKEY-3'],
  'a passkey is added soon after signing in, and never with an old session',
  async () => {
    let now = Date.now()
    const own = running({ policy: POLICY, store: memoryStore({ clock: () => now }) })
    const ana = await own.person('ana@example.com')
    const begun = await own.send('/v1/passkey-options', { as: ana, body: {}, headers: HERE })
    now += 16 * 60_000
    const late = await own.send('/v1/passkey-options', { as: ana, body: {}, headers: HERE })
    expect(late.at('error.code')).toBe('signin_too_old')
    const { options } = begun.body as { options: unknown }
    const response = softAuthenticator().create(options, { origin: ORIGIN })
    const body = { name: 'Laptop', response }
    const added = await own.send('/v1/passkeys', { as: ana, body, headers: HERE })
    expect(added.at('error.code')).toBe('signin_too_old')
  },
)

promise.each<[string, object]>(
  ['CS-PASSKEY-3'],
  'a passkey is not added when made',
  [
    ['on another page', { origin: 'http://evil.example' }],
    ['without knowing the person', { verified: false }],
    ['to another question', { challenge: Buffer.alloc(32).toString('base64url') }],
  ],
  async (_, signing) => {
    const own = running({ policy: POLICY })
    const ana = await own.person('ana@example.com')
    const added = await add(own, ana, softAuthenticator(), signing)
    expect(added.at('error.code')).toBe('passkey_refused')
    expect((await own.send('/v1/passkeys', { as: ana })).body).toEqual({ passkeys: [] })
  },
)

test('by its address in numbers a server says which name to use instead', async () => {
  const own = running({ policy: POLICY })
  const as = await own.person('ana@example.com')
  const answer = await own.send('/v1/passkey-options', { as, body: {} })
  expect(answer.at('error.code')).toBe('passkey_needs_name')
  expect(answer.at('error.hint')).toContain('http://localhost:4747/')
})

test('without a passkey one is told where to add one', async () => {
  const { person, ask, begin } = await asked()
  const kim = await person('kim@example.com')
  const { answer } = await begin(await ask('Lena'), { as: kim })
  expect(answer.at('error.code')).toBe('passkey_missing')
  expect(answer.at('error.hint')).toContain('Passkeys')
})

promise(
  ['CS-PASSKEY-4'],
  'one removes one’s own passkeys, nobody else’s, and whoever is removed loses theirs',
  async () => {
    const { send, store, person, ana, ask, begin } = await asked()
    const listed = await send('/v1/passkeys', { as: ana })
    const at = `/v1/passkeys/${listed.at('passkeys.0.id')}`
    const kim = await person('kim@example.com', ['admin'])
    expect((await send(at, { as: kim, method: 'DELETE' })).status).toBe(404)
    expect((await send(at, { as: ana, method: 'DELETE' })).status).toBe(204)
    expect((await begin(await ask('Lena'))).answer.at('error.code')).toBe('passkey_missing')

    const second = await asked()
    const admin = await second.person('root@example.com', ['admin'])
    const people = await second.send('/v1/people', { as: admin })
    const found = (people.body as { people: { id: string; email: string }[] }).people
    const id = found.find(({ email }) => email === 'ana@example.com')?.id
    await second.send(`/v1/people/${id}`, { as: admin, method: 'DELETE' })
    expect((await second.store.records.list('passkey')).records).toEqual([])
    expect((await store.records.list('passkey question')).records).toEqual([])
  },
)

promise(['CS-PASSKEY-4'], 'adding and removing are in the audit', async () => {
  const { send, ana, person } = await asked()
  const listed = await send('/v1/passkeys', { as: ana })
  await send(`/v1/passkeys/${listed.at('passkeys.0.id')}`, { as: ana, method: 'DELETE' })
  const admin = await person('root@example.com', ['admin'])
  const audit = JSON.stringify((await send('/v1/audit', { as: admin })).body)
  expect(audit).toContain('passkey.added')
  expect(audit).toContain('passkey.removed')
})

promise(
  ['CS-AUDIT-7'],
  'a passkey that signs changes no row that the audit vouches for',
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'countersign-passkeys-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = path.join(folder, 'a.db')
    const { key, ask, begin, decide, person } = await asked(await openSqlite(file))
    await person('kim@example.com', ['viewer'])
    await person('kim@example.com', ['viewer', 'admin'])
    for (const to of ['Lena', 'Lea']) {
      const call = await ask(to)
      const { options } = await begin(call)
      const done = await decide(call, { passkey: key.get(options, { origin: ORIGIN }) })
      expect(done.at('status')).toBe('approved')
    }
    expect(await verified(file)).toMatchObject({ ok: true })
    const db = new DatabaseSync(file)
    db.exec(`update records set value = replace(value, '"publicKey":"', '"publicKey":"x')
      where kind = 'passkey'`)
    db.close()
    expect((await verified(file)).problem).toMatchObject({ code: 'row_changed' })
  },
)

async function verified(file: string) {
  const log = openAuditLog(file)
  try {
    return await verifyAudit(() => recordsOf(log, { at: 0, rows: true }))
  } finally {
    await log.close()
  }
}
