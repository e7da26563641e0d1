import { metrics } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTelemetry } from '../../src/gate/telemetry/opentelemetry.ts'
import type { Telemetry } from '../../src/gate/telemetry/telemetry.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { running } from '../server/harness.ts'
import { promise } from '../support/promise.ts'
import { approve, BOTH, kim, nextPending, setUp } from './gates.ts'

const exporter = new InMemoryMetricExporter(AggregationTemporality.DELTA)
// Collected when a test says so.
const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
let telemetry: Telemetry

beforeAll(async () => {
  telemetry = await openTelemetry()
  expect([telemetry.isHeard, telemetry.meter?.isHeard], 'before a provider').toEqual([false, false])
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
  expect([telemetry.isHeard, telemetry.meter?.isHeard], 'since then').toEqual([true, true])
})

beforeEach(async () => {
  await reader.forceFlush()
  exporter.reset()
})

afterAll(() => metrics.disable())

interface Collected {
  readonly unit: string
  readonly points: Readonly<Record<string, unknown>>
}

/** Each family with its unit, and the value or count of each combination of attributes. */
async function collected(): Promise<Record<string, Collected>> {
  await reader.forceFlush()
  const all = exporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap((scope) => scope.metrics)
  exporter.reset()
  return Object.fromEntries(
    all.map(({ descriptor, dataPoints }) => {
      const points = dataPoints.map(({ attributes, value }) => [
        Object.entries(attributes)
          .map(([name, one]) => `${name}=${one}`)
          .join(),
        value,
      ])
      return [descriptor.name, { unit: descriptor.unit, points: Object.fromEntries(points) }]
    }),
  )
}

promise.each(
  ['CS-WATCH-4'],
  'what a gate did is measured: calls, events of approvals and times',
  BOTH,
  async (name) => {
    const { gate, tool, clock } = await setUp(name, { telemetry })
    await gate.ready()
    await gate.run({ tool: 'read', args: {} }, tool)
    await gate.run({ tool: 'nuke', args: {} }, tool)
    const call = { tool: 'pay', args: { amount: 5, pin: 'CANARY-pin' } }
    const paying = gate.run(call, tool)
    const first = await nextPending(gate)
    const open = await collected()
    expect(open['countersign.pending_approvals']).toEqual({ unit: '{approval}', points: { '': 1 } })
    expect(open['countersign.pending_by_risk']?.points).toMatchObject({ 'risk=unrated': 1 })
    expect(open['countersign.outbox.lag']).toEqual({ unit: 's', points: { '': 0 } })
    expect(open['countersign.sweeper.lag']).toEqual({ unit: 's', points: { '': 0 } })
    clock.advance(20_000)
    await approve(gate, first, kim)
    expect((await paying).status).toBe('succeeded')
    const done = await collected()
    const summed = (family: string, key: string) =>
      Number(open[family]?.points[key] ?? 0) + Number(done[family]?.points[key] ?? 0)
    expect(summed('countersign.calls.judged', 'verdict=allow')).toBe(1)
    expect(summed('countersign.calls.judged', 'verdict=deny')).toBe(1)
    for (const type of ['requested', 'decided', 'approved', 'claimed', 'finished']) {
      expect([type, summed('countersign.approval.events', `type=${type}`)]).toEqual([type, 1])
    }
    const decision = done['countersign.time_to_decision']
    expect(decision?.unit).toBe('s')
    expect(decision?.points['outcome=approved']).toMatchObject({ count: 1, sum: 20 })
    const calls = done['countersign.call.duration']
    expect(calls?.unit).toBe('s')
    expect(calls?.points['status=succeeded']).toMatchObject({ count: 1 })
    expect(open['countersign.call.duration']?.points).toMatchObject({
      'status=succeeded': { count: 1 },
      'status=blocked': { count: 1 },
    })
    expect(done['countersign.pending_approvals']?.points).toEqual({ '': 0 })
    expect(JSON.stringify([open, done])).not.toMatch(/CANARY|biller|chat-1|kim|pay/)
    await gate.close()
    expect(await collected()).not.toHaveProperty(['countersign.pending_approvals'])
  },
)

promise(['CS-WATCH-4'], 'two gates on one store count each event once', async () => {
  const store = memoryStore()
  const one = await setUp('memory', { telemetry, store })
  const two = await setUp('memory', { telemetry, store })
  await one.gate.ready()
  await one.gate.check({ tool: 'pay', args: { amount: 1 } })
  await two.gate.check({ tool: 'pay', args: { amount: 2 } })
  await one.gate.close()
  const now = await collected()
  expect(now['countersign.approval.events']?.points).toEqual({ 'type=requested': 2 })
  expect(now['countersign.pending_approvals']?.points).toEqual({ '': 2 })
  // What is recorded after the last collection counts, too.
  await two.gate.check({ tool: 'pay', args: { amount: 3 } })
  await two.gate.close()
  const last = await collected()
  expect(last['countersign.approval.events']?.points).toEqual({ 'type=requested': 1 })
})

test('of two stores in one process counts are added up', async () => {
  const [one, two] = [await setUp('memory', { telemetry }), await setUp('memory', { telemetry })]
  for (const { gate } of [one, two]) await gate.check({ tool: 'pay', args: { amount: 1 } })
  expect((await collected())['countersign.pending_approvals']?.points).toEqual({ '': 2 })
  await Promise.all([one.gate.close(), two.gate.close()])
})

promise(
  ['CS-WATCH-4'],
  'a server gives OpenTelemetry the numbers that Prometheus reads, under names that become the same',
  async () => {
    const { send, agent, person, server } = running({ telemetry })
    await send('/metrics')
    const [bot, ana] = [await agent('bot'), await person('ana@example.com')]
    const pay = { tool: 'pay', run: 'r', args: { amount: 500, to: 'CANARY-payee' } }
    const asked = await send('/v1/calls', { as: bot, body: { ...pay, key: '1' } })
    await send('/v1/calls', { as: bot, body: { ...pay, key: '2' } })
    await send('/v1/calls', { as: bot, body: { tool: 'read', args: {} } })
    await send('/v1/calls', { as: bot, body: { tool: 'wipe', args: {} } })
    const yes = { verdict: 'approve', digest: asked.at('digest') }
    await send(`/v1/approvals/${asked.at('id')}/decisions`, { as: ana, body: yes })
    await send(`/v1/approvals/${asked.at('id')}/decisions`, { as: bot, body: yes })
    const now = await collected()
    const text = String((await send('/metrics')).body)
    expect(now['countersign.calls.judged']?.points).toEqual({
      'verdict=allow': 1,
      'verdict=deny': 1,
    })
    expect(now['countersign.approval.events']?.points).toMatchObject({
      'type=requested': 2,
      'type=approved': 1,
    })
    expect(now['countersign.time_to_decision']?.points['outcome=approved']).toMatchObject({
      count: 1,
    })
    expect(now['countersign.refused_attempts']?.points).toEqual({ 'code=not_permitted': 1 })
    expect(now['countersign.pending_by_risk']?.points).toMatchObject({ 'risk=L3': 1, 'risk=L4': 0 })
    expect(now['countersign.event_loop.delay']?.points).toHaveProperty(['quantile=0.99'])
    expect(now['countersign.registered_tools']?.unit).toBe('{tool}')
    // OpenTelemetry's own rule for names in Prometheus: dots, then the unit, then the type.
    const families = new Map([...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, n, t]) => [n, t]))
    const ours = Object.entries(now).map(([name, { unit }]) => {
      const base = `${name.replaceAll('.', '_')}${unit === 's' ? '_seconds' : ''}`
      return families.has(base) || families.has(`${base}_total`) ? 'same' : name
    })
    expect(new Set(ours)).toEqual(new Set(['same']))
    expect(JSON.stringify(now)).not.toMatch(/CANARY|ana@|bot/)
    await server.close()
  },
)

test('a gate whose telemetry has no meter makes no metrics', async () => {
  const { gate, tool } = await setUp('memory', { telemetry: { ...telemetry, meter: undefined } })
  expect((await gate.run({ tool: 'read', args: {} }, tool)).status).toBe('succeeded')
  expect(await collected()).not.toHaveProperty(['countersign.calls.judged'])
})
