import type { NotificationPreferences } from '../../../../src/api/channels/preferences.ts'
import { ZoneOptions } from '../../components/settings/zone-options.tsx'
import { msg, say, t } from '../../lib/language/t.ts'

type Quiet = NonNullable<NotificationPreferences['quiet']>

interface QuietHoursProps {
  readonly quiet: Quiet
  readonly onChange: (quiet: Quiet) => void
}

const ENDS = [
  ['from', msg('from')],
  ['to', msg('to')],
] as const

/** From when to when, and on the clock of which place. */
export function QuietHours({ quiet, onChange }: QuietHoursProps) {
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-2 pt-2">
      {ENDS.map(([end, word]) => (
        <label key={end} className="flex items-center gap-2">
          {say(word)}
          <input
            className="field max-desk:h-11"
            type="time"
            required
            value={quiet[end]}
            onChange={({ target }) => onChange({ ...quiet, [end]: target.value })}
          />
        </label>
      ))}
      <select
        className="field max-w-full max-desk:h-11"
        aria-label={t('Time zone')}
        value={quiet.zone}
        onChange={({ target }) => onChange({ ...quiet, zone: target.value })}
      >
        <ZoneOptions chosen={quiet.zone} />
      </select>
    </span>
  )
}
