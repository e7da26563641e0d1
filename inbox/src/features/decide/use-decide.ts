import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { ApprovalCard, DecisionBody, WireCompleted } from '../../../../src/api/approval.ts'
import { Refused, Unreachable } from '../../../../src/api/client.ts'
import type { FormMistake } from '../../../../src/api/form/form.ts'
import { type Decision, useSendDecision } from '../../api/decisions.ts'
import { errorMessage } from '../../api/errors.ts'
import { meQuery } from '../../api/session/session.ts'
import { t } from '../../lib/language/t.ts'
import { serverNow } from '../../lib/time/server-time.ts'
import { dropDraft } from './drafts.ts'

/** Refusals that mean: another decision or event came first. */
const LATE = new Set([
  'already_decided',
  'already_claimed',
  'already_finished',
  'denied',
  'expired',
  'withdrawn',
  'invalidated',
])

export interface Deciding {
  readonly busy: boolean
  readonly problem: string
  /** Which argument the problem is about, where it is about one. */
  readonly at: readonly string[] | undefined
  /** The edit as the tool's schema completes it: it counts once it is sent like that. */
  readonly completed: WireCompleted | undefined
  /** Every answer to the form that the server does not accept. */
  readonly mistakes: readonly FormMistake[] | undefined
  /** When the last click lost to an earlier decision or event. */
  readonly late: number | undefined
  /** This person decided here and now. */
  readonly sent: DecisionBody['verdict'] | undefined
  /** A grant was made with it. */
  readonly granted: boolean
  readonly send: (body: Decision) => Promise<boolean>
  readonly clear: () => void
}

/** Sends a decision about exactly what the card showed, and looks what became of it. */
export function useDecide(card: Pick<ApprovalCard, 'id' | 'digest' | 'terms'>): Deciding {
  const { id } = card
  const queries = useQueryClient()
  const { mutateAsync, error, isPending, reset } = useSendDecision(card)
  // At once, not with the next render: a second click must not send a second decision.
  const running = useRef(false)
  const [late, setLate] = useState<number>()
  const [sent, setSent] = useState<DecisionBody['verdict']>()
  const [granted, setGranted] = useState(false)

  const send: Deciding['send'] = async (body) => {
    if (running.current) return false
    running.current = true
    const clicked = serverNow()
    try {
      await mutateAsync(body)
      setSent(body.verdict)
      setGranted(body.grant !== undefined)
      dropDraft(id)
      return true
    } catch (cause) {
      if (isLate(cause)) setLate(clicked)
      if (isSignedOut(cause)) void queries.invalidateQueries({ queryKey: meQuery.queryKey })
      return false
    } finally {
      running.current = false
    }
  }
  const shown = isShownElsewhere(error) ? null : error
  const refused = shown instanceof Refused ? shown : undefined
  return {
    busy: isPending,
    problem: problemOf(shown),
    at: refused?.at,
    completed: refused?.completed,
    mistakes: refused?.mistakes,
    late,
    sent,
    granted,
    send,
    clear: reset,
  }
}

const isLate = (error: unknown) => error instanceof Refused && LATE.has(error.code)

const isSignedOut = (error: unknown) => error instanceof Refused && error.status === 401

/** By the outcome, by the sign-in page, or by the fresh card, which says what changed. */
function isShownElsewhere(error: unknown): boolean {
  const changed = error instanceof Refused && error.code === 'call_changed'
  return changed || isLate(error) || isSignedOut(error)
}

function problemOf(error: unknown): string {
  if (error instanceof Unreachable) {
    return t(
      'The server did not answer, so it is not known whether this was saved. Sending it again is safe: one person counts once.',
    )
  }
  if (error instanceof Refused && error.mistakes !== undefined) {
    return t('The form does not accept these answers. Each mistake is marked; nothing was decided.')
  }
  return errorMessage(error)
}
