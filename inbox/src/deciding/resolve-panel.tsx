import { useQueryClient } from '@tanstack/react-query'
import { CircleHelp } from 'lucide-react'
import { useState } from 'react'
import type { ApprovalCard } from '../../../src/api/approval.ts'
import { resolve, sentenceOf } from '../api.ts'
import { useKeys } from '../keys.ts'
import { KeyCap } from '../parts/key-cap.tsx'
import { Problem } from '../parts/problem.tsx'
import { Bar, BarRow } from './bar.tsx'

/** Records what a person found out about a call whose outcome is unknown. */
export function ResolvePanel({ card, onBack }: { card: ApprovalCard; onBack: () => void }) {
  const queries = useQueryClient()
  const [outcome, setOutcome] = useState<'succeeded' | 'failed'>()
  const [reason, setReason] = useState('')
  const [problem, setProblem] = useState('')
  useKeys({ Escape: onBack })
  const save = async () => {
    if (outcome === undefined) return
    try {
      await resolve(card.id, outcome, reason.trim())
      await queries.invalidateQueries({ queryKey: ['card', card.id] })
      await queries.invalidateQueries({ queryKey: ['events', card.id] })
      await queries.invalidateQueries({ queryKey: ['history'] })
      onBack()
    } catch (error) {
      setProblem(sentenceOf(error))
    }
  }
  return (
    <Bar label="Write down what happened" tone="open">
      <h3 className="flex items-center gap-[7px]">
        <CircleHelp size={16} className="text-open" aria-hidden="true" />
        Write down what happened
        <span className="font-normal text-ink-3">It stays in the record under your name.</span>
      </h3>
      <Problem text={problem} />
      <div className="flex flex-wrap items-center gap-3">
        <fieldset className="flex gap-4">
          <legend className="sr-only">What happened</legend>
          {(['succeeded', 'failed'] as const).map((choice) => (
            <label key={choice} className="flex items-center gap-2">
              <input
                type="radio"
                name={`outcome-${card.id}`}
                className="size-4"
                checked={outcome === choice}
                onChange={() => setOutcome(choice)}
              />
              It {choice}
            </label>
          ))}
        </fieldset>
        <input
          type="text"
          className="field min-w-60 flex-1"
          aria-label="How you know"
          placeholder="How you know: where you looked, what you saw"
          maxLength={2_000}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
      </div>
      <BarRow>
        <p className="text-ink-2">It is never started again, whatever you write.</p>
        <span className="flex-1 max-desk:hidden" />
        <button type="button" className="btn" onClick={onBack}>
          Go back <KeyCap>Esc</KeyCap>
        </button>
        <button
          type="button"
          className="btn btn-solid"
          disabled={outcome === undefined || reason.trim() === ''}
          onClick={() => void save()}
        >
          Save
        </button>
      </BarRow>
    </Bar>
  )
}
