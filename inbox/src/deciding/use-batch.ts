import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { ApprovalCard } from '../../../src/api/approval.ts'
import { sentenceOf } from '../api.ts'
import { heard } from '../live.ts'
import { decideSurely } from './decide-surely.ts'

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
        await decideSurely(card, { verdict, ...words })
        heard.set(card.id, verdict === 'deny' ? 'denied' : 'approved')
      } catch (error) {
        result = { done: false, text: sentenceOf(error) }
      }
      setResults((old) => new Map([...old, [card.id, result]]))
    }
    await queries.invalidateQueries()
    running.current = false
    setBusy(false)
  }
  return { busy, results, send }
}
