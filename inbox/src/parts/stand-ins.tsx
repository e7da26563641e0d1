import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowRight } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { WireMember } from '../../../src/api/people.ts'
import type { StandInList, WireStandIn } from '../../../src/api/stand-ins.ts'
import { endStandIn, getStandIns, sentenceOf, setStandIn, takeBackStandIn } from '../api.ts'
import { serverNow } from '../server-time.ts'
import { clock } from '../text/clock.ts'
import { Foreign } from './foreign.tsx'
import { FormEnd } from './form-end.tsx'
import { Loaded, PartHead } from './page.tsx'
import { nameOf } from './person.tsx'
import { Sure } from './sure.tsx'

/** Who answers for whom while they are away. */
export function StandIns({ people }: { people: readonly WireMember[] }) {
  const { data, error } = useQuery({
    queryKey: ['stand-ins'],
    queryFn: getStandIns,
    refetchInterval: 30_000,
  })
  const [setting, setSetting] = useState(false)
  return (
    <>
      <PartHead
        title="Stand-ins"
        says="Who fills whose place until when. It is recorded as one person for another."
        aside={
          !setting && (
            <button type="button" className="btn" onClick={() => setSetting(true)}>
              Name a stand-in…
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
              <p className="text-ink-2">No stand-ins.</p>
            ) : (
              <ul className="frame" aria-label="Stand-ins">
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
  const queries = useQueryClient()
  const { id, absent, standIn, from, until, reason, can } = one
  const words = `${nameOf(standIn)} for ${nameOf(absent)}`
  return (
    <li
      data-stand-in={id}
      className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-2 first:border-t-0 max-desk:px-3"
    >
      <span className="min-w-0 wrap-anywhere">
        <b>{words}</b>{' '}
        <span className="text-ink-2 tabular-nums">
          {from > now && (
            <>
              {clock(from, now, false)} <ArrowRight
                size={12}
                className="inline"
                aria-label="to"
              />{' '}
            </>
          )}
          {from > now ? '' : 'until '}
          {clock(until, now, false)}
        </span>
        {reason !== undefined && (
          <span className="block text-xs text-ink-3">
            <Foreign text={reason} />
          </span>
        )}
      </span>
      <span className="flex-1" />
      {can.includes('end') && (
        <Sure
          word="End"
          about={words}
          says="From now on they fill only their own place. What was said stays said."
          act={async () => {
            await endStandIn(id)
            await queries.invalidateQueries()
          }}
        />
      )}
      {can.includes('take_back') && (
        <Sure
          word="Take back"
          about={words}
          says="As if it had never been: yeses given under it stop counting, also on calls that were approved and have not started."
          act={async () => {
            await takeBackStandIn(id)
            await queries.invalidateQueries()
          }}
        />
      )}
    </li>
  )
}

const DAYS = [
  ['1', 'for 1 day'],
  ['7', 'for a week'],
  ['14', 'for 2 weeks'],
  ['30', 'for 30 days'],
] as const

interface NameProps {
  readonly list: StandInList
  readonly people: readonly WireMember[]
  readonly onDone: () => void
}

function NameStandIn({ list, people, onDone }: NameProps) {
  const queries = useQueryClient()
  // People cannot name themselves as a stand-in for another person, so they are not offered.
  const you = people.find((one) => one.you)?.id ?? ''
  const [absent, setAbsent] = useState(you)
  const [standIn, setNext] = useState('')
  const [days, setDays] = useState('7')
  const [reason, setReason] = useState('')
  const [problem, setProblem] = useState('')
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault()
    setProblem('')
    try {
      await setStandIn({
        standIn,
        ...(absent === you ? {} : { absent }),
        until: serverNow() + Number(days) * 86_400_000,
        ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
      })
      await queries.invalidateQueries()
      onDone()
    } catch (error) {
      setProblem(sentenceOf(error))
    }
  }
  return (
    <form
      aria-label="Name a stand-in"
      className="frame grid gap-2.5 px-4 py-3"
      onSubmit={(event) => void onSubmit(event)}
    >
      <div className="flex flex-wrap gap-2">
        {list.can.includes('set_for_others') && (
          <Someone label="Who is away" people={people} value={absent} onChange={setAbsent} />
        )}
        <Someone
          label="Who stands in"
          people={people.filter((one) => one.id !== absent && (absent === you || !one.you))}
          value={standIn}
          onChange={setNext}
        />
        <select
          className="field"
          aria-label="How long"
          value={days}
          onChange={({ target }) => setDays(target.value)}
        >
          {DAYS.map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </select>
        <input
          className="field min-w-40 flex-1"
          aria-label="Why, for the record"
          placeholder="Why, if you like"
          maxLength={1_000}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
      </div>
      <FormEnd send="Name them" problem={problem} disabled={standIn === ''} onBack={onDone} />
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
          {one.you && ' (you)'}
        </option>
      ))}
    </select>
  )
}
