import type { NotificationPreferences } from '../../../../src/api/channels/preferences.ts'
import { channelName } from '../../components/channel-name.ts'
import { Setting } from '../../components/settings/setting.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'

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
    <Setting
      name={t('Messages by {channel}', { channel: channelName(channel) })}
      says={t('One for each call, or several calls in one.')}
    >
      {({ labelledBy }) => (
        <span className="flex max-w-full flex-wrap items-center gap-2">
          <select
            className="field max-w-full min-w-0 max-desk:h-11"
            aria-labelledby={labelledBy}
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
          {wish?.at !== undefined && (
            <label className="flex items-center gap-2">
              {t('at')}
              <input
                className="field max-desk:h-11"
                type="time"
                required
                value={wish.at}
                onChange={({ target }) => onChange({ ...wish, at: target.value })}
              />
              <span className="text-ink-3">{visibleText(wish.zone ?? '')}</span>
            </label>
          )}
        </span>
      )}
    </Setting>
  )
}
