import { MessageSquareReply } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { ErrorMessage } from '../../components/error-message.tsx'
import { KeyCap } from '../../components/key-cap.tsx'
import { t } from '../../lib/language/t.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { Bar, BarRow } from './bar.tsx'
import type { Draft } from './drafts.ts'
import type { Deciding } from './use-decide.ts'

interface AnswerPanelProps {
  readonly draft: Draft
  readonly deciding: Deciding
  readonly onDraft: (change: Partial<Draft>) => void
  readonly onBack: () => void
}

/** Denies the call and gives the agent an answer in the tool's place. */
export function AnswerPanel({ draft, deciding, onDraft, onBack }: AnswerPanelProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus({ preventScroll: true }), [])
  useShortcuts({ Escape: onBack })
  const answer = draft.answer.trim()
  const send = () => {
    const reason = draft.reason.trim()
    void deciding.send({ verdict: 'deny', answer, ...(reason === '' ? {} : { reason }) })
  }
  return (
    <Bar label={t('Answer instead')}>
      <h3 className="flex items-center gap-[7px]">
        <MessageSquareReply size={16} className="text-accent" aria-hidden="true" />
        {t('Answer instead')}
        <span className="font-normal text-ink-3">
          {t('The call does not run. The agent gets your words, marked as a person’s.')}
        </span>
      </h3>
      <ErrorMessage text={deciding.problem} />
      <textarea
        ref={field}
        className="field min-h-20 w-full"
        aria-label={t('Your answer to the agent')}
        maxLength={16_000}
        value={draft.answer}
        onChange={({ target }) => onDraft({ answer: target.value })}
      />
      <BarRow>
        <p className="text-ink-2">{t('This denies the call.')}</p>
        <span className="flex-1 max-desk:hidden" />
        <button type="button" className="btn" onClick={onBack}>
          {t('Go back')} <KeyCap>Esc</KeyCap>
        </button>
        <button
          type="button"
          className="btn"
          disabled={answer === '' || deciding.busy}
          onClick={send}
        >
          {t('Deny and answer')}
        </button>
      </BarRow>
    </Bar>
  )
}
