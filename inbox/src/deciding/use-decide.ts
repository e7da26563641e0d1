import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { ApprovalCard, DecisionBody, WireCompleted } from '../../../src/api/approval.ts'
import { Refused, sentenceOf, Unanswered } from '../api.ts'
import { heard } from '../live.ts'
import { serverNow } from '../server-time.ts'
import { decideSurely } from './decide-surely.ts'
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
  /** When the last click lost to an earlier decision or event. */
  readonly late: number | undefined
  /** This person decided here and now. */
  readonly sent: DecisionBody['verdict'] | undefined
  readonly send: (body: Omit<DecisionBody, 'digest'>) => Promise<boolean>
  readonly clear: () => void
}

/** Sends a decision about exactly what the card showed, and looks what became of it. */
export function useDecide(card: Pick<ApprovalCard, 'id' | 'digest' | 'terms'>): Deciding {
  const { id } = card
  const queries = useQueryClient()
  const running = useRef(false)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')
  const [at, setAt] = useState<readonly string[]>()
  const [completed, setCompleted] = useState<WireCompleted>()
  const [late, setLate] = useState<number>()
  const [sent, setSent] = useState<DecisionBody['verdict']>()

  const send: Deciding['send'] = async (body) => {
    if (running.current) return false
    running.current = true
    setBusy(true)
    setProblem('')
    setAt(undefined)
    setCompleted(undefined)
    const clicked = serverNow()
    let done = false
    try {
      await decideSurely(card, body)
      done = true
      setSent(body.verdict)
      dropDraft(id)
      heard.set(id, body.verdict === 'deny' ? 'denied' : 'approved')
    } catch (error) {
      if (error instanceof Refused && LATE.has(error.code)) setLate(clicked)
      else if (error instanceof Refused && error.status === 401) {
        void queries.invalidateQueries({ queryKey: ['me'] })
      } else if (error instanceof Refused && error.code === 'call_changed') {
        // The fresh card says what changed, and asks to look at it.
      } else {
        setProblem(wordsFor(error))
        setAt(error instanceof Refused ? error.at : undefined)
        setCompleted(error instanceof Refused ? error.completed : undefined)
      }
    }
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['card', id] }),
      queries.invalidateQueries({ queryKey: ['pending'] }),
      queries.invalidateQueries({ queryKey: ['events', id] }),
    ])
    running.current = false
    setBusy(false)
    return done
  }
  const clear = () => {
    setProblem('')
    setAt(undefined)
    setCompleted(undefined)
  }
  return { busy, problem, at, completed, late, sent, send, clear }
}

function wordsFor(error: unknown): string {
  if (error instanceof Unanswered) {
    return 'The server did not answer, so it is not known whether this was saved. Sending it again is safe: one person counts once.'
  }
  return sentenceOf(error)
}
