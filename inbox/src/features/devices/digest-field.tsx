import type { NotificationPreferences } from '../../../../src/api/channels/preferences.ts'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { channelName } from './channel-name.ts'

export type DigestWish = NonNullable<NotificationPreferences['digests']>[number]

const EVERY = [15, 30, 60, 240] as const
const DAILY = 'daily'

interface Props {
  readonly channel: string
  readonly wish: DigestWish | undefined
  /** Where this browser is. */
  readonly zone: string
  readonly onChange: (wish: DigestWish | undefined) => void
}

/** Whether one channel tells of each call, or of several at once. */
export function DigestField({ channel, wish, zone, onChange }: Props) {
  const chosen = wish === undefined ? '' : (wish.every?.toString() ?? DAILY)
  // One that was set elsewhere stays as it is.
  const minutes = wish?.every
  const known = minutes === undefined || EVERY.some((one) => one === minutes)
  const times = known ? EVERY : [...EVERY, minutes]
  const onSelect = (value: string) => {
    if (value === '') onChange(undefined)
    else if (value === DAILY) onChange({ channel, at: '09:00', zone })
    else onChange({ channel, every: Number(value) })
  }
  return (
    <div className="flex flex-wrap items-center gap-2">
      <label className="flex max-w-full min-w-0 items-center gap-2">
        <span className="min-w-16 wrap-anywhere">{channelName(channel)}</span>
        <select
          className="field min-w-0 flex-1"
          value={chosen}
          onChange={({ target }) => onSelect(target.value)}
        >
          <option value="">{t('a message for each call')}</option>
          {times.map((every) => (
            <option key={every} value={every}>
              {rich('one message every {every} minutes', { every })}
            </option>
          ))}
          <option value={DAILY}>{t('one message a day')}</option>
        </select>
      </label>
      {wish?.at !== undefined && (
        <label className="flex items-center gap-2">
          {t('at')}
          <input
            className="field"
            type="time"
            required
            value={wish.at}
            onChange={({ target }) => onChange({ ...wish, at: target.value })}
          />
          <span className="text-ink-3">{visibleText(wish.zone ?? '')}</span>
        </label>
      )}
    </div>
  )
}
