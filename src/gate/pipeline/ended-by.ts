import { isCountersignError } from '../../base/errors.ts'
import { maskText } from '../../base/secrets/mask.ts'
import { type Blocked, blocked, type Failed, type Unknown } from '../outcome.ts'
import { sentence } from '../sentences.ts'
import { NotStarted } from '../tool.ts'

/** What it means for a call that its tool threw this. */
export function endedBy(
  tool: string,
  error: unknown,
  { id, known = [] }: { readonly id?: string; readonly known?: readonly string[] } = {},
): Failed | Blocked | Unknown {
  const reason = maskText(errorText(error), known)
  if (isCountersignError(error, 'outcome_unknown')) {
    const modelMessage = sentence('unknown', { tool, id, reason })
    return { status: 'unknown', ran: 'unknown', code: 'outcome_unknown', modelMessage }
  }
  if (error instanceof NotStarted) return blocked('not_started', { tool, reason })
  const modelMessage = sentence('failed', { tool, reason })
  return { status: 'failed', ran: true, error, modelMessage }
}

const LONGEST_TEXT = 2_000

/** What an error says, in a length and form that can be shown and stored. */
export function errorText(error: unknown): string {
  try {
    const text = error instanceof Error ? error.message : String(error)
    return text.slice(0, LONGEST_TEXT).toWellFormed().replaceAll('\0', '')
  } catch {
    return 'something that cannot be shown'
  }
}
