import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type {
  NotificationPreferences,
  NotificationSettings,
} from '../../../../src/api/channels/preferences.ts'
import { preferencesQuery, useKeepPreferences } from '../../api/talk/preferences.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Loaded } from '../../components/page.tsx'
import { t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { channelName } from './channel-name.ts'
import { DigestField, type DigestWish } from './digest-field.tsx'

/** Which channel first, and the hours in which nothing is sent that can wait. */
export function WhenAndWhere() {
  const { data, error } = useQuery(preferencesQuery)
  return (
    <Loaded data={data} error={error}>
      {(settings) => <Form key={JSON.stringify(settings.preferences)} settings={settings} />}
    </Loaded>
  )
}

const own = Intl.DateTimeFormat().resolvedOptions().timeZone

function Form({ settings: { preferences, channels, policy } }: { settings: NotificationSettings }) {
  const keep = useKeepPreferences()
  const [first, setFirst] = useState(preferences.order?.[0] ?? '')
  const [after, setAfter] = useState(preferences.nextAfter ?? 10)
  const [isQuiet, setIsQuiet] = useState(preferences.quiet !== undefined)
  const [quiet, setQuiet] = useState(preferences.quiet ?? { zone: own, from: '22:00', to: '07:00' })
  const [digests, setDigests] = useState<readonly DigestWish[]>(preferences.digests ?? [])
  const setDigest = (channel: string, wish: DigestWish | undefined) =>
    setDigests([...digests.filter((one) => one.channel !== channel), ...(wish ? [wish] : [])])
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const others = channels.filter((name) => name !== first)
    const body: NotificationPreferences = {
      ...(first === '' ? {} : { order: [first, ...others], nextAfter: after }),
      ...(isQuiet ? { quiet } : {}),
      ...(digests.length > 0 ? { digests } : {}),
    }
    keep.mutate(body)
  }
  return (
    <form
      aria-label={t('When and where')}
      className="frame grid grid-cols-[minmax(0,1fr)] gap-3 px-4 py-3 max-desk:px-3"
      onSubmit={onSubmit}
    >
      {channels.length > 1 && (
        <div className="flex flex-wrap items-center gap-2">
          <label className="flex items-center gap-2">
            {t('Tell me first by')}
            <select
              className="field"
              value={first}
              onChange={({ target }) => setFirst(target.value)}
            >
              <option value="">{t('all at once')}</option>
              {channels.map((name) => (
                <option key={name} value={name}>
                  {channelName(name)}
                </option>
              ))}
            </select>
          </label>
          {first !== '' && (
            <label className="flex items-center gap-2">
              {t('and by the next after')}
              <input
                className="field w-20"
                type="number"
                min={1}
                max={1440}
                value={after}
                onChange={({ target }) => setAfter(Number(target.value))}
              />
              {t('minutes without a decision')}
            </label>
          )}
        </div>
      )}
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          className="size-4"
          checked={isQuiet}
          onChange={({ target }) => setIsQuiet(target.checked)}
        />
        {t('Quiet hours')}
      </label>
      {isQuiet && (
        <div className="flex flex-wrap items-center gap-2">
          {(['from', 'to'] as const).map((end) => (
            <label key={end} className="flex items-center gap-2">
              {end}
              <input
                className="field"
                type="time"
                required
                value={quiet[end]}
                onChange={({ target }) => setQuiet({ ...quiet, [end]: target.value })}
              />
            </label>
          ))}
          <label className="flex min-w-0 items-center gap-2">
            {t('in')}
            <input
              className="field min-w-0"
              aria-label={t('Time zone')}
              required
              maxLength={64}
              value={quiet.zone}
              onChange={({ target }) => setQuiet({ ...quiet, zone: target.value })}
            />
          </label>
        </div>
      )}
      {channels.length > 0 && (
        <fieldset className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-2">
          <legend className="pb-1">{t('How often')}</legend>
          {channels.map((channel) => (
            <DigestField
              key={channel}
              channel={channel}
              wish={digests.find((one) => one.channel === channel)}
              zone={own}
              onChange={(wish) => setDigest(channel, wish)}
            />
          ))}
        </fieldset>
      )}
      <p className="text-ink-3">
        {t(
          'A call waits for the end of quiet hours, or for the next message, only while that leaves you 30 minutes to decide it. Calls of high and critical risk (L4, L5) are always told at once.',
        )}
      </p>
      {policy.length > 0 && (
        <div className="text-ink-3">
          <p>{t('The policy of this server says:')}</p>
          <ul className="list-disc pl-5">
            {policy.map((sentence) => (
              <li key={sentence} className="wrap-anywhere">
                {visibleText(sentence)}
              </li>
            ))}
          </ul>
        </div>
      )}
      <div className="flex items-center gap-3">
        <button type="submit" className="btn" disabled={keep.isPending}>
          {t('Save')}
        </button>
        {keep.isSuccess && (
          <span role="status" className="text-good">
            {t('Saved.')}
          </span>
        )}
        <ErrorMessage error={keep.error} inline />
      </div>
    </form>
  )
}
