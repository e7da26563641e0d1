import { Clock } from 'lucide-react'
import type { ApprovalCard } from '../../../../src/api/approval.ts'
import { useExtend } from '../../api/approvals.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { KeyCap } from '../../components/key-cap.tsx'
import { rich } from '../../lib/language/rich.ts'
import { msg, say, t } from '../../lib/language/t.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { clock } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'
import { Bar, BarRow } from './bar.tsx'

const HOUR = 3_600_000
const CHOICES = [
  [msg('1 hour'), HOUR],
  [msg('4 hours'), 4 * HOUR],
  [msg('1 day'), 24 * HOUR],
] as const

/** More time to decide, counted from the present end. */
export function ExtendPanel({ card, onBack }: { card: ApprovalCard; onBack: () => void }) {
  const extend = useExtend(card.id)
  useShortcuts({ Escape: onBack })
  const now = serverNow()
  const give = (more: number) => extend.mutate(card.decideBy + more, { onSuccess: onBack })
  return (
    <Bar label={t('Give more time')}>
      <h3 className="flex items-center gap-[7px]">
        <Clock size={16} className="text-accent" aria-hidden="true" />
        {t('Give more time')}
        <span className="font-normal text-ink-3">
          {rich('Now it ends at {time}.', { time: clock(card.decideBy, now) })}
        </span>
      </h3>
      <ErrorMessage error={extend.error} />
      <BarRow>
        {CHOICES.map(([word, more]) => (
          <button
            key={more}
            type="button"
            className="btn"
            disabled={extend.isPending}
            onClick={() => give(more)}
          >
            {say(word)}
            <span className="font-normal text-ink-3">
              {rich('until {time}', { time: clock(card.decideBy + more, now, false) })}
            </span>
          </button>
        ))}
        <span className="flex-1 max-desk:hidden" />
        <button type="button" className="btn btn-quiet" onClick={onBack}>
          {t('Go back')} <KeyCap>Esc</KeyCap>
        </button>
      </BarRow>
    </Bar>
  )
}
