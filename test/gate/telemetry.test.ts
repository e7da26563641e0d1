import { AsyncLocalStorage } from 'node:async_hooks'
import { type Context, context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTelemetry } from '../../src/gate/telemetry/opentelemetry.ts'
import type { Telemetry } from '../../src/gate/telemetry/telemetry.ts'
import { promise } from '../support/promise.ts'
import { approve, kim, nextPending, setUp } from './gates.ts'

const exporter = new InMemorySpanExporter()
let telemetry: Telemetry

beforeAll(async () => {
  const held = new AsyncLocalStorage<Context>()
  const manager = {
    active: () => held.getStore() ?? ROOT_CONTEXT,
    with: <A extends unknown[], R>(
      now: Context,
      work: (...args: A) => R,
      self: unknown,
      ...args: A
    ) => held.run(now, () => work.apply(self as never, args)),
    bind: <T>(_: Context, target: T) => target,
    enable: () => manager,
    disable: () => manager,
  }
  context.setGlobalContextManager(manager as never)
  const early = await openTelemetry()
  expect(early.isHeard, 'before anybody set tracing up').toBe(false)
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter } as never)] }),
  )
  telemetry = await openTelemetry()
  expect([early.isHeard, telemetry.isHeard], 'since then').toEqual([true, true])
})

beforeEach(() => exporter.reset())

afterAll(() => {
  trace.disable()
  context.disable()
})

const named = (name: string): ReadableSpan => {
  const found = exporter.getFinishedSpans().find((span) => span.name === name)
  if (!found)
    throw new Error(`${name} is not among ${exporter.getFinishedSpans().map((s) => s.name)}`)
  return found
}

const args = { amount: 5, pin: 'CANARY-pin', password: 'CANARY-password' }

promise(['CS-SEC-9'], 'a call that waits is one span with its steps inside', async () => {
  const { gate, tool } = await setUp('sqlite', { telemetry, agent: 'biller', run: 'chat-1' })
  const running = gate.run({ tool: 'pay', args, key: 'call-7' }, tool)
  const approval = await nextPending(gate)
  // Decided by somebody with a trace of their own.
  await telemetry.span({ name: 'their request', attributes: {} }, () =>
    approve(gate, approval, kim),
  )
  expect((await running).status).toBe('succeeded')
  const whole = named('execute_tool pay')
  expect(whole.attributes).toEqual({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'pay',
    'gen_ai.tool.call.id': 'call-7',
    'gen_ai.agent.name': 'biller',
    'gen_ai.conversation.id': 'chat-1',
    'countersign.status': 'succeeded',
    'countersign.approval.id': approval.id,
  })
  for (const step of ['ask', 'wait', 'claim', 'run']) {
    expect(named(`countersign.${step}`).parentSpanContext?.spanId, step).toBe(
      whole.spanContext().spanId,
    )
  }
  const decided = named('countersign.decide')
  const asked = named('countersign.ask').spanContext()
  expect(decided.parentSpanContext?.spanId).toBe(named('their request').spanContext().spanId)
  expect(decided.spanContext().traceId).not.toBe(asked.traceId)
  expect(decided.links.map((link) => link.context)).toMatchObject([
    { traceId: asked.traceId, spanId: asked.spanId },
  ])
  expect(decided.attributes).toMatchObject({ 'countersign.decision': 'approve' })
})

promise(['CS-SEC-9'], 'what is resumed elsewhere links to what asked', async () => {
  const { gate, tool } = await setUp('memory', { telemetry })
  const checked = await gate.check({ tool: 'pay', args })
  if (checked.status !== 'pending') throw new Error(checked.status)
  await approve(gate, checked.approval, kim)
  await gate.resume(checked.approval.id, { pay: tool })
  const asked = named('countersign.ask').spanContext()
  expect(named('execute_tool pay').links[0]?.context).toMatchObject({ spanId: asked.spanId })
})

promise(['CS-SEC-9'], 'nothing of arguments, results and errors is in a span', async () => {
  const { gate } = await setUp('memory', { telemetry, run: 'token=CANARY-run' })
  const call = { tool: 'pay', args, context: { says: 'CANARY-says' } }
  const running = gate.run(call, () => {
    throw new Error('CANARY-thrown')
  })
  await approve(gate, await nextPending(gate), kim)
  expect((await running).status).toBe('failed')
  await gate.run({ tool: 'nuke', args }, () => 'CANARY-result')
  const all = exporter.getFinishedSpans()
  expect(all.map(({ name }) => name)).toContain('execute_tool nuke')
  expect(named('execute_tool pay').status).toEqual({ code: 2 })
  expect(named('execute_tool pay').attributes).toMatchObject({
    'gen_ai.conversation.id': 'token=[secret]',
    'error.type': 'failed',
  })
  const written = all.map(({ name, attributes, events, links, status }) => [
    name,
    attributes,
    events,
    links,
    status,
  ])
  expect(JSON.stringify(written)).not.toContain('CANARY')
})

test('a call that needs nobody is traced as well, and telemetry that breaks costs no result', async () => {
  const { gate } = await setUp('memory', { telemetry })
  expect(await gate.run({ tool: 'read', args: {} }, () => 7)).toMatchObject({ result: 7 })
  expect(named('execute_tool read').attributes).toMatchObject({ 'countersign.status': 'succeeded' })
  const provider = trace.getTracerProvider()
  trace.disable()
  trace.setGlobalTracerProvider({
    getTracer: () => ({
      startActiveSpan: (_: string, __: object, work: (span: object) => unknown) =>
        work({
          spanContext: () => ({ traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceFlags: 0 }),
          setAttributes: broken,
          setAttribute: broken,
          setStatus: broken,
          end: broken,
        }),
    }),
  } as never)
  const { gate: other } = await setUp('memory', { telemetry: await openTelemetry() })
  expect(await other.run({ tool: 'read', args: {} }, () => 8)).toMatchObject({ result: 8 })
  trace.disable()
  trace.setGlobalTracerProvider(provider)
})

function broken(): never {
  throw new Error('the exporter is broken')
}
