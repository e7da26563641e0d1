import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Lock, OctagonX } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { LockBody, WireLock, WireLockTarget } from '../../../src/api/locks.ts'
import { getLocks, liftLock, sentenceOf, setLock } from '../api.ts'
import { Foreign } from '../parts/foreign.tsx'
import { Page } from '../parts/page.tsx'
import { nameOf } from '../parts/person.tsx'
import { Problem } from '../parts/problem.tsx'
import { serverNow } from '../server-time.ts'
import { clock } from '../text/clock.ts'
import { visibleText } from '../text/unseen.ts'

export function LocksPage() {
  const queries = useQueryClient()
  const { data: list, error } = useQuery({
    queryKey: ['locks'],
    queryFn: getLocks,
    refetchInterval: 10_000,
  })
  const [problem, setProblem] = useState('')
  const change = async (act: () => Promise<unknown>) => {
    setProblem('')
    try {
      await act()
    } catch (cause) {
      setProblem(sentenceOf(cause))
    }
    await queries.invalidateQueries()
  }
  const stopped = list?.locks.find(({ target }) => 'everything' in target)
  const maySet = list?.can.includes('set') ?? false
  return (
    <Page
      title="Locks"
      says="A lock refuses calls before anyone is asked, and holds back what was approved and has not started."
    >
      {(error || problem !== '') && <Problem text={problem === '' ? sentenceOf(error) : problem} />}
      {maySet && stopped === undefined && (
        <StopEverything
          onStop={(reason) => change(() => setLock({ target: { everything: true }, reason }))}
        />
      )}
      {list?.locks.map((lock) => (
        <LockCard
          key={lock.id}
          lock={lock}
          mayLift={list.can.includes('lift')}
          onLift={() => change(() => liftLock(lock.id))}
        />
      ))}
      {list?.locks.length === 0 && <p className="text-ink-2">Nothing is locked.</p>}
      {maySet && <NewLock onSet={(body) => change(() => setLock(body))} />}
    </Page>
  )
}

/** The kill switch: two steps, and a reason shown to all users. */
function StopEverything({ onStop }: { onStop: (reason: string) => Promise<void> }) {
  const [asking, setAsking] = useState(false)
  const [reason, setReason] = useState('')
  return (
    <section aria-label="Stop everything" className="frame border-bad-line px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <OctagonX size={20} className="flex-none text-bad" aria-hidden="true" />
        <p className="min-w-60 flex-1">
          <b>Stop everything.</b> No call of any agent starts until an admin lifts it.
        </p>
        {!asking && (
          <button type="button" className="btn" onClick={() => setAsking(true)}>
            Stop everything…
          </button>
        )}
      </div>
      {asking && (
        <form
          className="flex flex-wrap items-center gap-2 pt-3"
          onSubmit={(event) => {
            event.preventDefault()
            if (reason.trim() !== '') void onStop(reason.trim())
          }}
        >
          <input
            className="field min-w-60 flex-1"
            aria-label="Why everything stops"
            placeholder="Why? Everyone sees it."
            maxLength={1_000}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
          <button type="button" className="btn" onClick={() => setAsking(false)}>
            Go back
          </button>
          <button
            type="submit"
            className="btn btn-solid btn-risk-5"
            disabled={reason.trim() === ''}
          >
            Stop everything now
          </button>
        </form>
      )}
    </section>
  )
}

interface LockCardProps {
  readonly lock: WireLock
  readonly mayLift: boolean
  readonly onLift: () => Promise<void>
}

function LockCard({ lock, mayLift, onLift }: LockCardProps) {
  const [asking, setAsking] = useState(false)
  const now = serverNow()
  return (
    <section aria-label={`Lock on ${visibleText(lock.words)}`} className="frame px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <Lock size={16} className="flex-none text-warn" aria-hidden="true" />
        <h2 className="wrap-anywhere text-md">
          <Foreign text={lock.words} />
        </h2>
        <span className="flex-1" />
        {mayLift && !asking && (
          <button type="button" className="btn" onClick={() => setAsking(true)}>
            Lift…
          </button>
        )}
        {asking && (
          <fieldset className="flex flex-wrap items-center gap-2">
            <legend className="sr-only">Lift this lock?</legend>
            <span className="text-ink-2">Calls go on from now.</span>
            <button type="button" className="btn btn-quiet" onClick={() => setAsking(false)}>
              Keep
            </button>
            <button type="button" className="btn" onClick={() => void onLift()}>
              Lift
            </button>
          </fieldset>
        )}
      </div>
      <p className="pt-1 wrap-anywhere">
        <Foreign text={lock.reason} />
      </p>
      <p className="text-xs text-ink-3">
        {nameOf(lock.by)}, {clock(lock.at, now)}
        {lock.until !== undefined && `; ends by itself ${clock(lock.until, now)}`}
      </p>
    </section>
  )
}

const KINDS = [
  ['agent', 'Agent'],
  ['tool', 'Tool, everywhere'],
  ['server', 'Server'],
  ['both', 'Tool of a server'],
] as const

const HOURS = [
  ['', 'until lifted'],
  ['1', 'for 1 hour'],
  ['24', 'for 1 day'],
] as const

function NewLock({ onSet }: { onSet: (body: LockBody) => Promise<void> }) {
  const [kind, setKind] = useState<(typeof KINDS)[number][0]>('agent')
  const [name, setName] = useState('')
  const [server, setServer] = useState('')
  const [hours, setHours] = useState('')
  const [reason, setReason] = useState('')
  const target = (): WireLockTarget =>
    kind === 'agent'
      ? { agent: name }
      : kind === 'tool'
        ? { tool: name }
        : kind === 'server'
          ? { server: name }
          : { server, tool: name }
  const complete = name !== '' && reason.trim() !== '' && (kind !== 'both' || server !== '')
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (!complete) return
    const until = hours === '' ? {} : { until: serverNow() + Number(hours) * 3_600_000 }
    void onSet({ target: target(), reason: reason.trim(), ...until }).then(() => {
      setName('')
      setReason('')
    })
  }
  return (
    <form aria-label="Lock something" className="frame grid gap-2 px-4 py-3" onSubmit={onSubmit}>
      <h2 className="text-md">Lock something</h2>
      <div className="flex flex-wrap gap-2">
        <select
          className="field"
          aria-label="What"
          value={kind}
          onChange={({ target: { value } }) => setKind(value as typeof kind)}
        >
          {KINDS.map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </select>
        {kind === 'both' && (
          <input
            className="field min-w-40 flex-1"
            aria-label="Server"
            placeholder="Server"
            value={server}
            onChange={({ target: { value } }) => setServer(value)}
          />
        )}
        <input
          className="field min-w-40 flex-1"
          aria-label="Its name"
          placeholder="Its name, exactly"
          value={name}
          onChange={({ target: { value } }) => setName(value)}
        />
        <select
          className="field"
          aria-label="How long"
          value={hours}
          onChange={({ target: { value } }) => setHours(value)}
        >
          {HOURS.map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </select>
      </div>
      <div className="flex flex-wrap gap-2">
        <input
          className="field min-w-60 flex-1"
          aria-label="Why it is locked"
          placeholder="Why? Everyone sees it."
          maxLength={1_000}
          value={reason}
          onChange={({ target: { value } }) => setReason(value)}
        />
        <button type="submit" className="btn btn-small self-stretch px-4" disabled={!complete}>
          Lock
        </button>
      </div>
    </form>
  )
}
