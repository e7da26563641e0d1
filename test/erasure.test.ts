import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'vitest'
import { createMembership } from '../src/server/identity/membership.ts'
import { memoryStore } from '../src/store/memory/index.ts'
import { temporaryFolder } from './audit/record.ts'
import { countersign } from './cli/countersign.ts'
import { python, whyNot } from './clients/python.ts'
import { running } from './server/harness.ts'
import { openSqlite } from './stores/place.ts'
import { promise } from './support/promise.ts'

const reason = 'case 7'
const OIDC = { issuer: 'https://id.example', subject: 'u-81', roles: ['approver'] } as const

async function world(open = openSqlite) {
  const cwd = temporaryFolder()
  const file = path.join(cwd, 'approvals.db')
  const store = await open(file)
  const own = running({ store })
  const bot = await own.agent('bot')
  const lena = await own.person('lena@example.com')
  const root = await own.person('root@example.com', ['admin', 'viewer'])
  const membership = createMembership(store)
  const login = { ...OIDC, email: 'Lena@example.com', emailVerified: true, name: 'Lena Canary' }
  await membership.set({ system: 'operator' }, { ...login, roles: ['approver'] })
  const ask = async (key: string, to: string) => {
    const body = { tool: 'pay', run: key, key, args: { amount: 500, to } }
    const asked = await own.send('/v1/calls', { as: bot, body })
    return { id: asked.at('id'), digest: asked.at('digest') }
  }
  const deny = ({ id, digest }: { id: string; digest: string }, as = lena) => {
    const body = { verdict: 'deny', digest, reason: `words of ${id}` }
    return own.send(`/v1/approvals/${id}/decisions`, { as, body })
  }
  const kinds = async ({ id }: { id: string }) =>
    (await store.content(id)).map(({ kind }) => kind).sort()
  const keyOf = async (email: string) => {
    const { body } = await own.send('/v1/people', { as: root })
    const { people } = body as { people: { id: string; email?: string }[] }
    return people.find((one) => one.email === email)?.id ?? ''
  }
  const erase = async (key: string, as = root) =>
    own.send(`/v1/people/${key}/erase`, { as, method: 'POST' })
  return { ...own, cwd, file, store, bot, lena, root, ask, deny, kinds, keyOf, erase }
}

promise(
  ['CS-ERASE-1', 'CS-AUDIT-3', 'CS-AUDIT-8'],
  'a person is erased under every login, and both verifiers find the record intact',
  async () => {
    const at = await world()
    const [theirs, others, named, pending] = [
      await at.ask('1', 'Bo'),
      await at.ask('2', 'Bo'),
      await at.ask('3', 'LENA@example.com'),
      await at.ask('4', 'lena@example.com'),
    ]
    const alike = await at.ask('5', 'helena@example.com, lena@example.com.au')
    expect((await at.deny(theirs)).status).toBe(200)
    for (const one of [others, named, alike]) {
      expect((await at.deny(one, await at.person('bo@example.com'))).status).toBe(200)
    }
    const key = await at.keyOf('lena@example.com')
    expect((await at.erase(key, at.lena)).status).toBe(403)
    const erased = await at.erase(key)
    expect(erased.body).toMatchObject({ grants: 0, kept: 2 })
    expect(await at.kinds(theirs)).toEqual(['arguments', 'question'])
    expect(await at.kinds(others)).toEqual(['arguments', 'question', 'reason'])
    expect(await at.kinds(named)).toEqual(['reason'])
    expect(await at.kinds(alike)).toEqual(['arguments', 'question', 'reason'])
    // It waits for an answer, and has to be shown whole until then.
    expect(await at.kinds(pending)).toEqual(['arguments', 'question'])
    expect((await at.send('/v1/me', { as: at.lena })).status).toBe(401)
    expect((await at.deny(pending)).status).toBe(401)
    expect((await at.deny(pending, at.root)).status).toBe(403)
    const bo = await at.person('bo@example.com')
    expect((await at.deny(pending, bo)).status).toBe(200)
    expect((await at.erase(key)).body).toMatchObject({ kept: 0, erased: 2 })
    const { stdout } = await countersign(['audit', 'verify', '--db', `sqlite:${at.file}`], at)
    expect(stdout).toMatch(/^The record is intact/)
    const out = ['--out', 'record.jsonl', '--content', '--db', `sqlite:${at.file}`]
    expect((await countersign(['audit', 'export', ...out], at)).code).toBe(0)
    if (whyNot() === undefined) {
      const file = path.join(at.cwd, 'record.jsonl')
      const { stdout: said } = await python(['-m', 'countersign.verify', file, '--json'])
      expect(JSON.parse(said)).toMatchObject({ ok: true })
    }
    await at.store.close()
    const kept = leftOf(at.file)
    expect(kept.records).not.toMatch(/Lena Canary|lena@example\.com"[^}]*"email/i)
    expect(kept.content).not.toMatch(/[^e]lena@example\.com(?!\.au)/i)
  },
)

/** Everything that the file still holds, by table. */
function leftOf(file: string) {
  const db = new DatabaseSync(file, { readOnly: true })
  const all = (table: string) => JSON.stringify(db.prepare(`select * from ${table}`).all())
  const found = { records: all('records'), content: all('content') }
  db.close()
  return found
}

promise(
  ['CS-ERASE-2', 'CS-HOLD-1'],
  'no person is erased whom a hold names, and what another hold keeps stays',
  async () => {
    const at = await world(async () => memoryStore())
    const held = await at.ask('1', 'lena@example.com')
    expect((await at.deny(held)).status).toBe(200)
    const key = await at.keyOf('lena@example.com')
    const place = (target: object) =>
      at.send('/v1/holds', { as: at.root, body: { target, reason } })
    const named = await place({ person: { subject: 'lena@example.com' } })
    const refused = await at.erase(key)
    expect([refused.status, refused.at('error.code')]).toEqual([409, 'on_hold'])
    expect((await at.send('/v1/me', { as: at.lena })).status).toBe(200)
    await place({ tool: 'pay' })
    const path = `/v1/holds/${named.at('id')}/release`
    expect((await at.send(path, { as: at.root, body: { reason } })).status).toBe(200)
    expect((await at.erase(key)).body).toMatchObject({ erased: 0, kept: 3 })
    expect(await at.kinds(held)).toEqual(['arguments', 'question', 'reason'])
  },
)
