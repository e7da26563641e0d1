import { CloudOff } from 'lucide-react'
import { retryNow } from '../../api/live-events.ts'
import { KeyCap } from '../../components/key-cap.tsx'
import { TONE_CLASSES } from '../../components/tone.ts'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { clock } from '../../lib/time/clock.ts'
import { Bar } from './bar.tsx'

export function OfflineBar({ since }: { since: number }) {
  useShortcuts({ r: retryNow })
  return (
    <Bar label={t('Not connected')} tone="plain">
      <div className="flex items-start gap-3 max-desk:flex-wrap">
        <span
          className={`grid size-[34px] flex-none place-items-center rounded-full ${TONE_CLASSES.plain}`}
        >
          <CloudOff size={17} aria-hidden="true" />
        </span>
        <div className="min-w-0 flex-1" role="alert">
          <h3 className="text-md">{t('You can read, but not decide.')}</h3>
          <p className="max-w-[72ch] text-ink-2">
            {rich(
              'The server has not answered since {time}. Nothing is approved while it is away; clocks keep running there. It is tried again every few seconds.',
              { time: clock(since, Date.now()) },
            )}
          </p>
        </div>
        <button type="button" className="btn max-desk:h-12 max-desk:basis-full" onClick={retryNow}>
          {t('Try now')} <KeyCap>R</KeyCap>
        </button>
      </div>
    </Bar>
  )
}
