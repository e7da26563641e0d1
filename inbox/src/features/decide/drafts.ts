/** What a person typed for a call, kept while they look at others or sign in again. */
import { useState } from 'react'
import type { Typed } from '../../../../src/api/form/form-answers.ts'

export interface Draft {
  readonly reason: string
  readonly answer: string
  /** What was typed into the form of the call, by the names of its fields. */
  readonly answers: Typed
}

const drafts = new Map<string, Draft>()
const EMPTY: Draft = { reason: '', answer: '', answers: {} }

export function useDraft(id: string): readonly [Draft, (change: Partial<Draft>) => void] {
  const [draft, setDraft] = useState(() => drafts.get(id) ?? EMPTY)
  const write = (change: Partial<Draft>) => {
    const next = { ...(drafts.get(id) ?? EMPTY), ...change }
    drafts.set(id, next)
    setDraft(next)
  }
  return [draft, write]
}

export function dropDraft(id: string): void {
  drafts.delete(id)
}
