import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, vi } from 'vitest'
import { writeCheckpoint } from '../src/gate/proof/checkpoint.ts'
import { openSigner } from '../src/gate/proof/keys.ts'
import { keyFolder } from '../src/store/audit/key-folder.ts'
import { memoryStore } from '../src/store/memory/index.ts'
import { temporaryFolder } from './audit/record.ts'
import { countersign } from './cli/countersign.ts'
import { POLICY, running } from './server/harness.ts'
import { openSqlite } from './stores/place.ts'
import { promise } from './support/promise.ts'

const PATIENCE = { timeout: 15_000 }
const HOSTILE = '<img src=x onerror=alert(1)>=cmd()'

/** A server that was used: two calls decided, one refused attempt, people added, a key that signs. */
async function usedServer() {
  const folder = temporaryFolder()
  const file = path.join(folder, 'approvals.db')
  const store = await openSqlite(file)
  const signer = await openSigner({ store, keys: keyFolder(path.join(folder, 'keys')) })
  const own = running({ store, policy: POLICY })
  const bot = await own.agent('bot')
  const ana = await own.person('ana@example.com', ['approver', 'admin'])
  const eve = await own.person('eve@example.com', ['viewer'])
  const ask = async (key: string) => {
    const body = { tool: 'pay', run: 'r', key, args: { amount: 500, to: HOSTILE } }
    const asked = await own.send('/v1/calls', { as: bot, body })
    return { id: asked.at('id'), digest: asked.at('digest') }
  }
  const [yes, no] = [await ask('1'), await ask('2')]
  const answer = (as: typeof ana, { id, digest }: typeof yes, more: object) =>
    own.send(`/v1/approvals/${id}/decisions`, { as, body: { digest, ...more } })
  expect((await answer(eve, yes, { verdict: 'approve' })).status).toBe(403)
  expect((await answer(ana, yes, { verdict: 'approve' })).status).toBe(200)
  expect((await answer(ana, no, { verdict: 'deny', reason: HOSTILE })).status).toBe(200)
  // A refused attempt is on record within about a second.
  await vi.waitFor(async () => {
    const { body } = await own.send('/v1/audit?type=attempt.refused', { as: ana })
    expect(JSON.stringify(body)).toContain('not_an_approver')
  }, PATIENCE)
  await writeCheckpoint(store, signer)
  const run = (...args: string[]) =>
    countersign(['audit', ...args, '--db', `sqlite:${file}`], { cwd: folder })
  const data = async (...args: string[]) => JSON.parse((await run('report', ...args)).stdout)
  return { folder, file, run, data, yes, no }
}

promise(
  ['CS-EVIDENCE-10'],
  'a report names who approved what, from a record that verifies',
  async () => {
    const { data, yes, no } = await usedServer()
    const made = await data('approvals')
    expect(made.approvals).toMatchObject([
      {
        approval: yes.id,
        ...{ agent: 'bot', tool: 'pay', status: 'approved', digest: yes.digest },
        answers: [{ verdict: 'approve', by: { subject: 'ana@example.com' }, digest: yes.digest }],
      },
      { approval: no.id, status: 'denied', answers: [{ verdict: 'deny' }] },
    ])
    // What people wrote and were asked is content, and is left out unless it is wanted.
    expect(JSON.stringify(made)).not.toContain('onerror')
    const denied = await data('call', '--approval', no.id, '--content')
    expect(denied.call).toMatchObject({ answers: [{ reason: HOSTILE }] })
    const none = await data('approvals', '--until', '2020-01-01')
    expect(none.approvals).toEqual([])
  },
)

promise(
  ['CS-EVIDENCE-11'],
  'a report says who had access at a moment, and what changed',
  async () => {
    const { data } = await usedServer()
    const { access } = await data('access')
    const roles = access.people.map(
      ({ person, roles }: { person: { subject: string }; roles: string[] }) => [
        person.subject,
        ...roles,
      ],
    )
    expect(roles).toContainEqual(['ana@example.com', 'approver', 'admin'])
    expect(roles).toContainEqual(['eve@example.com', 'viewer'])
    expect(access.tokens).toMatchObject([{ agent: 'bot', vouches: false }])
    const types = access.changes.map(({ type }: { type: string }) => type)
    expect(types).toEqual(expect.arrayContaining(['person.added', 'token.created']))
    // Before anything was there, no person had access.
    const before = await data('access', '--at', '2020-01-01')
    expect(before.access).toMatchObject({ people: [], tokens: [], changes: [] })
  },
)

promise(
  ['CS-EVIDENCE-12'],
  'a report says who tried without the right, and who decides',
  async () => {
    const { data } = await usedServer()
    const { duties } = await data('duties')
    expect(duties.refused).toEqual([
      { person: 'eve@example.com', code: 'not_an_approver', count: 1 },
    ])
    expect(duties.deciders).toEqual([
      { person: 'ana@example.com', approved: 1, denied: 1, share: 1 },
    ])
    expect(duties.findings).toEqual([])
  },
)

promise(
  ['CS-EVIDENCE-10'],
  'texts of an agent are no markup and no formula in a report',
  async () => {
    const { folder, run } = await usedServer()
    expect(await run('report', 'approvals', '--content', '--out', 'all.html')).toMatchObject({
      code: 0,
    })
    const page = readFileSync(path.join(folder, 'all.html'), 'utf8')
    expect(page).not.toContain('<img')
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(page).toContain("default-src 'none'")
    await run('report', 'approvals', '--content', '--out', 'all.csv')
    const [, , second = ''] = readFileSync(path.join(folder, 'all.csv'), 'utf8').split('\r\n')
    expect(second).toContain(HOSTILE)
    expect(second).not.toMatch(/(?:^|,)"?=/)
    // What is there is evidence, and is not written over.
    expect(await run('report', 'approvals', '--out', 'all.html')).toMatchObject({ code: 2 })
  },
)

promise(
  ['CS-EVIDENCE-13'],
  'a signed report verifies byte by byte, with keys of the record',
  async () => {
    const { folder, run } = await usedServer()
    expect(await run('report', 'duties', '--out', 'duties.html', '--sign')).toMatchObject({
      code: 0,
    })
    expect(await run('check-report', 'duties.html')).toMatchObject({ code: 0 })
    const file = path.join(folder, 'duties.html')
    const jws = readFileSync(`${file}.jws`, 'utf8')
    writeFileSync(file, readFileSync(file, 'utf8').replace('ana@example.com', 'eve@example.com'))
    expect(await run('check-report', 'duties.html')).toMatchObject({ code: 1 })
    // A checkpoint is signed with the same key, and is no signature of a report.
    await run('export', '--out', 'audit.jsonl')
    const [, checkpoint = ''] =
      /"jws":"([^"]+)"/.exec(readFileSync(path.join(folder, 'audit.jsonl'), 'utf8')) ?? []
    expect(checkpoint).not.toBe('')
    writeFileSync(`${file}.jws`, checkpoint)
    expect(await run('check-report', 'duties.html')).toMatchObject({ code: 1 })
    writeFileSync(`${file}.jws`, jws)
    // The key of another server is not one of this record, so nothing is signed and nothing is written.
    const other = temporaryFolder()
    const keys = keyFolder(path.join(other, '.countersign', 'keys'))
    await openSigner({ store: memoryStore(), keys })
    const elsewhere = await countersign(
      ['audit', 'report', 'duties', path.join(folder, 'audit.jsonl'), '--out', 'd.html', '--sign'],
      { cwd: other, env: { HOME: other } },
    )
    expect(elsewhere.code).not.toBe(0)
    expect(elsewhere.stderr).toContain('no private key here belongs to this record')
  },
)

promise(['CS-EVIDENCE-10'], 'no report is made from a record that was changed', async () => {
  const { folder, run } = await usedServer()
  await run('export', '--out', 'audit.jsonl')
  const file = path.join(folder, 'audit.jsonl')
  writeFileSync(file, readFileSync(file, 'utf8').replace('"ana@example.com"', '"bob@example.com"'))
  const { code, stdout, stderr } = await countersign(
    ['audit', 'report', 'approvals', 'audit.jsonl'],
    {
      cwd: folder,
    },
  )
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain('no report was made')
})
