import { useQuery } from '@tanstack/react-query'
import { ArrowRight } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { WireMember } from '../../../../src/api/people.ts'
import type { StandInList, WireStandIn } from '../../../../src/api/stand-ins.ts'
import {
  standInsQuery,
  useEndStandIn,
  useSetStandIn,
  useTakeBackStandIn,
} from '../../api/people.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { FormActions } from '../../components/form-actions.tsx'
import { Loaded, PartHead } from '../../components/page.tsx'
import { nameOf } from '../../components/person.tsx'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { msg, say, t } from '../../lib/language/t.ts'
import { clock } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'

/** Who answers for whom while they are away. */
export function StandIns({ people }: { people: readonly WireMember[] }) {
  const { data, error } = useQuery(standInsQuery)
  const [setting, setSetting] = useState(false)
  return (
    <>
      <PartHead
        title={t('Stand-ins')}
        says={t('Who fills whose place until when. It is recorded as one person for another.')}
        aside={
          !setting && (
            <button type="button" className="btn" onClick={() => setSetting(true)}>
              {t('Name a stand-in…')}
            </button>
          )
        }
      />
      <Loaded data={data} error={error}>
        {(list) => (
          <>
            {setting && (
              <NameStandIn list={list} people={people} onDone={() => setSetting(false)} />
            )}
            {list.standIns.length === 0 ? (
              <p className="frame px-4 py-3 text-ink-2 max-desk:px-3">{t('No stand-ins.')}</p>
            ) : (
              <ul className="frame" aria-label={t('Stand-ins')}>
                {list.standIns.map((one) => (
                  <OneStandIn key={one.id} one={one} now={list.now} />
                ))}
              </ul>
            )}
          </>
        )}
      </Loaded>
    </>
  )
}

function OneStandIn({ one, now }: { one: WireStandIn; now: number }) {
  const end = useEndStandIn(one.id)
  const takeBack = useTakeBackStandIn(one.id)
  const { id, absent, standIn, from, until, reason, can } = one
  const words = t('{name} for {name2}', { name: nameOf(standIn), name2: nameOf(absent) })
  return (
    <li
      data-stand-in={id}
      className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-2 first:border-t-0 max-desk:px-3"
    >
      <span className="min-w-0 wrap-anywhere max-desk:basis-full">
        <b>{words}</b>{' '}
        <span className="text-ink-2 tabular-nums">
          {from > now && (
            <>
              {clock(from, now, false)}{' '}
              <ArrowRight size={12} className="inline" aria-label={t('to')} />{' '}
            </>
          )}
          {from > now
            ? clock(until, now, false)
            : t('until {time}', { time: clock(until, now, false) })}
        </span>
        {reason !== undefined && (
          <span className="block text-xs text-ink-3">
            <UntrustedText text={reason} />
          </span>
        )}
      </span>
      <span className="flex-1 max-desk:hidden" />
      {can.includes('end') && (
        <ConfirmButton
          word={t('End')}
          about={words}
          says={t('From now on they fill only their own place. What was said stays said.')}
          write={end}
        />
      )}
      {can.includes('take_back') && (
        <ConfirmButton
          word={t('Take back')}
          about={words}
          says={t(
            'As if it had never been: yeses given under it stop counting, also on calls that were approved and have not started.',
          )}
          write={takeBack}
        />
      )}
    </li>
  )
}

const DAYS = [
  ['1', msg('for 1 day')],
  ['7', msg('for a week')],
  ['14', msg('for 2 weeks')],
  ['30', msg('for 30 days')],
] as const

interface NameProps {
  readonly list: StandInList
  readonly people: readonly WireMember[]
  readonly onDone: () => void
}

function NameStandIn({ list, people, onDone }: NameProps) {
  const save = useSetStandIn()
  // People cannot name themselves as a stand-in for another person, so they are not offered.
  const you = people.find((one) => one.you)?.id ?? ''
  const [absent, setAbsent] = useState(you)
  const [standIn, setNext] = useState('')
  const [days, setDays] = useState('7')
  const [reason, setReason] = useState('')
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const body = {
      standIn,
      ...(absent === you ? {} : { absent }),
      until: serverNow() + Number(days) * 86_400_000,
      ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
    }
    save.mutate(body, { onSuccess: onDone })
  }
  return (
    <form
      aria-label={t('Name a stand-in')}
      className="frame grid gap-2.5 px-4 py-3"
      onSubmit={onSubmit}
    >
      <div className="flex flex-wrap gap-2">
        {list.can.includes('set_for_others') && (
          <Someone label={t('Who is away')} people={people} value={absent} onChange={setAbsent} />
        )}
        <Someone
          label={t('Who stands in')}
          people={people.filter((one) => one.id !== absent && (absent === you || !one.you))}
          value={standIn}
          onChange={setNext}
        />
        <select
          className="field"
          aria-label={t('How long')}
          value={days}
          onChange={({ target }) => setDays(target.value)}
        >
          {DAYS.map(([value, word]) => (
            <option key={value} value={value}>
              {say(word)}
            </option>
          ))}
        </select>
        <input
          className="field min-w-40 flex-1"
          aria-label={t('Why, for the record')}
          placeholder={t('Why, if you like')}
          maxLength={1_000}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
      </div>
      <FormActions
        send={t('Name them')}
        error={save.error}
        disabled={standIn === ''}
        onBack={onDone}
      />
    </form>
  )
}

interface SomeoneProps {
  readonly label: string
  readonly people: readonly WireMember[]
  readonly value: string
  readonly onChange: (id: string) => void
}

function Someone({ label, people, value, onChange }: SomeoneProps) {
  return (
    <select
      className="field"
      aria-label={label}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">{label}…</option>
      {people.map((one) => (
        <option key={one.id} value={one.id}>
          {nameOf(one)}
          {one.you && ` (${t('you')})`}
        </option>
      ))}
    </select>
  )
}
