import { Check, Minus, TriangleAlert, X } from 'lucide-react'
import type { ApprovalCard } from '../../../../src/api/approval.ts'
import { rich } from '../../lib/language/rich.ts'
import { msg, say, t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { type Choice, notHere } from './selection.ts'
import type { BatchResult } from './use-batch.ts'

/** What is chosen for each call, and what became of it. */
export interface Choosing {
  readonly choiceOf: (card: ApprovalCard) => Choice
  readonly isRepeated: (card: ApprovalCard) => boolean
  readonly resultOf: (card: ApprovalCard) => BatchResult | undefined
  readonly onChoice: (card: ApprovalCard, choice: Choice) => void
}

export interface ChoosingProps {
  readonly card: ApprovalCard
  readonly choosing: Choosing
}

const CHOICES = [
  ['approve', msg('Approve'), Check],
  ['deny', msg('Deny'), X],
  ['open', msg('Leave open'), Minus],
] as const

/** Approve, Deny or leave open; afterwards what became of the call. */
export function ChoiceButtons({
  card,
  choosing,
  name,
  compact = false,
}: ChoosingProps & { readonly name: string; readonly compact?: boolean }) {
  const result = choosing.resultOf(card)
  if (result !== undefined) {
    const { done, verdict, text } = result
    const tone = !done ? 'text-warn' : verdict === 'approve' ? 'text-good' : 'text-bad'
    return (
      <span role="status" className={tone}>
        {visibleText(text)}
      </span>
    )
  }
  const choice = choosing.choiceOf(card)
  const mayApprove = notHere(card) === undefined
  return (
    <fieldset className="seg max-desk:flex max-desk:w-full">
      <legend className="sr-only">{rich('Decision about {name}', { name })}</legend>
      {CHOICES.map(([value, word, Icon]) => (
        <button
          key={value}
          type="button"
          className="max-desk:h-11 max-desk:flex-1"
          aria-label={say(word)}
          aria-pressed={choice === value}
          disabled={(value === 'approve' && !mayApprove) || card.status !== 'pending'}
          onClick={() => choosing.onChoice(card, value)}
        >
          {(compact || value !== 'open') && <Icon size={13} aria-hidden="true" />}
          <span className={compact && value === 'open' ? 'desk:hidden' : ''}>{say(word)}</span>
        </button>
      ))}
    </fieldset>
  )
}

/** Why a call is not simply preset to Approve; nothing where it is. */
export function ChoiceNote({ card, choosing }: ChoosingProps) {
  const why = notHere(card)
  if (choosing.resultOf(card) !== undefined) return null
  if (why === undefined && !choosing.isRepeated(card)) return null
  return (
    <p className="flex items-center gap-1.5 text-xs text-warn">
      <TriangleAlert size={14} aria-hidden="true" className="flex-none" />
      {why === undefined
        ? t('The same call as one above. Set to Deny; you can change it.')
        : visibleText(why)}
    </p>
  )
}
