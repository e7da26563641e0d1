import { useQuery } from '@tanstack/react-query'
import { PhoneCall, TriangleAlert } from 'lucide-react'
import type { WireOnCall } from '../../../../src/api/channels/on-call.ts'
import { onCallQuery } from '../../api/people.ts'
import { Chip } from '../../components/chip.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { clock } from '../../lib/time/clock.ts'

/** Who is told first, in groups that have a schedule. Nothing where there is none. */
export function OnCall() {
  const { data, error } = useQuery(onCallQuery)
  if (error) return <ErrorMessage error={error} />
  if (data === undefined || data.groups.length === 0) return null
  return (
    <section aria-label={t('On call')} className="frame grid gap-2 px-4 py-3 max-desk:px-3">
      <h2 className="text-sm text-ink-2">{t('On call')}</h2>
      <ul className="grid gap-2">
        {data.groups.map((one) => (
          <li key={one.group} className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
            <b className="wrap-anywhere">{visibleText(one.group)}</b>
            <Group state={one} now={data.at} />
          </li>
        ))}
      </ul>
      <p className="text-ink-3">
        {t('They are told of a call first. Every member of the group may decide it.')}
      </p>
    </section>
  )
}

function Group({ state, now }: { state: WireOnCall; now: number }) {
  const { people, until, next, problem } = state
  if (problem !== undefined) {
    return (
      <>
        <Chip tone="warn" icon={TriangleAlert}>
          {t('Schedule not read')}
        </Chip>
        <span className="wrap-anywhere text-ink-3">
          {rich('{problem}. All of the group are told at once.', { problem: visibleText(problem) })}
        </span>
      </>
    )
  }
  return (
    <>
      {people.length === 0 ? (
        <span className="text-ink-3">{t('No one now: all of the group are told at once.')}</span>
      ) : (
        people.map((one) => (
          <Chip key={one} icon={PhoneCall}>
            {visibleText(one)}
          </Chip>
        ))
      )}
      {until !== undefined && people.length > 0 && (
        <span className="text-ink-3 tabular-nums">
          {rich('until {time}', { time: clock(until, now, false) })}
        </span>
      )}
      {next !== undefined && (
        <span className="wrap-anywhere text-ink-3">
          {rich('then {part}', {
            part: next.people.length === 0 ? t('no one') : visibleText(next.people.join(', ')),
          })}
        </span>
      )}
    </>
  )
}
