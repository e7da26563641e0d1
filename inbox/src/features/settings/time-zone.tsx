import { ZoneOptions } from '../../components/settings/zone-options.tsx'
import { rich } from '../../lib/language/rich.ts'
import { changeSettings, useSettings } from '../../lib/settings.ts'
import { clock, day } from '../../lib/time/clock.ts'
import { useClock } from '../../lib/time/server-time.ts'
import { isZone } from '../../lib/time/zone.ts'

const OWN = Intl.DateTimeFormat().resolvedOptions().timeZone

/** The zone that times are shown in, and the time there, so that a wrong choice is seen at once. */
export function TimeZone({ labelledBy }: { labelledBy: string }) {
  const { zone } = useSettings()
  const now = useClock((at) => `${day(at)}, ${clock(at, at, false)}`)
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="text-xs text-ink-3 tabular-nums">{now}</span>
      <select
        className="field max-w-full"
        aria-labelledby={labelledBy}
        value={isZone(zone) ? zone : ''}
        onChange={({ target }) => changeSettings({ zone: target.value })}
      >
        <option value="">{rich('As this machine ({OWN})', { OWN })}</option>
        <ZoneOptions chosen={isZone(zone) ? zone : ''} />
      </select>
    </span>
  )
}
