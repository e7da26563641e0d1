import { isCountersignError } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { maskText } from '../../base/secrets/mask.ts'
import type { Claim, Ended, JudgedCall, Pipeline, Question } from '../backend.ts'
import { blocked, type Outcome } from '../outcome.ts'
import { tracedStep } from '../telemetry/telemetry.ts'
import { type NamedTool, NotStarted, type ToolContext } from '../tool.ts'
import { endedBy, errorText } from './ended-by.ts'

/** Runs a claimed call, once, and writes down how it ended. */
export async function execute<R, J extends JudgedCall, Q extends Question>(
  pipeline: Pipeline<J, Q>,
  claim: Claim<Q>,
  tool: NamedTool<R>,
  signal: AbortSignal | undefined,
): Promise<Outcome<R>> {
  const { backend } = pipeline
  const { question, payload, edited } = claim
  const { id } = question
  await pipeline.probe('claim.committed', question)
  const { args } = claim
  const context: ToolContext = {
    approval: question.approval,
    decision: payload,
    idempotencyKey: id,
    signal,
    edited: edited !== undefined,
    countersign: claim.countersign,
  }
  const stopped = notStarted(claim, signal)
  if (stopped) return leaveUnstarted(pipeline, claim, stopped)
  const stopRenewing = keepLease(pipeline, claim)
  let ended: { readonly result: R } | { readonly error: unknown }
  try {
    const running = async () => tool.start(args, context)
    ended = { result: await tracedStep(pipeline, 'countersign.run', question, running) }
  } catch (error) {
    ended = { error }
  } finally {
    stopRenewing()
  }
  await pipeline.probe('tool.returned', question)
  const drop = tool.drop === true || claim.drop
  const record = await backend.finish(
    claim,
    'result' in ended
      ? { outcome: 'succeeded', result: ended.result, drop }
      : thrown(claim, ended.error),
  )
  const { approval } = record.question
  await pipeline.probe('outcome.recorded', record.question)
  const told = {
    approvalId: id,
    ...(approval ? { approval } : {}),
    ...(payload === undefined ? {} : { payload }),
    ...(edited ? { edited } : {}),
    ...(record.isWritten ? {} : { unrecorded: true as const }),
  }
  if ('result' in ended) {
    const note = edited ? { modelMessage: edited.modelMessage } : {}
    return { status: 'succeeded', ran: true, result: ended.result, ...told, ...note }
  }
  return { ...endedBy(tool.name, ended.error, { id, known: claim.secrets() }), ...told }
}

function notStarted(claim: Claim, signal: AbortSignal | undefined) {
  if (signal?.aborted) return 'withdrawn'
  return claim.mayStart() ? undefined : 'not_started'
}

/** Claimed, and then not started after all. It is spent; the record says that it never ran. */
async function leaveUnstarted<J extends JudgedCall, Q extends Question>(
  { backend }: Pipeline<J, Q>,
  claim: Claim<Q>,
  code: 'withdrawn' | 'not_started',
): Promise<Outcome<never>> {
  const result = { code: 'not_started', message: 'it was claimed and never started' }
  const { question } = await backend.finish(claim, { outcome: 'failed', result })
  return blocked(code, { tool: question.tool, approval: question.approval })
}

/** Tools quote their arguments when they fail, and what they say is shown and told on. */
function thrown(claim: Claim, error: unknown): Ended {
  if (isCountersignError(error, 'outcome_unknown')) return { outcome: 'unknown' }
  const name = error instanceof Error ? error.name : typeof error
  const message = maskText(errorText(error), claim.secrets())
  const result: JsonObject =
    error instanceof NotStarted ? { code: error.code, message } : { name, message }
  return { outcome: 'failed', result }
}

/** Says that the call still runs. A server that is away for a moment is told the next time. */
function keepLease<J extends JudgedCall, Q extends Question>(
  { backend }: Pipeline<J, Q>,
  claim: Claim<Q>,
): () => void {
  const { lease } = claim
  if (lease === undefined) return () => {}
  const timer = setInterval(() => void backend.renew(claim).catch(() => {}), lease / 3)
  return () => clearInterval(timer)
}
