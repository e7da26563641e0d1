import type { Approval } from '../approval/approval.ts'
import type { Finish } from '../approval/command.ts'
import type { JsonObject } from '../base/json.ts'
import { maskText } from '../base/mask.ts'
import type { Claimed } from './claim.ts'
import type { Core } from './core.ts'
import { editedBy } from './edited.ts'
import { keptResult } from './kept-result.ts'
import { type Outcome, refusal } from './outcome.ts'
import { sentence } from './sentences.ts'
import { freshArgs } from './snapshot.ts'
import type { NamedTool, ToolContext } from './tool.ts'
import { tracedStep } from './traced-call.ts'
import { hiddenTexts } from './view.ts'

// A result is worth more than its record: a store that hangs holds it up no longer than this.
const RECORD_PATIENCE = 5_000

/** Runs a claimed call, once, and writes down how it ended. */
export async function execute<R>(
  core: Core,
  claimed: Claimed,
  tool: NamedTool<R>,
  signal: AbortSignal | undefined,
): Promise<Outcome<R>> {
  const { approval, payload } = claimed
  await core.probe('K21', approval)
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
  await core.probe('K23', approval)
  const finish = 'result' in ended ? succeeded(claimed, ended.result) : failed(claimed, ended.error)
  const record = await recorded(core, approval, finish)
  await core.probe('K25', record.approval)
  const told = {
    approval: record.approval,
    ...(edited ? { edited } : {}),
    ...(record.isWritten ? {} : { unrecorded: true as const }),
  }
  if ('result' in ended) {
    const note = edited ? { message: edited.message } : {}
    return { status: 'succeeded', ran: true, result: ended.result, ...told, ...note }
  }
  return { ...failure(tool.name, ended.error, secretsOf(claimed)), ...told }
}

/** A tool that ran and threw. */
export function failure(tool: string, error: unknown, known: readonly string[] = []) {
  const message = sentence('failed', { tool, reason: maskText(errorText(error), known) })
  return { status: 'failed', ran: true, error, message } as const
}

function notStarted({ mayStart }: Claimed, signal: AbortSignal | undefined) {
  if (signal?.aborted) return 'withdrawn'
  return mayStart() ? undefined : 'not_started'
}

/** Claimed, and then not started after all. It is spent; the record says that it never ran. */
async function leaveUnstarted(
  core: Core,
  { approval, claim }: Claimed,
  status: 'withdrawn' | 'not_started',
): Promise<Outcome<never>> {
  const message = 'it was claimed and never started'
  const finish = finishing(claim, 'failed', { result: { code: 'not_started', message } })
  const record = await recorded(core, approval, finish)
  return refusal(status, { tool: approval.call.tool, approval: record.approval })
}

function succeeded({ approval, policy, claim }: Claimed, result: unknown): Finish {
  return finishing(claim, 'succeeded', keptResult(policy, approval.call, result))
}

function secretsOf(claimed: Claimed): readonly string[] {
  return hiddenTexts(freshArgs(claimed), claimed.shown.masked)
}

/** Tools quote their arguments when they fail, and what they say is shown and told on. */
function failed(claimed: Claimed, error: unknown): Finish {
  const { claim } = claimed
  const name = error instanceof Error ? error.name : typeof error
  const result: JsonObject = { name, message: maskText(errorText(error), secretsOf(claimed)) }
  return finishing(claim, 'failed', { result })
}

function finishing(claim: string, outcome: Finish['outcome'], rest: Partial<Finish>): Finish {
  return { type: 'finish', commandId: crypto.randomUUID(), claim, outcome, ...rest }
}

const LONGEST_TEXT = 2_000

/** What an error says, in a length and form that can be shown and stored. */
function errorText(error: unknown): string {
  try {
    const text = error instanceof Error ? error.message : String(error)
    return text.slice(0, LONGEST_TEXT).toWellFormed().replaceAll('\0', '')
  } catch {
    return 'something that cannot be shown'
  }
}

/** Writes the end down, and goes on trying behind the caller's back when the store is away. */
async function recorded(core: Core, approval: Approval, finish: Finish) {
  let now = approval
  const work = core.background.insist(async () => {
    now = (await core.store.apply(approval.id, finish)).approval
  })
  const end = await inTime(work)
  return { approval: now, isWritten: end === 'done' }
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
