import type { Decision } from '../decision.ts'
import type { AskedQuestion } from '../engine.ts'

/** What a workflow reports of a question, once before it waits and once after it is over. */
export type ApprovalProgress = WaitingProgress | EndedProgress

export interface WaitingProgress {
  readonly step: 'approval'
  readonly status: 'pending'
  readonly message: string
  readonly approval: AskedQuestion
}

export interface EndedProgress {
  readonly step: 'approval'
  readonly status: 'complete'
  readonly message: string
  readonly approval: { readonly id: string }
  readonly decision: Decision['status']
}

export function waitingProgress(
  message: string,
  { id, digest, decideBy }: AskedQuestion,
): WaitingProgress {
  const approval = { id, digest, ...(decideBy === undefined ? {} : { decideBy }) }
  return { step: 'approval', status: 'pending', message, approval }
}

export function endedProgress(id: string, decision: Decision['status']): EndedProgress {
  return { step: 'approval', status: 'complete', message: decision, approval: { id }, decision }
}

/** Undefined for progress that an application reports itself. */
export function approvalProgress(progress: unknown): ApprovalProgress | undefined {
  const said = (progress ?? {}) as Partial<Record<keyof WaitingProgress, unknown>>
  const approval = (said.approval ?? {}) as Partial<Record<keyof AskedQuestion, unknown>>
  if (said.step !== 'approval' || typeof approval.id !== 'string') return undefined
  if (said.status === 'complete') return progress as EndedProgress
  const isWaiting = said.status === 'pending' && typeof approval.digest === 'string'
  return isWaiting && typeof said.message === 'string' ? (progress as WaitingProgress) : undefined
}
