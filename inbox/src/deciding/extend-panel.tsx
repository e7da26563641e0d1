import { useQueryClient } from '@tanstack/react-query'
import { Clock } from 'lucide-react'
import { useState } from 'react'
import type { ApprovalCard } from '../../../src/api/approval.ts'
import { extend, sentenceOf } from '../api.ts'
import { useKeys } from '../keys.ts'
import { KeyCap } from '../parts/key-cap.tsx'
import { Problem } from '../parts/problem.tsx'
import { serverNow } from '../server-time.ts'
import { clock } from '../text/clock.ts'
import { Bar, BarRow } from './bar.tsx'

const HOUR = 3_600_000
const CHOICES = [
  ['1 hour', HOUR],
  ['4 hours', 4 * HOUR],
  ['1 day', 24 * HOUR],
] as const

/** More time to decide, counted from the present end. */
export function ExtendPanel({ card, onBack }: { card: ApprovalCard; onBack: () => void }) {
  const queries = useQueryClient()
  const [problem, setProblem] = useState('')
  useKeys({ Escape: onBack })
  const now = serverNow()
  const give = async (more: number) => {
    try {
      await extend(card.id, card.decideBy + more)
      await queries.invalidateQueries({ queryKey: ['card', card.id] })
      await queries.invalidateQueries({ queryKey: ['pending'] })
      onBack()
    } catch (error) {
      setProblem(sentenceOf(error))
    }
  }
  return (
    <Bar label="Give more time">
      <h3 className="flex items-center gap-[7px]">
        <Clock size={16} className="text-accent" aria-hidden="true" />
        Give more time
        <span className="font-normal text-ink-3">Now it ends at {clock(card.decideBy, now)}.</span>
      </h3>
      <Problem text={problem} />
      <BarRow>
        {CHOICES.map(([word, more]) => (
          <button key={word} type="button" className="btn" onClick={() => void give(more)}>
            {word}
            <span className="font-normal text-ink-3">
              until {clock(card.decideBy + more, now, false)}
            </span>
          </button>
        ))}
        <span className="flex-1 max-desk:hidden" />
        <button type="button" className="btn btn-quiet" onClick={onBack}>
          Go back <KeyCap>Esc</KeyCap>
        </button>
      </BarRow>
    </Bar>
  )
}
