import { CircleHelp } from 'lucide-react'
import { useState } from 'react'
import type { ApprovalCard } from '../../../../src/api/approval.ts'
import { useResolve } from '../../api/approvals.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { KeyCap } from '../../components/key-cap.tsx'
import { t } from '../../lib/language/t.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { Bar, BarRow } from './bar.tsx'

/** Records what a person found out about a call whose outcome is unknown. */
export function ResolvePanel({ card, onBack }: { card: ApprovalCard; onBack: () => void }) {
  const resolve = useResolve(card.id)
  const [outcome, setOutcome] = useState<'succeeded' | 'failed'>()
  const [reason, setReason] = useState('')
  useShortcuts({ Escape: onBack })
  const save = () => {
    if (outcome === undefined) return
    resolve.mutate({ outcome, reason: reason.trim() }, { onSuccess: onBack })
  }
  return (
    <Bar label={t('Write down what happened')} tone="open">
      <h3 className="flex items-center gap-[7px]">
        <CircleHelp size={16} className="text-open" aria-hidden="true" />
        {t('Write down what happened')}
        <span className="font-normal text-ink-3">
          {t('It stays in the record under your name.')}
        </span>
      </h3>
      <ErrorMessage error={resolve.error} />
      <div className="flex flex-wrap items-center gap-3">
        <fieldset className="flex gap-4">
          <legend className="sr-only">{t('What happened')}</legend>
          {(['succeeded', 'failed'] as const).map((choice) => (
            <label key={choice} className="flex items-center gap-2">
              <input
                type="radio"
                name={`outcome-${card.id}`}
                className="size-4"
                checked={outcome === choice}
                onChange={() => setOutcome(choice)}
              />
              {choice === 'succeeded' ? t('It succeeded') : t('It failed')}
            </label>
          ))}
        </fieldset>
        <input
          type="text"
          className="field min-w-60 flex-1"
          aria-label={t('How you know')}
          placeholder={t('How you know: where you looked, what you saw')}
          maxLength={2_000}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
      </div>
      <BarRow>
        <p className="text-ink-2">{t('It is never started again, whatever you write.')}</p>
        <span className="flex-1 max-desk:hidden" />
        <button type="button" className="btn" onClick={onBack}>
          {t('Go back')} <KeyCap>Esc</KeyCap>
        </button>
        <button
          type="button"
          className="btn btn-solid"
          disabled={outcome === undefined || reason.trim() === '' || resolve.isPending}
          onClick={save}
        >
          {t('Save')}
        </button>
      </BarRow>
    </Bar>
  )
}
