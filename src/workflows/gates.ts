import { CountersignError, ERRORS, type ErrorCode, isCountersignError } from '../base/errors.ts'
import type { Json, JsonObject } from '../base/json/json.ts'
import { pauseAway, pauseBefore } from '../base/looks.ts'
import type { Stands } from '../gate/internals.ts'
import type { Outcome } from '../gate/outcome.ts'
import { isUsedByClaim, type ToolContext, type ToolFunction, usedByClaim } from '../gate/tool.ts'
import type { ToolGate } from '../gate/tool-gate.ts'
import type { AskedQuestion } from './engine.ts'
import type { Question } from './question.ts'

/** A gate of this process, or one over HTTP: whatever `createGate` made. */
export interface WorkflowGate extends Pick<ToolGate, 'run' | 'check'> {
  readonly approvals: {
    withdraw(id: string, by: { readonly agent: string }): Promise<unknown>
  }
}

/** One look at a question, as the engine keeps it. */
export type Look =
  | (AskedQuestion & { readonly is: 'pending'; readonly lookIn: number })
  /** The gate could not be asked. It said nothing of the call. */
  | { readonly is: 'away'; readonly code: ErrorCode; readonly lookIn: number }
  | Open
  | Refusal

/** Allowed or approved. Claiming it tells whether that still holds. */
export interface Open {
  readonly is: 'open'
  readonly id?: string
  readonly by: readonly string[]
  readonly payload?: Json
  /** As a person changed them. */
  readonly args?: JsonObject
  /** Where it was claimed and run in the same step. */
  readonly ran?: Ran
}

export interface Refusal {
  readonly is: 'blocked'
  readonly code: ErrorCode
  readonly message: string
  readonly id?: string
  readonly by: readonly string[]
  readonly reason?: string
}

/** What became of a run, as the engine keeps it. */
export type Ran =
  | { readonly is: 'succeeded'; readonly result: Json; readonly id?: string }
  | { readonly is: 'failed'; readonly error: { name: string; message: string }; id?: string }
  /** It was started, and how it ended is not known. It is never started again. */
  | { readonly is: 'unknown'; readonly message: string; readonly id?: string }
  /** Another attempt runs it, or died while it ran. */
  | { readonly is: 'elsewhere' }
  | Extract<Look, { is: 'pending' | 'away' | 'blocked' }>

/** What both kinds of gates say of a call, in either form. */
interface Said {
  readonly code?: string
  readonly modelMessage?: string
  readonly reason?: string
  readonly id?: string
  readonly approvalId?: string
  readonly digest?: string
  readonly decideBy?: number
  readonly payload?: Json
  readonly args?: JsonObject
  readonly approval?: Recorded
}

interface Recorded {
  readonly id: string
  readonly decideBy: number
  readonly digest: string
  readonly call: { readonly agent: string }
  readonly decisions: readonly {
    readonly by: { readonly email?: string; readonly subject: string }
    readonly verdict: 'approve' | 'deny'
    readonly digest: string
    readonly void?: true
  }[]
}

export interface Looking {
  readonly n: number
  readonly looks: readonly number[]
}

/** Asks, or finds what was asked before. Never throws for a gate that is away. */
export async function lookAt(
  gate: WorkflowGate,
  { call, declared, definition }: Question,
  looking: Looking,
): Promise<Look> {
  try {
    const now = await gate.check(call, { declared, ...(definition ? { definition } : {}) })
    const said = now as Stands & Said
    switch (now.status) {
      case 'pending':
        return pendingOf(said, looking)
      case 'blocked':
        return blockedOf(said, looking)
      case 'approved':
        return openOf(said)
      case 'allowed':
        return { is: 'open', by: [] }
    }
  } catch (error) {
    return awayOf(error, looking)
  }
}

/**
 * The same, and claims and runs what is open: one durable step instead of two. Where the process
 * dies in between, the next attempt finds the answer again, and how far the run got.
 */
export async function lookAndRun(
  gate: WorkflowGate,
  question: Question,
  looking: Looking,
): Promise<Look> {
  // Later looks mostly find an answer, and running what is open tells all that a look would.
  const now = looking.n > 0 ? await runAtOnce(gate, question, looking) : undefined
  if (now?.look) return now.look
  const look = await lookAt(gate, question, looking)
  if (look.is !== 'open') return look
  return { ...look, ran: now?.ran ?? (await runNow(gate, question, looking)) }
}

interface AtOnce {
  readonly ran: Ran
  /** Absent where the outcome alone does not tell what people answered. */
  readonly look?: Look
}

/** Undefined where nothing was run, and a look tells more of what waits. */
async function runAtOnce(
  gate: WorkflowGate,
  question: Question,
  looking: Looking,
): Promise<AtOnce | undefined> {
  let isStarted = false
  let edited: { readonly args?: JsonObject } = {}
  let said: Said = {}
  const ran = await runNow(gate, question, looking, {
    started(args, context) {
      isStarted = true
      // A copy, because the tool may change its own.
      if (context.edited) edited = { args: structuredClone(args) }
    },
    ended(outcome) {
      said = outcome as Said
    },
  })
  if (ran.is === 'away') return { ran, look: ran }
  // A server leaves out when a question ends.
  if (ran.is === 'pending') return ran.digest === '' ? undefined : { ran, look: ran }
  // What was claimed and never started has its answer all the same.
  if (ran.is === 'blocked') return ran.code === 'not_started' ? { ran } : { ran, look: ran }
  return isStarted ? { ran, look: { ...openOf({ ...said, ...edited }), ran } } : { ran }
}

/** How long one attempt waits for another one to end; then it looks again later. */
const ELSEWHERE_MS = 5_000

interface Watched {
  /** Called just before the tool, with what it gets. */
  started(args: JsonObject, context: ToolContext): void
  ended(outcome: Outcome): void
}

/** Claims and runs it, or tells what became of it. */
export async function runNow(
  gate: WorkflowGate,
  { call, declared, tool }: Question,
  looking: Looking,
  watched?: Watched,
): Promise<Ran> {
  let outcome: Outcome
  try {
    const running = watched ? watchedTool(tool, watched) : tool
    outcome = await gate.run(call, running, { wait: false, waitFor: ELSEWHERE_MS, declared })
  } catch (error) {
    return awayOf(error, looking)
  }
  watched?.ended(outcome)
  const said = outcome as Outcome & Said
  const id = idOf(said)
  switch (outcome.status) {
    case 'succeeded':
      return { is: 'succeeded', result: jsonOf(outcome.result), ...id }
    case 'failed':
      return { is: 'failed', error: errorOf(outcome.error, outcome.modelMessage), ...id }
    case 'pending':
      return pendingOf(said, looking)
    case 'unknown':
      if (outcome.code === 'already_claimed') return { is: 'elsewhere' }
      return { is: 'unknown', message: outcome.modelMessage, ...id }
    case 'blocked':
      return blockedOf(said, looking)
  }
}

function watchedTool(tool: Question['tool'], { started }: Watched): Question['tool'] {
  const run: ToolFunction = (args, context) => {
    started(args, context)
    return typeof tool === 'function' ? tool(args, context) : tool.run(args, context)
  }
  if (typeof tool !== 'function') return { ...tool, run }
  return isUsedByClaim(tool) ? usedByClaim(run) : run
}

const WITHDRAW_ATTEMPTS = 5
const WITHDRAW_PAUSE = 1_000

/** A question that is over is left as it is. Throws where the gate stays away. */
export async function withdrawQuestion(gate: WorkflowGate, question: Question): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await withdrawOnce(gate, question)
    } catch (error) {
      if (!isAway(error) || attempt === WITHDRAW_ATTEMPTS) throw error
      await new Promise((resolve) => setTimeout(resolve, WITHDRAW_PAUSE * attempt))
    }
  }
}

async function withdrawOnce(gate: WorkflowGate, { call, declared }: Question): Promise<void> {
  const now = (await gate.check(call, { declared })) as Stands & Said
  if (now.status === 'blocked') {
    const said = blockedOf(now, { n: 0, looks: [WITHDRAW_PAUSE] })
    if (said.is === 'away') throw new CountersignError(said.code, 'it could not be withdrawn')
    return
  }
  const id = now.approval?.id ?? now.id
  if (id === undefined) return
  try {
    await gate.approvals.withdraw(id, { agent: now.approval?.call.agent ?? '' })
  } catch (error) {
    // A person was faster, or another process withdrew it.
    if (isAway(error)) throw error
  }
}

function openOf(said: Said): Open {
  const { payload, args } = said
  return {
    is: 'open',
    by: answeredBy(said.approval, 'approve'),
    ...idOf(said),
    ...(payload === undefined ? {} : { payload }),
    ...(args === undefined ? {} : { args }),
  }
}

function pendingOf(said: Said, { n, looks }: Looking): Look & { is: 'pending' } {
  const { id = '' } = idOf(said)
  const decideBy = said.approval?.decideBy ?? said.decideBy ?? Number.POSITIVE_INFINITY
  return {
    is: 'pending',
    id,
    digest: said.approval?.digest ?? said.digest ?? '',
    ...(Number.isFinite(decideBy) ? { decideBy } : {}),
    lookIn: pauseBefore(n, { decideBy, now: Date.now(), looks }),
  }
}

function blockedOf(said: Said, { n, looks }: Looking): Look & { is: 'away' | 'blocked' } {
  const { modelMessage = '', reason } = said
  const code = Object.hasOwn(ERRORS, said.code ?? '') ? (said.code as ErrorCode) : 'not_permitted'
  if (isTransient(code)) return { is: 'away', code, lookIn: pauseAway(n, looks) }
  return {
    is: 'blocked',
    code,
    message: modelMessage,
    by: code === 'denied' ? answeredBy(said.approval, 'deny') : [],
    ...idOf(said),
    ...(reason === undefined ? {} : { reason }),
  }
}

function awayOf(error: unknown, { n, looks }: Looking): Look & { is: 'away' } {
  if (!isCountersignError(error) || !isTransient(error.code)) throw error
  return { is: 'away', code: error.code, lookIn: pauseAway(n, looks) }
}

export function isAway(error: unknown): boolean {
  return isCountersignError(error) && isTransient(error.code)
}

/** Says nothing of the call, and can be over in a moment. */
function isTransient(code: ErrorCode): boolean {
  if (code === 'outcome_unknown') return false
  return ERRORS[code].http === 503 || ERRORS[code].http === 429
}

function idOf(said: Said): { readonly id?: string } {
  const id = said.approval?.id ?? said.approvalId ?? said.id
  return id === undefined ? {} : { id }
}

/** Those whose answer counts for the call as it would run. */
function answeredBy(approval: Recorded | undefined, verdict: 'approve' | 'deny'): string[] {
  return (approval?.decisions ?? [])
    .filter((one) => one.verdict === verdict && !one.void && one.digest === approval?.digest)
    .map(({ by }) => by.email ?? by.subject)
}

/** Engines keep JSON; what is none, such as `undefined`, becomes null. */
function jsonOf(result: unknown): Json {
  const text = JSON.stringify(result)
  return text === undefined ? null : (JSON.parse(text) as Json)
}

function errorOf(error: unknown, sentence: string): { name: string; message: string } {
  const stored = error as Partial<Record<'name' | 'message', unknown>> | null | undefined
  const name = typeof stored?.name === 'string' ? stored.name : 'Error'
  return { name, message: sentence }
}
