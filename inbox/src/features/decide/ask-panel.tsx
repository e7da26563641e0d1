import { MessageCircleQuestion } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { ApprovalCard } from '../../../../src/api/approval.ts'
import { useAskBack } from '../../api/talk/talk.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { KeyCap } from '../../components/key-cap.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { clock } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'
import { Bar, BarRow } from './bar.tsx'

const HOUR = 3_600_000

/** A question to the agent before deciding. The call stays pending, and may get more time with it. */
export function AskPanel({ card, onBack }: { card: ApprovalCard; onBack: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const ask = useAskBack(card.id)
  const [text, setText] = useState('')
  const [isLonger, setIsLonger] = useState(false)
  useEffect(() => field.current?.focus({ preventScroll: true }), [])
  useShortcuts({ Escape: onBack })
  const mayExtend = card.can.includes('extend')
  const until = card.decideBy + HOUR
  const send = () => {
    const more = isLonger && mayExtend ? { until } : {}
    ask.mutate({ text: text.trim(), ...more }, { onSuccess: onBack })
  }
  return (
    <Bar label={t('Ask the agent')}>
      <h3 className="flex flex-wrap items-center gap-x-[7px]">
        <MessageCircleQuestion size={16} className="text-accent" aria-hidden="true" />
        {t('Ask the agent')}
        <span className="font-normal text-ink-3">
          {t('The call keeps waiting. You and the others can still decide it.')}
        </span>
      </h3>
      <ErrorMessage error={ask.error} />
      <textarea
        ref={field}
        className="field min-h-16 w-full"
        aria-label={t('Your question to the agent')}
        maxLength={4_000}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <BarRow>
        {mayExtend ? (
          <label className="flex items-center gap-2 text-ink-2">
            <input
              type="checkbox"
              className="size-4"
              checked={isLonger}
              onChange={({ target }) => setIsLonger(target.checked)}
            />
            {rich('One hour more, until {time}', { time: clock(until, serverNow(), false) })}
          </label>
        ) : (
          <p className="text-ink-2">{t('Secrets in it are masked.')}</p>
        )}
        <span className="flex-1 max-desk:hidden" />
        <button type="button" className="btn" onClick={onBack}>
          {t('Go back')} <KeyCap>Esc</KeyCap>
        </button>
        <button
          type="button"
          className="btn"
          disabled={text.trim() === '' || ask.isPending}
          onClick={send}
        >
          {t('Ask')}
        </button>
      </BarRow>
    </Bar>
  )
}
