import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type {
  NotificationPreferences,
  NotificationSettings,
} from '../../../../src/api/channels/preferences.ts'
import { preferencesQuery, useKeepPreferences } from '../../api/talk/preferences.ts'
import { channelName } from '../../components/channel-name.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Loaded } from '../../components/page.tsx'
import { Part, Setting, Toggle } from '../../components/settings/setting.tsx'
import { t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { DigestField, type DigestWish } from './digest-field.tsx'
import { QuietHours } from './quiet-hours.tsx'

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
    <form aria-label={t('When and where')} onSubmit={onSubmit}>
      <Part
        title={t('When and where')}
        says={t(
          'Which channel tells you first, and when it is quiet. This is about you, on every device.',
        )}
      >
        {channels.length > 1 && (
          <Setting
            name={t('Tell me first by')}
            says={t('The others follow when no one has decided.')}
          >
            {({ labelledBy }) => (
              <span className="flex flex-wrap items-center gap-2">
                <select
                  className="field max-desk:h-11"
                  aria-labelledby={labelledBy}
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
                {first !== '' && (
                  <label className="flex items-center gap-2">
                    {t('the next after')}
                    <input
                      className="field w-20 max-desk:h-11"
                      type="number"
                      min={1}
                      max={1440}
                      value={after}
                      onChange={({ target }) => setAfter(Number(target.value))}
                    />
                    {t('minutes')}
                  </label>
                )}
              </span>
            )}
          </Setting>
        )}
        <Setting
          name={t('Quiet hours')}
          says={t('Calls that can wait are told afterwards.')}
          more={isQuiet && <QuietHours quiet={quiet} onChange={setQuiet} />}
        >
          {(about) => <Toggle {...about} isOn={isQuiet} onChange={setIsQuiet} />}
        </Setting>
        {channels.map((channel) => (
          <DigestField
            key={channel}
            channel={channel}
            wish={digests.find((one) => one.channel === channel)}
            zone={own}
            onChange={(wish) => setDigest(channel, wish)}
          />
        ))}
        <div className="grid gap-2 bg-sunken px-4 py-3 text-ink-2 max-desk:px-3">
          <p>
            {t(
              'A call waits for the end of quiet hours, or for the next message, only while that leaves you 30 minutes to decide it. Calls of high and critical risk (L4, L5) are always told at once.',
            )}
          </p>
          {policy.length > 0 && (
            <div>
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
          <div className="flex flex-wrap items-center gap-3 pt-1">
            <button
              type="submit"
              className="btn btn-solid max-desk:h-11 max-desk:flex-1"
              disabled={keep.isPending}
            >
              {t('Save')}
            </button>
            {keep.isSuccess && (
              <span role="status" className="text-good">
                {t('Saved.')}
              </span>
            )}
            <ErrorMessage error={keep.error} inline />
          </div>
        </div>
      </Part>
    </form>
  )
}
