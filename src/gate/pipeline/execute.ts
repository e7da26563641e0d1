import type { Approval } from '../../approval/approval.ts'
import type { Finish, Lost } from '../../approval/command.ts'
import { isCountersignError } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { maskText } from '../../base/secrets/mask.ts'
import { editedBy } from '../content/edited.ts'
import { freshArgs } from '../content/snapshot.ts'
import { hiddenTexts } from '../content/view.ts'
import type { GateContext } from '../context.ts'
import { blocked, type Outcome } from '../outcome.ts'
import { tracedStep } from '../telemetry/traced-call.ts'
import { type NamedTool, NotStarted, type ToolContext } from '../tool.ts'
import type { Claimed } from './claim.ts'
import { endedBy, errorText } from './ended-by.ts'
import { keptResult } from './stored-result.ts'

// A result is worth more than its record: a store that hangs holds it up no longer than this.
const RECORD_PATIENCE = 5_000

/** Runs a claimed call, once, and writes down how it ended. */
export async function execute<R>(
  core: GateContext,
  claimed: Claimed,
  tool: NamedTool<R>,
  signal: AbortSignal | undefined,
): Promise<Outcome<R>> {
  const { approval, payload } = claimed
  await core.probe('claim.committed', approval)
  const edited = editedBy(claimed)
  const args = freshArgs(claimed)
  const context: ToolContext = {
    approval,
    decision: payload,
    idempotencyKey: approval.id,
    signal,
    edited: edited !== undefined,
    countersign: claimed.countersign,
  }
  const stopped = notStarted(claimed, signal)
  if (stopped) return leaveUnstarted(core, claimed, stopped)
  let ended: { readonly result: R } | { readonly error: unknown }
  try {
    const running = async () => tool.start(args, context)
    ended = { result: await tracedStep(core, 'countersign.run', approval, running) }
  } catch (error) {
    ended = { error }
  }
  await core.probe('tool.returned', approval)
  const end =
    'result' in ended ? succeeded(claimed, tool, ended.result) : thrown(claimed, ended.error)
  const record = await recorded(core, approval, end)
  await core.probe('outcome.recorded', record.approval)
  const told = {
    approval: record.approval,
    ...(payload === undefined ? {} : { payload }),
    ...(edited ? { edited } : {}),
    ...(record.isWritten ? {} : { unrecorded: true as const }),
  }
  if ('result' in ended) {
    const note = edited ? { modelMessage: edited.modelMessage } : {}
    return { status: 'succeeded', ran: true, result: ended.result, ...told, ...note }
  }
  const by = { id: approval.id, known: secretsOf(claimed) }
  return { ...endedBy(tool.name, ended.error, by), ...told }
}

function notStarted({ mayStart }: Claimed, signal: AbortSignal | undefined) {
  if (signal?.aborted) return 'withdrawn'
  return mayStart() ? undefined : 'not_started'
}

/** Claimed, and then not started after all. It is spent; the record says that it never ran. */
async function leaveUnstarted(
  core: GateContext,
  { approval, claim }: Claimed,
  code: 'withdrawn' | 'not_started',
): Promise<Outcome<never>> {
  const message = 'it was claimed and never started'
  const finish = finishing(claim, 'failed', { result: { code: 'not_started', message } })
  const record = await recorded(core, approval, finish)
  return blocked(code, { tool: approval.call.tool, approval: record.approval })
}

function succeeded(
  { approval, policy, claim }: Claimed,
  { drop }: Pick<NamedTool, 'drop'>,
  result: unknown,
): Finish {
  const kept = drop ? { drop } : keptResult(policy, approval.call, result)
  return finishing(claim, 'succeeded', kept)
}

function secretsOf(claimed: Claimed): readonly string[] {
  return hiddenTexts(freshArgs(claimed), claimed.shown.masked)
}

/** Tools quote their arguments when they fail, and what they say is shown and told on. */
function thrown(claimed: Claimed, error: unknown): Finish | Lost {
  const { claim } = claimed
  if (isCountersignError(error, 'outcome_unknown')) {
    return { type: 'lost', commandId: crypto.randomUUID(), claim }
  }
  const name = error instanceof Error ? error.name : typeof error
  const message = maskText(errorText(error), secretsOf(claimed))
  const result: JsonObject =
    error instanceof NotStarted ? { code: error.code, message } : { name, message }
  return finishing(claim, 'failed', { result })
}

function finishing(claim: string, outcome: Finish['outcome'], rest: Partial<Finish>): Finish {
  return { type: 'finish', commandId: crypto.randomUUID(), claim, outcome, ...rest }
}

/** Writes the end down, and goes on trying behind the caller's back when the store is away. */
async function recorded(core: GateContext, approval: Approval, end: Finish | Lost) {
  let now = approval
  const work = core.background.insist(async () => {
    now = (await core.store.apply(approval.id, end)).approval
  })
  const isWritten = (await inTime(work)) === 'done'
  return { approval: now, isWritten }
}

async function inTime<T>(work: Promise<T>): Promise<T | 'late'> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), RECORD_PATIENCE)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
