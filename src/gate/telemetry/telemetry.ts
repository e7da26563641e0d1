import { agentAlias, type Call } from '../../base/call.ts'
import { maskText } from '../../base/secrets/mask.ts'
import type { Meter } from '../metrics/family.ts'
import { CALLS } from '../metrics/measure.ts'
import type { Outcome } from '../outcome.ts'

/*
 * Where spans begin and end, without knowing who collects them. Attributes are names and ids from
 * this list and nothing else: no argument, no result and no message of an error is ever one.
 */
export interface Telemetry {
  /** False while spans and metrics go nowhere: then none need be made. */
  readonly isHeard?: boolean
  /** Where metrics go; none are made without it. */
  readonly meter?: Meter | undefined
  span<T>(started: Started, work: (span: Span) => Promise<T>): Promise<T>
}

interface Started {
  readonly name: string
  readonly attributes: Attributes
  /** The span that asked, as W3C `traceparent`, where this one is about its approval. */
  readonly about?: string | undefined
}

export interface Span {
  /** Of this span, as W3C `traceparent`; undefined where spans go nowhere. */
  readonly traceparent: string | undefined
  set(attributes: Attributes): void
  /** It did not go well: one word for why, never what an error said. */
  fail(type: string): void
}

export interface Attributes {
  readonly 'gen_ai.operation.name'?: 'execute_tool'
  readonly 'gen_ai.tool.name'?: string | undefined
  readonly 'gen_ai.tool.call.id'?: string | undefined
  readonly 'gen_ai.agent.name'?: string | undefined
  readonly 'gen_ai.conversation.id'?: string | undefined
  readonly 'countersign.server'?: string | undefined
  readonly 'countersign.approval.id'?: string | undefined
  readonly 'countersign.status'?: string | undefined
  readonly 'countersign.decision'?: string | undefined
}

const SILENT: Span = { traceparent: undefined, set() {}, fail() {} }

/** Work inside of a span where there is telemetry; else just the work. */
export function traced<T>(
  telemetry: Telemetry | undefined,
  started: () => Started,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  return telemetry ? telemetry.span(started(), work) : work(SILENT)
}

type Named = Pick<Call, 'tool' | 'server' | 'agent' | 'run' | 'key'>

/** A call by the names that readers of agent traces know. */
export function callAttributes(call: Named): Attributes {
  const { tool, server, run, key } = call
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': shown(tool),
    'gen_ai.tool.call.id': shown(key),
    'gen_ai.agent.name': shown(agentAlias(call as Call)),
    'gen_ai.conversation.id': shown(run),
    'countersign.server': shown(server),
  }
}

/** Names come from models, too. */
function shown(name: unknown): string | undefined {
  return typeof name === 'string' && name !== '' ? maskText(name.slice(0, 256)) : undefined
}

/** What may have telemetry. */
interface Traced {
  readonly telemetry: Telemetry | undefined
}

export interface TracedCall {
  readonly call: Parameters<typeof callAttributes>[0]
  /** The span that asked, where that was somewhere else. */
  readonly about?: string | undefined
}

/** The span that everything about one call lies in. */
export function tracedCall<R>(
  { telemetry }: Traced,
  { call, about }: TracedCall,
  work: () => Promise<Outcome<R>>,
): Promise<Outcome<R>> {
  if (!telemetry) return work()
  const attributes = callAttributes(call)
  const name = `execute_tool ${attributes['gen_ai.tool.name'] ?? ''}`
  const startedAt = performance.now()
  return telemetry.span({ name, attributes, about }, async (span) => {
    const outcome = await work()
    const { status, approval } = outcome
    telemetry.meter?.record(CALLS, { status }, (performance.now() - startedAt) / 1_000)
    span.set({ 'countersign.status': status, 'countersign.approval.id': approval?.id })
    if (status !== 'succeeded') span.fail(status)
    return outcome
  })
}

export type StepName = 'countersign.wait' | 'countersign.claim' | 'countersign.run'

/** One step of a call that was asked about. */
export function tracedStep<T>(
  { telemetry }: Traced,
  name: StepName,
  { id, tool }: { readonly id: string; readonly tool: string },
  work: () => Promise<T>,
  about?: string | undefined,
): Promise<T> {
  const started = (): Started => ({
    name,
    about,
    attributes: { 'gen_ai.tool.name': tool, 'countersign.approval.id': id },
  })
  return traced(telemetry, started, work)
}
