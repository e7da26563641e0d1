import type { Question } from '../backend.ts'
import { questionOf } from '../content/stored-content.ts'
import type { GateContext } from '../context.ts'
import type { Outcome } from '../outcome.ts'
import { callAttributes, type Started, traced } from './telemetry.ts'

export interface TracedCall {
  readonly call: Parameters<typeof callAttributes>[0]
  /** The span that asked, where that was somewhere else. */
  readonly about?: string | undefined
}

/** The span that everything about one call lies in. */
export function tracedCall<R>(
  { telemetry }: GateContext,
  { call, about }: TracedCall,
  work: () => Promise<Outcome<R>>,
): Promise<Outcome<R>> {
  if (!telemetry) return work()
  const attributes = callAttributes(call)
  const name = `execute_tool ${attributes['gen_ai.tool.name'] ?? ''}`
  return telemetry.span({ name, attributes, about }, async (span) => {
    const outcome = await work()
    const { status, approval } = outcome
    span.set({ 'countersign.status': status, 'countersign.approval.id': approval?.id })
    if (status !== 'succeeded') span.fail(status)
    return outcome
  })
}

export type StepName = 'countersign.wait' | 'countersign.claim' | 'countersign.run'

/** One step of a call that was asked about. */
export function tracedStep<T>(
  { telemetry }: Pick<GateContext, 'telemetry'>,
  name: StepName,
  { id, tool }: Pick<Question, 'id' | 'tool'>,
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

/** The span that asked, as it is kept with the approval; looked up only while tracing. */
export async function askedBy(
  { telemetry, store }: GateContext,
  id: string,
): Promise<string | undefined> {
  if (!telemetry) return undefined
  return questionOf(await store.content(id, ['question']).catch(() => []))?.trace
}
