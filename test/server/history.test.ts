import { expect, onTestFinished, vi } from 'vitest'
import type { ApprovalPage } from '../../src/api/approval.ts'
import { serve } from '../../src/server/serve.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { Store } from '../../src/store/store.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { signedIn } from '../mcp/signed-in.ts'
import { promise } from '../support/promise.ts'
import { type Running, running, type Sender } from './harness.ts'

interface Asked {
  readonly id: string
  readonly digest: string
}

async function world() {
  const clock = fakeClock()
  const on = running({ store: memoryStore({ clock: clock.now }) })
  const bot = await on.agent('bot')
  const ana = await on.person('ana@example.com')
  const ask = async (tool: string, args: object, more: object = {}) =>
    (await on.send('/v1/calls', { as: bot, body: { tool, args, ...more } })).body as Asked
  return { ...on, clock, bot, ana, ask, decide: decideOn(on) }
}

const decideOn =
  ({ send }: Running) =>
  async (as: Sender, { id, digest }: Asked, verdict: 'approve' | 'deny') => {
    const { status } = await send(`/v1/approvals/${id}/decisions`, {
      as,
      body: { verdict, digest },
    })
    expect(status).toBe(200)
  }

promise(
  ['CS-INBOX-34'],
  'numbers, page and file of a filter are about the same approvals',
  async () => {
    const { send, person, ask, decide, clock, ana, bot } = await world()
    const fay = await person('fay@example.com')
    const [one, two, three] = [
      await ask('note', { text: 'one' }),
      await ask('note', { text: 'two' }),
      await ask('pay', { amount: 500, to: 'Zoë', card: '4111' }),
    ]
    clock.advance(60_000)
    await decide(ana, one, 'approve')
    clock.advance(60_000)
    await decide(fay, two, 'deny')
    const later = clock.now()
    clock.advance(60_000)
    await ask('note', { text: 'late' })
    const get = async (what: string, query: string) =>
      (await send(`/v1/approvals${what}?${query}`, { as: ana })).body
    const count = async (query: string) => {
      const listed = ((await get('', query)) as ApprovalPage).approvals.length
      expect(await get('/summary', query)).toMatchObject({ asked: listed })
      const lines = String(await get('/export.jsonl', query)).split('\n')
      expect(lines.length - 1).toBe(listed)
      return listed
    }
    expect(await count('')).toBe(4)
    expect(await count('person=FAY@example.com')).toBe(1)
    expect(await count('person=fay')).toBe(0)
    expect(await count(`since=${later}`)).toBe(1)
    expect(await count(`until=${later}&status=pending`)).toBe(1)
    expect(await count('tool=note&status=approved,denied')).toBe(2)
    expect(await count(`q=${three.digest.slice(0, 12)}`)).toBe(1)
    expect(await count('q=fay')).toBe(1)
    expect(await get('/summary', `until=${later}`)).toEqual({
      ...{ asked: 3, pending: 1, ended: 2, approved: 1, denied: 1, expired: 0, other: 0 },
      ...{ edited: 0, byGrant: 0, unknown: 0, decided: 2, medianMs: expect.closeTo(60_000, -4) },
      agents: [{ agent: 'bot', name: 'bot' }],
      tools: [{ tool: 'note' }, { tool: 'pay' }],
      people: ['fay@example.com', 'ana@example.com'],
    })
    // An agent learns nothing of who decides.
    const own = await send('/v1/approvals?person=nobody@example.com', { as: bot })
    expect((own.body as { approvals: unknown[] }).approvals).toHaveLength(4)
  },
)

promise(
  ['CS-INBOX-35'],
  'an exported table runs no formula and shows no hidden value',
  async () => {
    const { send, ask, ana, bot } = await world()
    for (const to of [
      '=HYPERLINK("http://evil.example")',
      '+1',
      '-1',
      '@SUM(A1)',
      '\t=1',
      'a,"b"\nc',
    ]) {
      await ask('pay', { amount: 500, to, card: '4111111111111111' })
    }
    // The template puts a word of ours in front; a run is what the agent wrote and nothing else.
    for (const run of ['=cmd', '＝cmd', '-x']) await ask('note', {}, { run })
    const csv = String((await send('/v1/approvals/export.csv', { as: ana })).body)
    const head = csv.slice(0, csv.indexOf('\r\n')).split(',')
    expect(head.slice(0, 3)).toEqual(['id', 'asked_at', 'decided_at'])
    const cells = csv.split('\r\n').slice(1).flatMap(cellsOf)
    expect(cells.length).toBeGreaterThan(9 * 15)
    expect(cells.filter((cell) => /^\s*[=+\-@＝]/.test(cell))).toEqual([])
    expect(cells).toContain("'=cmd")
    expect(cells).toContain('Pay 500 to a,"b"\nc?')
    expect(csv).not.toContain('4111')
    const lines = String((await send('/v1/approvals/export.jsonl', { as: ana })).body)
    expect(lines).not.toContain('4111')
    expect((await send('/v1/approvals/export.csv', { as: bot })).status).toBe(403)
  },
)

promise(
  ['CS-INBOX-34'],
  'half a file does not look like a whole one: where reading fails, the connection breaks off',
  async () => {
    const store = memoryStore()
    const failing: Store = {
      ...store,
      async list(filter, page) {
        if (page?.after !== undefined) throw new Error('the database is gone')
        return { ...(await store.list(filter, page)), next: 'newest.1' }
      },
    }
    const { server, send, agent } = running({ store: failing })
    await send('/v1/calls', { as: await agent('bot'), body: { tool: 'note', args: {} } })
    const serving = await serve(server.app, { host: '127.0.0.1', port: 0 })
    onTestFinished(() => serving.close())
    const at = { url: new URL('mcp', serving.url), store } as never
    const ana = await signedIn(at, 'ana@example.com', ['viewer'])
    const said = vi.spyOn(console, 'error').mockImplementation(() => {})
    for (const what of ['csv', 'jsonl']) {
      const url = new URL(`v1/approvals/export.${what}`, serving.url)
      const response = await fetch(url, { headers: ana.headers })
      expect(response.status).toBe(200)
      await expect(response.text(), what).rejects.toThrow()
    }
    said.mockRestore()
  },
)

promise(
  ['CS-INBOX-34', 'CS-INBOX-36'],
  'a yes that was revoked is a yes in the numbers of History, as in Insights',
  async () => {
    const { send, ask, decide, ana } = await world()
    const [revoked, kept] = [await ask('note', { n: 1 }), await ask('note', { n: 2 })]
    await decide(ana, revoked, 'approve')
    await decide(ana, revoked, 'deny')
    await decide(ana, kept, 'approve')
    const { body } = await send('/v1/approvals/summary', { as: ana })
    expect(body).toMatchObject({ asked: 2, approved: 2, other: 0, decided: 2 })
    const { total } = (await send('/v1/insights', { as: ana })).body as { total: object }
    expect(total).toMatchObject({ asked: 2, approved: 2, other: 0, decided: 2 })
  },
)

promise(
  ['CS-INBOX-34', 'CS-INBOX-36'],
  'History and Insights give the same numbers of the same decisions',
  async () => {
    const { send, ask, decide, ana, clock } = await world()
    // Half of them at once, half of them after minutes: means of the middle would be far from both.
    for (const ms of [60, 61, 62, 100_000, 200_000, 300_000]) {
      const call = await ask('note', { ms })
      clock.advance(ms)
      await decide(ana, call, ms === 61 ? 'deny' : 'approve')
    }
    await ask('note', { open: 1 })
    await ask('note', { open: 2 })
    const get = async (path: string) => (await send(path, { as: ana })).body
    const shared = ['pending', 'ended', 'approved', 'denied', 'expired', 'other', 'decided']
    const of = (numbers: object) =>
      Object.fromEntries(
        ['asked', ...shared, 'medianMs'].map((name) => [name, Reflect.get(numbers, name)]),
      )
    const { total } = (await get('/v1/insights')) as { total: object }
    const all = (await get('/v1/approvals/summary')) as object
    expect(of(all)).toEqual(of(total))
    expect(of(total)).toMatchObject({ asked: 8, pending: 2, ended: 6, decided: 6 })
    expect(Math.abs(Number(Reflect.get(total, 'medianMs')) - 62)).toBeLessThanOrEqual(2)
    // History lists what is over: its number has the name of that.
    const over = await get('/v1/approvals/summary?status=approved,denied,expired')
    expect(over).toMatchObject({ asked: 6, ended: 6, pending: 0 })
  },
)

/** As a spreadsheet reads one line. */
function cellsOf(line: string): string[] {
  const found = line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,"]*))/g)
  return [...found].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '')
}
