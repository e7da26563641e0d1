import type { Call } from '../../base/call.ts'
import { type ErrorCode, isCountersignError } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { maskText } from '../../base/secrets/mask.ts'
import type {
  Claim,
  Ended,
  JudgedCall,
  Patience,
  Pipeline,
  PipelineOptions,
  Question,
  Waited,
} from '../backend.ts'
import { freshArgs } from '../content/arguments.ts'
import { contain } from '../listeners.ts'
import { milliseconds } from '../options.ts'
import { blocked, type Outcome, pending, refusedBy, unknown } from '../outcome.ts'
import { type StepName, tracedStep } from '../telemetry/telemetry.ts'
import { isUsedByClaim, type NamedTool, NotStarted, type ToolContext } from '../tool.ts'
import { settled, startAllowed } from './allowed.ts'
import { endedBy, errorText } from './ended-by.ts'
import { deniedBy } from './judge.ts'
import { detachable, patienceOf } from './waiting.ts'

/**
 * Judge, ask, wait, claim, run, finish: the way of every call, in this process or over a server.
 * One way out for each thing that can go wrong, and none throws.
 */
export async function runCall<R, J extends JudgedCall, Q extends Question>(
  pipeline: Pipeline<J, Q>,
  call: Call,
  given: NamedTool<R>,
  options: PipelineOptions,
): Promise<Outcome<R>> {
  const { backend } = pipeline
  const { signal, key, join, declared } = options
  const own = milliseconds(options.waitFor)
  if (signal?.aborted) return blocked('withdrawn', { tool: given.name })
  const judged = await pipeline.judge({ call, key, tool: given, join, declared })
  if ('refused' in judged) {
    const before = await backend.find(judged)
    return before && 'id' in before
      ? ((await follow(pipeline, before, patienceOf(signal, own))) as Outcome<R>)
      : judged.refused
  }
  if (signal?.aborted) return blocked('withdrawn', { tool: given.name })
  const { definition, isAllowed } = judged
  const drop = declared?.result === 'drop' || judged.drop === true
  const tool: NamedTool<R> = { ...given, definition, ...(drop ? { drop } : {}) }
  const waitFor = own ?? pipeline.waitFor
  if (isAllowed) {
    const before = await backend.find(judged)
    if (!before) return runAllowed(judged.call, given, freshArgs(judged.bytes), signal)
    if (!('id' in before)) return before
    return waitAndRun(pipeline, before, tool, { ...options, waitFor })
  }
  const asked = await backend.ask(judged, { tool, options })
  if ('refused' in asked) return asked.refused
  if ('allowed' in asked) return runAllowed(judged.call, given, asked.allowed, signal)
  const { question, claimed } = asked
  if (claimed) return runClaimed(pipeline, claimed, tool, signal)
  return waitAndRun(pipeline, question, tool, { ...options, waitFor: waitFor ?? judged.waitFor })
}

/** Allowed, but something was awaited on the way: so the tool gets the bytes that were judged. */
function runAllowed<R>(
  call: Call,
  tool: NamedTool<R>,
  args: Call['args'],
  signal: AbortSignal | undefined,
): Promise<Outcome<R>> {
  return settled(call.tool, startAllowed(tool, call, args, signal))
}

/** A grant let it through: there is no decision to wait for. */
function runClaimed<R, J extends JudgedCall, Q extends Question>(
  pipeline: Pipeline<J, Q>,
  claimed: Claim<Q>,
  tool: NamedTool<R>,
  signal: AbortSignal | undefined,
): Promise<Outcome<R>> {
  const { question } = claimed
  tellDecided(pipeline, question)
  return pipeline.waiting.during(question.id, () => execute(pipeline, claimed, tool, signal))
}

/** Inside of a span where spans are collected. */
function step<T>(
  pipeline: Pick<Pipeline<JudgedCall, Question>, 'telemetry'>,
  name: StepName,
  question: Question,
  work: () => Promise<T>,
): Promise<T> {
  return pipeline.telemetry ? tracedStep(pipeline, name, question, work) : work()
}

type Waiting = Omit<PipelineOptions, 'waitFor'> & { readonly waitFor: number | undefined }

/** Waits for the answer to what was asked, and runs the call if it is yes. */
function waitAndRun<R, J extends JudgedCall, Q extends Question>(
  pipeline: Pipeline<J, Q>,
  question: Q,
  tool: NamedTool<R>,
  { signal, detach, onPending, wait, waitFor, returnQuestions }: Waiting,
): Promise<Outcome<R>> | Outcome<R> {
  const { backend, announce, waiting } = pipeline
  const { id } = question
  const isOpen = question.status === 'pending'
  if (isOpen) {
    contain(() => onPending?.(question))
    if (wait === false) return pendingNow(pipeline, question)
  }
  const patience = patienceOf(signal, waitFor)
  return waiting.during(id, async () => {
    let waited: Waited<Q>
    const quiet = isOpen ? announce({ id, tool: question.tool }) : () => {}
    try {
      waited = await step(pipeline, 'countersign.wait', question, () =>
        backend.wait(question, returnQuestions ? isNews : isDecided, detachable(patience, detach)),
      )
      if (waited.stopped) {
        return detach?.aborted && !signal?.aborted
          ? await pendingNow(pipeline, waited.question)
          : await stopWaiting(pipeline, waited.question)
      }
      if (!isDecided(waited.question)) return await pendingNow(pipeline, waited.question)
    } catch (error) {
      return refusedBy(error, question.tool, question.approval)
    } finally {
      quiet()
    }
    tellDecided(pipeline, waited.question)
    return useApproval(pipeline, waited.question, tool, patience)
  })
}

function tellDecided(
  { listeners }: Pick<Pipeline<JudgedCall, Question>, 'listeners'>,
  { approval }: Question,
): void {
  if (approval) listeners.emit('decided', { approval })
}

function isDecided({ status }: Question): boolean {
  return status !== 'pending'
}

/** There is something for the caller to do. */
function isNews(question: Question): boolean {
  return isDecided(question) || question.isAskedBack === true
}

/** What was asked back is read only where there is something. */
async function pendingNow<R, J extends JudgedCall, Q extends Question>(
  { backend }: Pipeline<J, Q>,
  question: Q,
): Promise<Outcome<R>> {
  if (!question.isAskedBack) return pending(question)
  try {
    return (await backend.outcomeOf(question)) as Outcome<R>
  } catch {
    return pending(question)
  }
}

function isSettled({ execution }: Question): boolean {
  return execution !== 'running'
}

/** The caller is gone. A later approval would run something that no caller here waits for. */
async function stopWaiting<J extends JudgedCall, Q extends Question>(
  pipeline: Pipeline<J, Q>,
  question: Q,
): Promise<Outcome<never>> {
  const { id, tool, approval } = question
  if (!pipeline.waiting.isAlone(id)) return pendingNow(pipeline, question)
  const now = await pipeline.backend.withdraw(question)
  if (!now) return blocked('withdrawn', { tool, approval, as: 'unavailable' })
  if (now.status !== 'withdrawn') {
    return (await pipeline.backend.outcomeOf(now)) as Outcome<never>
  }
  tellDecided(pipeline, now)
  return blocked('withdrawn', { tool, approval: now.approval })
}

/** Spends a yes and runs its call; for anything else, tells what became of it. */
export async function useApproval<R, J extends JudgedCall, Q extends Question>(
  pipeline: Pipeline<J, Q>,
  question: Q,
  tool: NamedTool<R>,
  patience: Patience,
): Promise<Outcome<R>> {
  const { backend } = pipeline
  const { signal } = patience
  let claimed: Claim<Q>
  try {
    if (question.execution) return (await follow(pipeline, question, patience)) as Outcome<R>
    if (question.status !== 'approved') return (await backend.outcomeOf(question)) as Outcome<R>
    if (signal?.aborted) return await stopWaiting(pipeline, question)
    await pipeline.probe('answer.known', question)
    const { definitionNow = async () => tool.definition } = tool
    const definition = await definitionNow()
    claimed = await step(pipeline, 'countersign.claim', question, () =>
      backend.claim(question, definition),
    )
  } catch (error) {
    return (await notClaimed(pipeline, question, error, patience)) as Outcome<R>
  }
  // Outside of the try: once this began, it can no longer be said that the call did not run.
  return execute(pipeline, claimed, tool, signal)
}

async function notClaimed<J extends JudgedCall, Q extends Question>(
  pipeline: Pipeline<J, Q>,
  question: Q,
  error: unknown,
  patience: Patience,
): Promise<Outcome> {
  const { backend, mode } = pipeline
  const { tool, approval } = question
  if (isCountersignError(error) && HELD_BACK.includes(error.code)) {
    // Another caller may have started it before that: then how it ended is the truth.
    const now = await backend.look(question).catch(() => undefined)
    if (now?.execution) return follow(pipeline, now, patience)
  }
  if (isCountersignError(error, 'denied_by_policy')) return deniedBy(error.message, mode, tool)
  if (!isCountersignError(error) || !ENDED.includes(error.code)) {
    return refusedBy(error, tool, approval)
  }
  try {
    const now = await backend.look(question)
    return now.execution ? await follow(pipeline, now, patience) : await backend.outcomeOf(now)
  } catch (failure) {
    return error.code === 'already_claimed'
      ? unknown('already_claimed', question)
      : refusedBy(failure, tool, approval)
  }
}

/** Blocked before the store was asked to spend it. */
const HELD_BACK: readonly ErrorCode[] = ['denied_by_policy', 'locked', 'quarantined']

const ENDED: readonly ErrorCode[] = [
  'already_claimed',
  'denied',
  'expired',
  'withdrawn',
  'invalidated',
]

/** Someone else runs this very call, or has run it: wait for their result instead of a second run. */
async function follow<J extends JudgedCall, Q extends Question>(
  { backend }: Pipeline<J, Q>,
  question: Q,
  patience: Patience,
): Promise<Outcome> {
  try {
    const waited = await backend.wait(question, isSettled, patience)
    return await backend.outcomeOf(waited.question)
  } catch {
    return unknown('already_claimed', question)
  }
}

/** Runs a claimed call, once, and writes down how it ended. */
async function execute<R, J extends JudgedCall, Q extends Question>(
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
  const stopped = notStarted(claim, tool, signal)
  if (stopped) return leaveUnstarted(pipeline, claim, stopped)
  const stopRenewing = keepLease(pipeline, claim)
  let ended: { readonly result: R } | { readonly error: unknown }
  try {
    const running = async () => tool.start(args, context)
    ended = { result: await step(pipeline, 'countersign.run', question, running) }
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

function notStarted(claim: Claim, { start }: NamedTool, signal: AbortSignal | undefined) {
  if (signal?.aborted) return 'withdrawn'
  if (claim.mayStart()) return undefined
  return isUsedByClaim(start) && claim.mayStart('any time') ? undefined : 'not_started'
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
