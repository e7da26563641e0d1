import type { Json, JsonObject } from '../../base/json/json.ts'
import { type Decision, NotApproved, refusalOf } from '../decision.ts'
import { decideDurably } from '../durably.ts'
import type { WorkflowGate } from '../gates.ts'
import { StepBlocked, type StepOptions, type StepTool, stepDurably } from '../guard-step.ts'
import { type ApprovalRequest, DEFAULT_NAME } from '../question.ts'
import { engineFor, type WorkflowRun } from './engine.ts'

/** Asks, waits, and resolves with the answer; what waits and what ended is reported. */
export async function askPeople<P = Json>(
  workflow: WorkflowRun,
  gate: WorkflowGate,
  request: ApprovalRequest,
): Promise<Decision<P>> {
  const { name = DEFAULT_NAME, title = `${name} waits for approval` } = request
  const { engine, ended } = await engineFor(workflow, name, title)
  const decision = await decideDurably<P>(engine, gate, request)
  await ended(decision.status)
  return decision
}

export async function askThenRun<A extends JsonObject, R>(
  workflow: WorkflowRun,
  gate: WorkflowGate,
  tool: StepTool<A, R>,
  { args, options = {} }: { readonly args: A; readonly options?: StepOptions | undefined },
): Promise<R> {
  const { name = tool.name } = options
  const { engine, ended } = await engineFor(workflow, name, `${tool.name} waits for approval`)
  try {
    const result = await stepDurably(engine, gate, tool, args, options)
    await ended('approved')
    return result
  } catch (error) {
    await ended(error instanceof StepBlocked ? (refusalOf(error.code) ?? 'approved') : 'approved')
    throw error
  }
}

export function approvedOrThrow<P>(
  decision: Decision<P>,
): Decision<P> & { readonly status: 'approved' } {
  const { status } = decision
  if (status === 'approved') return { ...decision, status }
  throw new NotApproved(decision as Decision)
}
