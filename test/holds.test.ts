import path from 'node:path'
import { expect } from 'vitest'
import { HOLD_RECORD } from '../src/store/records/hold-record.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { temporaryFolder } from './audit/record.ts'
import { countersign, folder } from './cli/countersign.ts'
import { start } from './cli/started.ts'
import { running } from './server/harness.ts'
import { openSqlite } from './stores/place.ts'
import { promise } from './support/promise.ts'

const reason = 'case 7 O 12/26'
const MINUTE = 60_000

async function world() {
  const cwd = temporaryFolder()
  const file = path.join(cwd, 'approvals.db')
  const clock = fakeClock()
  const store = await openSqlite(file, { clock: clock.now })
  const own = running({ store })
  const [bot, other] = [await own.agent('bot'), await own.agent('other')]
  const ana = await own.person('ana@example.com')
  const root = await own.person('root@example.com', ['admin', 'viewer'])
  const denied = async (as: typeof bot, key: string) => {
    const body = { tool: 'pay', run: key, key, args: { amount: 500, to: 'Lena' } }
    const asked = await own.send('/v1/calls', { as, body })
    const id = asked.at('id')
    const no = { verdict: 'deny', digest: asked.at('digest'), reason: 'no' }
    const said = await own.send(`/v1/approvals/${id}/decisions`, { as: ana, body: no })
    expect(said.status).toBe(200)
    return id
  }
  const kinds = async (id: string, of = store) => (await of.content(id)).map(({ kind }) => kind)
  return { ...own, cwd, file, clock, store, bot, other, ana, root, denied, kinds }
}

promise(
  ['CS-HOLD-1', 'CS-HOLD-2', 'CS-AUDIT-3'],
  'a hold outlives retain and a restart, and ends when an admin releases it',
  async () => {
    const at = await world()
    const [held, free] = [await at.denied(at.bot, '1'), await at.denied(at.other, '2')]
    const body = { target: { agent: 'bot' }, reason }
    expect((await at.send('/v1/holds', { as: at.ana, body })).status).toBe(403)
    const blank = { ...body, reason: ' ' }
    expect((await at.send('/v1/holds', { as: at.root, body: blank })).status).toBe(422)
    const empty = { target: {}, reason }
    expect((await at.send('/v1/holds', { as: at.root, body: empty })).status).toBe(400)
    const placed = await at.send('/v1/holds', { as: at.root, body })
    expect(placed.body).toMatchObject({ words: 'agent bot', reason, by: { subject: /root/ } })
    at.clock.advance(10 * MINUTE)
    const whole = ['arguments', 'question', 'reason']
    await at.store.erase(at.clock.now() - MINUTE)
    expect(await at.kinds(held)).toEqual(expect.arrayContaining(whole))
    expect(await at.kinds(free)).toEqual([])
    const again = await openSqlite(at.file, { clock: at.clock.now })
    await again.erase(at.clock.now() - MINUTE)
    expect(await at.kinds(held, again)).toEqual(expect.arrayContaining(whole))
    const release = `/v1/holds/${placed.at('id')}/release`
    expect((await at.send(release, { as: at.ana, body: { reason } })).status).toBe(403)
    expect((await at.send(release, { as: at.root, body: { reason } })).status).toBe(200)
    expect((await at.send(release, { as: at.root, body: { reason } })).status).toBe(404)
    await again.erase(at.clock.now() - MINUTE)
    expect(await at.kinds(held, again)).toEqual([])
    await again.close()
    const { stdout } = await countersign(['audit', 'verify', '--db', `sqlite:${at.file}`], at)
    expect(stdout).toMatch(/^The record is intact/)
  },
)

promise(
  ['CS-HOLD-1'],
  'a hold on a person keeps what they answered, under every login with their address',
  async () => {
    const at = await world()
    const [answered, own] = [await at.denied(at.bot, '1'), await at.denied(at.other, '2')]
    const person = { issuer: 'local', subject: 'ana@example.com' }
    const target = { person, agent: 'bot' }
    expect((await at.send('/v1/holds', { as: at.root, body: { target, reason } })).status).toBe(201)
    // A person without an account here is held by the address alone, whatever its case.
    const gone = { person: { subject: 'ANA@example.com' }, agent: 'other', until: at.clock.now() }
    const body = { target: gone, reason }
    expect((await at.send('/v1/holds', { as: at.root, body })).status).toBe(201)
    at.clock.advance(10 * MINUTE)
    const later = await at.denied(at.other, '3')
    at.clock.advance(10 * MINUTE)
    await at.store.erase(at.clock.now() - MINUTE)
    for (const id of [answered, own]) expect(await at.kinds(id)).toContain('reason')
    expect(await at.kinds(later)).toEqual([])
  },
)

promise(
  ['CS-HOLD-2', 'CS-AUDIT-7'],
  'a hold that was removed from its table is found',
  async () => {
    const at = await world()
    const body = { target: { tool: 'pay' }, reason }
    expect((await at.send('/v1/holds', { as: at.root, body })).status).toBe(201)
    const [stored] = (await at.store.records.list(HOLD_RECORD)).records
    await at.store.records.remove(HOLD_RECORD, stored?.id ?? '')
    const { stdout, code } = await countersign(['audit', 'verify', '--db', `sqlite:${at.file}`], at)
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^row_missing: /)])
  },
)

promise(
  ['CS-HOLD-2', 'CS-EVIDENCE-14'],
  'holds are placed, listed and released in a terminal, and reported',
  async () => {
    const cwd = folder({ 'countersign.yaml': 'version: 1\n' })
    await start(cwd)
    const env = { HOME: cwd }
    const run = (...args: string[]) => countersign(['audit', ...args], { cwd, env })
    expect((await run('hold')).stdout).toBe('Nothing is held.\n')
    expect((await run('hold', 'add', '--tool', 'pay')).stderr).toMatch(/--reason is missing/)
    expect((await run('hold', 'add', '--reason', reason)).stderr).toMatch(/say what to hold/)
    const since = ['--since', '2026-01-01', '--person', 'lena@example.com']
    const held = await run('hold', 'add', ...since, '--reason', reason)
    expect(held.stdout).toMatch(
      /^Held: .{8} {2}person lena@example\.com, since 2026-01-01T00:00:00\.000Z: case 7 O 12\/26 /,
    )
    const { holds } = JSON.parse((await run('hold', 'list', '--json')).stdout)
    expect(holds).toMatchObject([{ target: { person: { subject: 'lena@example.com' } }, reason }])
    const end = await run('hold', 'release', holds[0].id.slice(-8), '--reason', 'closed')
    expect(end.stdout).toMatch(/^Released: /)
    const report = JSON.parse((await run('report', 'holds', '--content')).stdout)
    expect(report.holds).toMatchObject([
      {
        hold: holds[0].id,
        about: 'person lena@example.com, since 2026-01-01T00:00:00.000Z',
        reason,
        released: { reason: 'closed' },
      },
    ])
    const html = (await run('report', 'holds', '--format', 'html', '--content')).stdout
    expect(html).toContain(reason)
  },
)
