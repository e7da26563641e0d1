import { expect, test } from 'vitest'
import { labelsText } from '../../src/server/metrics/exposition.ts'
import { Histogram } from '../../src/server/metrics/histogram.ts'
import { openPostgres } from '../stores/place.ts'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'
import { running } from './harness.ts'

const PAY = { tool: 'pay', run: 'r', args: { amount: 500, to: 'Lena-the-payee' } }
const TOKEN = 'm'.repeat(32)

async function scraped(send: ReturnType<typeof running>['send']): Promise<string> {
  const { status, body } = await send('/metrics')
  expect(status).toBe(200)
  return String(body)
}

function sampleOf(text: string, sample: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${sample} `))
  return line === undefined ? undefined : Number(line.slice(sample.length + 1))
}

promise(
  ['CS-WATCH-1'],
  'asked, decided and judged calls are counted, and the time to a decision is measured',
  async () => {
    const { send, agent, person } = running()
    await scraped(send)
    const [bot, ana] = [await agent('bot'), await person('ana@example.com')]
    const asked = await send('/v1/calls', { as: bot, body: { ...PAY, key: '1' } })
    await send('/v1/calls', { as: bot, body: { ...PAY, key: '2' } })
    await send('/v1/calls', { as: bot, body: { tool: 'read', args: {} } })
    await send('/v1/calls', { as: bot, body: { tool: 'wipe', args: {} } })
    const yes = { verdict: 'approve', digest: asked.at('digest') }
    await send(`/v1/approvals/${asked.at('id')}/decisions`, { as: ana, body: yes })
    await send(`/v1/approvals/${asked.at('id')}/decisions`, { as: bot, body: yes })
    const text = await scraped(send)
    const event = (type: string) =>
      sampleOf(text, `countersign_approval_events_total{type="${type}"}`)
    expect([event('requested'), event('approved'), event('denied')]).toEqual([2, 1, 0])
    const decision = 'countersign_time_to_decision_seconds'
    expect(sampleOf(text, `${decision}_count{outcome="approved"}`)).toBe(1)
    expect(sampleOf(text, `${decision}_bucket{outcome="approved",le="+Inf"}`)).toBe(1)
    expect(sampleOf(text, 'countersign_calls_judged_total{verdict="allow"}')).toBe(1)
    expect(sampleOf(text, 'countersign_calls_judged_total{verdict="deny"}')).toBe(1)
    expect(sampleOf(text, 'countersign_refused_attempts_total{code="not_permitted"}')).toBe(1)
    expect(sampleOf(text, 'countersign_pending_approvals')).toBe(1)
    const route = 'countersign_http_request_duration_seconds_count{route="/v1/calls"}'
    expect(sampleOf(text, route)).toBe(4)
    expect(text).not.toContain('Lena')
    // Nothing is counted twice.
    const again = await scraped(send)
    expect(sampleOf(again, 'countersign_approval_events_total{type="requested"}')).toBe(2)
  },
)

promise(['CS-WATCH-1'], 'servers on one Postgres count each event once between them', async () => {
  const url = await freshDatabase()
  const one = running({ store: await openPostgres(url) })
  const two = running({ store: await openPostgres(url) })
  await Promise.all([scraped(one.send), scraped(two.send)])
  const bot = await one.agent('bot')
  await one.send('/v1/calls', { as: bot, body: { ...PAY, key: '1' } })
  await two.send('/v1/calls', { as: bot, body: { ...PAY, key: '2' } })
  await two.send('/v1/calls', { as: bot, body: { ...PAY, key: '3' } })
  const asked = 'countersign_approval_events_total{type="requested"}'
  await expect.poll(async () => sampleOf(await scraped(one.send), asked)).toBe(1)
  await expect.poll(async () => sampleOf(await scraped(two.send), asked)).toBe(2)
  const idle = 'countersign_postgres_connections{state="idle"}'
  expect(sampleOf(await scraped(one.send), idle)).toBeGreaterThanOrEqual(0)
})

promise(
  ['CS-WATCH-2'],
  'the metrics are read from elsewhere with their token, and with no other',
  async () => {
    const { send, agent } = running({
      metricsToken: TOKEN,
      publicUrl: new URL('https://inbox.example.com/'),
    })
    const at = (host: string, authorization?: string) =>
      send('/metrics', { headers: { host, ...(authorization ? { authorization } : {}) } })
    expect((await at('10.1.2.3:4747', `Bearer ${TOKEN}`)).status).toBe(200)
    expect((await at('inbox.example.com', `Bearer ${TOKEN}`)).status).toBe(200)
    expect((await at('10.1.2.3:4747')).status).toBe(404)
    expect((await at('inbox.example.com')).status).toBe(404)
    const bot = await agent('bot')
    for (const wrong of [`Bearer ${TOKEN}x`, TOKEN, 'Bearer ']) {
      expect((await at('10.1.2.3:4747', wrong)).at('error.code')).toBe('token_unknown')
    }
    expect((await at('10.1.2.3:4747', String(bot.authorization))).status).toBe(404)
    // It opens nothing else.
    const asked = await send('/v1/audit', { headers: { authorization: `Bearer ${TOKEN}` } })
    expect(asked.status).toBe(401)
  },
)

test('without a token of its own, a header opens nothing from elsewhere', async () => {
  const { send } = running()
  const headers = { host: '10.1.2.3:4747', authorization: 'Bearer undefined' }
  expect((await send('/metrics', { headers })).status).toBe(401)
})

test('every family has a help line and a type, and labels cannot break out', async () => {
  const { send } = running()
  const text = await scraped(send)
  const names = new Set([...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name]) => name))
  for (const line of text.split('\n').filter((one) => one !== '' && !one.startsWith('#'))) {
    const [, name = ''] = /^([a-z0-9_]+)(?:\{.*\})? -?[\d.e+-]+$/.exec(line) ?? []
    const family = name.replace(/_(?:bucket|sum|count)$/, '')
    expect([line, names.has(name) || names.has(family)]).toEqual([line, true])
  }
  for (const name of names) expect(text).toMatch(new RegExp(`^# HELP ${name} .+\\.$`, 'm'))
  expect(labelsText({ a: 'x"} 1\n\\' })).toBe('a="x\\"} 1\\n\\\\"')
})

test('a histogram sums its buckets up', () => {
  const family = {
    name: 't',
    type: 'histogram',
    unit: '{try}',
    help: 'T.',
    bounds: [1, 2],
  } as const
  const histogram = new Histogram(family)
  for (const value of [0.5, 1, 1.5, 9]) histogram.observe(value)
  expect(histogram.lines({ a: 'b' })).toEqual([
    't_bucket{a="b",le="1"} 2',
    't_bucket{a="b",le="2"} 3',
    't_bucket{a="b",le="+Inf"} 4',
    't_sum{a="b"} 12',
    't_count{a="b"} 4',
  ])
})
