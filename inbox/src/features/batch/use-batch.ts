import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { ApprovalCard } from '../../../../src/api/approval.ts'
import { sendDecision } from '../../api/decisions.ts'
import { errorMessage } from '../../api/errors.ts'
import { t } from '../../lib/language/t.ts'

export interface Answer {
  readonly card: ApprovalCard
  readonly verdict: 'approve' | 'deny'
}

export interface BatchResult {
  readonly verdict: Answer['verdict']
  readonly done: boolean
  /** A word, or the sentence of a refusal. */
  readonly text: string
}

/** What became of each call, by its id. */
type Results = ReadonlyMap<string, BatchResult>

export interface BatchSending {
  readonly busy: boolean
  readonly results: Results
  readonly send: (answers: readonly Answer[], reason: string) => Promise<void>
}

async function decideOne({ card, verdict }: Answer, reason: string): Promise<BatchResult> {
  try {
    const { status, met } = await sendDecision(card, {
      verdict,
      ...(reason === '' ? {} : { reason }),
    })
    const agreed = met
      ? t('{have} of {need} agreed', { have: met.have, need: met.need })
      : t('Noted')
    const text = status === 'pending' ? agreed : t('Approved')
    return { verdict, done: true, text: verdict === 'deny' ? t('Denied') : text }
  } catch (error) {
    return { verdict, done: false, text: errorMessage(error) }
  }
}

/** Sends one decision for each call, each with the digest that was shown. One refused stops none. */
export function useBatch(): BatchSending {
  const queries = useQueryClient()
  // At once, not with the next render: a second click must not send everything again.
  const running = useRef(false)
  const [results, setResults] = useState<Results>(new Map())
  const { mutateAsync, isPending } = useMutation({
    mutationFn: async (batch: { answers: readonly Answer[]; reason: string }) => {
      for (const answer of batch.answers) {
        const result = await decideOne(answer, batch.reason)
        setResults((old) => new Map([...old, [answer.card.id, result]]))
      }
    },
    onSettled: () => queries.invalidateQueries(),
  })
  const send: BatchSending['send'] = async (answers, reason) => {
    if (running.current) return
    running.current = true
    await mutateAsync({ answers, reason }).finally(() => {
      running.current = false
    })
  }
  return { busy: isPending, results, send }
}
