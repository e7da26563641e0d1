import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { ApprovalCard } from '../../../../src/wire/approval.ts'
import { errorMessage } from '../../api/api.ts'
import { lastStatus } from '../../api/live-events.ts'
import { sendDecision } from '../decide/send-decision.ts'

export interface Answer {
  readonly card: ApprovalCard
  readonly verdict: 'approve' | 'deny'
}

/** What became of each call, by its id: a word, or the sentence of a refusal. */
export type Results = ReadonlyMap<string, { readonly done: boolean; readonly text: string }>

export interface BatchSending {
  readonly busy: boolean
  readonly results: Results
  readonly send: (answers: readonly Answer[], reason: string) => Promise<void>
}

/** Sends one decision for each call, each with the digest that was shown. One refused stops none. */
export function useBatch(): BatchSending {
  const queries = useQueryClient()
  const running = useRef(false)
  const [busy, setBusy] = useState(false)
  const [results, setResults] = useState<Results>(new Map())
  const send: BatchSending['send'] = async (answers, reason) => {
    if (running.current) return
    running.current = true
    setBusy(true)
    for (const { card, verdict } of answers) {
      let result = { done: true, text: verdict === 'deny' ? 'Denied' : 'Approved' }
      try {
        const words = reason === '' ? {} : { reason }
        await sendDecision(card, { verdict, ...words })
        lastStatus.set(card.id, verdict === 'deny' ? 'denied' : 'approved')
      } catch (error) {
        result = { done: false, text: errorMessage(error) }
      }
      setResults((old) => new Map([...old, [card.id, result]]))
    }
    await queries.invalidateQueries()
    running.current = false
    setBusy(false)
  }
  return { busy, results, send }
}
