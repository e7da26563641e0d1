import type { RunContext, RunState, RunToolApprovalItem } from '@openai/agents'
import { CountersignError } from '../../base/errors.ts'
import type { AnswerBook } from '../../gate/admin/answer-book.ts'
import type { Stands } from '../../gate/internals.ts'
import { answerInBand, askedDigestOf, type InBand, idOf } from '../in-band.ts'
import { argsOf, type GuardedTool, guardedBehind, standsNow } from './guard-tools.ts'

/** As the SDK has it: an agent of whatever context and output. */
export type AnyAgent = Parameters<typeof RunState.fromString>[0]

/** As much of a RunState as is needed here. */
interface PausedRun {
  getInterruptions(): RunToolApprovalItem[]
  approve(item: RunToolApprovalItem): void
  reject(item: RunToolApprovalItem, options: { message: string }): void
  toString(): string
}

export interface InChat {
  readonly callId: string
  readonly approved: boolean
  readonly reason?: string
}

export interface ResumeOptions {
  /** What a user answered in the application, and who that was, authenticated. */
  readonly answers?: readonly InChat[]
  readonly by?: InBand['by']
  /** Of the gate: answers are written down there. */
  readonly approvals?: AnswerBook
}

export interface Waiting {
  readonly callId: string
  readonly name: string
  readonly message: string
}

/**
 * Tells a paused run what has been decided. Hand its state to `run()` again afterwards; calls that
 * still wait are listed, and stay interrupted.
 */
export async function settleRun(
  state: PausedRun,
  options: ResumeOptions = {},
): Promise<{ readonly waiting: readonly Waiting[] }> {
  const waiting: Waiting[] = []
  for (const item of state.getInterruptions()) {
    const callId = callIdOf(item)
    const found = guardedFor(item)
    if (!found) continue
    const now = await statusNow(found, item, contextOf(state), options)
    if (now.status === 'pending') {
      waiting.push({ callId, name: found.name, message: now.modelMessage })
    } else if (now.status === 'blocked') state.reject(item, { message: now.modelMessage })
    // Approving wakes the call up. The wrapped tool looks for itself whether it may run.
    else state.approve(item)
  }
  return { waiting }
}

async function statusNow(
  tool: GuardedTool,
  item: RunToolApprovalItem,
  context: RunContext<unknown> | undefined,
  { answers = [], by, approvals }: ResumeOptions,
): Promise<Stands> {
  const callId = callIdOf(item)
  const read = argsOf(item.arguments ?? '{}')
  if (!read.ok) return { status: 'blocked', modelMessage: `The call did not run: ${read.problem}.` }
  const look = () => standsNow(tool, read.args, callId, context)
  const now = await look()
  const answer = answers.find((one) => one.callId === callId)
  const id = idOf(now)
  if (now.status !== 'pending' || !answer || !by || !approvals || id === undefined) return now
  const { approved, reason } = answer
  // An edit since then makes it another call than the one this run paused for.
  const seen = askedDigestOf(now)
  await answerInBand(approvals, id, {
    by,
    approved,
    ...(seen === undefined ? {} : { seen }),
    ...(reason === undefined ? {} : { reason }),
  })
  return look()
}

function guardedFor({ agent, name }: RunToolApprovalItem): GuardedTool | undefined {
  const tools = (agent as { readonly tools?: readonly { readonly name: string }[] }).tools ?? []
  const tool = tools.find((one) => one.name === name)
  return tool && guardedBehind(tool)
}

/** The run's own, as the SDK hands it to tools. */
function contextOf(state: PausedRun): RunContext<unknown> | undefined {
  const { _context } = state as { readonly _context?: unknown }
  return typeof _context === 'object' && _context !== null
    ? (_context as RunContext<unknown>)
    : undefined
}

function callIdOf({ rawItem }: RunToolApprovalItem): string {
  const { callId, id } = rawItem as { readonly callId?: string; readonly id?: string }
  return callId ?? id ?? ''
}

interface SavedRun {
  readonly countersign: 'run'
  readonly version: string
  readonly state: string
}

/** A paused run as text, with the version of the application that made it. Keep it on your server. */
export function saveRun(state: PausedRun, version: string): string {
  const saved: SavedRun = { countersign: 'run', version, state: state.toString() }
  return JSON.stringify(saved)
}

/** The run again, for the same version of the application: others may have other tools. */
export async function loadRun<A extends AnyAgent>(agent: A, text: string, version: string) {
  const saved = readSaved(text)
  if (saved.version !== version) {
    throw new CountersignError(
      'usage',
      `the run was saved by version ${saved.version} of the application, this is ${version}`,
      { hint: 'Start the run anew; its open questions end by themselves.' },
    )
  }
  const { RunState: States } = await sdk()
  return States.fromString<unknown, A>(agent, saved.state)
}

function readSaved(text: string): SavedRun {
  try {
    const saved = JSON.parse(text) as Partial<SavedRun>
    if (saved.countersign === 'run' && typeof saved.state === 'string') {
      return { countersign: 'run', version: String(saved.version), state: saved.state }
    }
  } catch {
    // Told below like everything else that is no saved run.
  }
  throw new CountersignError('usage', 'this is no run that saveRun() has saved')
}

export async function sdk(): Promise<typeof import('@openai/agents')> {
  try {
    return await import('@openai/agents')
  } catch (cause) {
    throw new CountersignError('peer_missing', '@openai/agents is not installed', {
      hint: 'Run npm install @openai/agents.',
      cause,
    })
  }
}
