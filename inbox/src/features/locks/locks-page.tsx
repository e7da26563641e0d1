import { useQuery } from '@tanstack/react-query'
import { Lock, OctagonX, TriangleAlert } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { WireLock, WireLockTarget } from '../../../../src/api/locks.ts'
import { pastQuery, pendingQuery } from '../../api/approvals.ts'
import { locksQuery, useLiftLock, useSetLock } from '../../api/locks.ts'
import { lastError } from '../../api/query-client.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Page } from '../../components/page.tsx'
import { nameOf } from '../../components/person.tsx'
import { TwoSteps } from '../../components/two-steps.tsx'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { rich } from '../../lib/language/rich.ts'
import { msg, say, t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { clock } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'

export function LocksPage() {
  const { data: list, error } = useQuery(locksQuery)
  const set = useSetLock()
  const lift = useLiftLock()
  const stopped = list?.locks.find(({ target }) => 'everything' in target)
  const maySet = list?.can.includes('set') ?? false
  return (
    <Page
      title={t('Locks')}
      says={t(
        'A lock refuses calls before anyone is asked, and holds back what was approved and has not started.',
      )}
    >
      <ErrorMessage error={lastError(set, lift) ?? error} />
      {maySet && stopped === undefined && (
        <StopEverything
          busy={set.isPending}
          onStop={(reason) => set.mutate({ target: { everything: true }, reason })}
        />
      )}
      {list?.locks.map((lock) => (
        <LockCard
          key={lock.id}
          lock={lock}
          mayLift={list.can.includes('lift')}
          busy={lift.isPending}
          onLift={() => lift.mutate(lock.id)}
        />
      ))}
      {list?.locks.length === 0 && <p className="text-ink-2">{t('Nothing is locked.')}</p>}
      {maySet && <NewLock set={set} />}
    </Page>
  )
}

interface StopEverythingProps {
  readonly busy: boolean
  readonly onStop: (reason: string) => void
}

/** The kill switch: two steps, and a reason shown to all users. */
function StopEverything({ busy, onStop }: StopEverythingProps) {
  const [asking, setAsking] = useState(false)
  const [reason, setReason] = useState('')
  return (
    <section aria-label={t('Stop everything')} className="frame border-bad-line px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <OctagonX size={20} className="flex-none text-bad" aria-hidden="true" />
        <p className="min-w-60 flex-1">
          {rich('{b} No call of any agent starts until an admin lifts it.', {
            b: <b>{t('Stop everything.')}</b>,
          })}
        </p>
        {!asking && (
          <button type="button" className="btn" onClick={() => setAsking(true)}>
            {t('Stop everything…')}
          </button>
        )}
      </div>
      {asking && (
        <form
          className="flex flex-wrap items-center gap-2 pt-3"
          onSubmit={(event) => {
            event.preventDefault()
            if (reason.trim() !== '') onStop(reason.trim())
          }}
        >
          <input
            className="field min-w-60 flex-1"
            aria-label={t('Why everything stops')}
            placeholder={t('Why? Everyone sees it.')}
            maxLength={1_000}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
          <button type="button" className="btn" onClick={() => setAsking(false)}>
            {t('Go back')}
          </button>
          <button
            type="submit"
            className="btn btn-solid btn-risk-5"
            disabled={reason.trim() === '' || busy}
          >
            {t('Stop everything now')}
          </button>
        </form>
      )}
    </section>
  )
}

interface LockCardProps {
  readonly lock: WireLock
  readonly mayLift: boolean
  readonly busy: boolean
  readonly onLift: () => void
}

function LockCard({ lock, mayLift, busy, onLift }: LockCardProps) {
  const now = serverNow()
  return (
    <section
      aria-label={t('Lock on {words}', { words: visibleText(lock.words) })}
      className="frame px-4 py-3"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <Lock size={16} className="flex-none text-warn" aria-hidden="true" />
        <h2 className="wrap-anywhere text-md">
          <LockedThing lock={lock} />
        </h2>
        <span className="flex-1" />
        {mayLift && (
          <TwoSteps
            first={t('Lift')}
            question={t('Lift this lock?')}
            says={t('Calls go on from now.')}
            deed={t('Lift')}
            busy={busy}
            onDeed={onLift}
          />
        )}
      </div>
      <p className="pt-1 wrap-anywhere">
        <UntrustedText text={lock.reason} />
      </p>
      <p className="text-xs text-ink-3">
        {nameOf(lock.by)}, {clock(lock.at, now)}
        {lock.until !== undefined && t('; ends by itself {time}', { time: clock(lock.until, now) })}
      </p>
    </section>
  )
}

/** An agent is often called one: what it is stands apart from its name. */
function LockedThing({ lock: { target, words } }: { lock: WireLock }) {
  if (!('agent' in target)) return <UntrustedText text={words} />
  return (
    <>
      <span className="mr-2 text-xs font-medium text-ink-3">{t('Agent')}</span>
      <UntrustedText text={target.agent} />
    </>
  )
}

const KINDS = [
  ['agent', msg('Agent')],
  ['tool', msg('Tool, everywhere')],
  ['server', msg('Server')],
  ['both', msg('Tool of a server')],
] as const

const HOURS = [
  ['', msg('until lifted')],
  ['1', msg('for 1 hour')],
  ['24', msg('for 1 day')],
] as const

/** Names that recent calls had: whatever is locked should be one of them. */
function useKnownNames(kind: (typeof KINDS)[number][0]): readonly string[] {
  const { data: pending } = useQuery(pendingQuery('risk', ''))
  const { data: past } = useQuery(pastQuery(250))
  const rows = [...(pending?.rows ?? []), ...(past ?? [])]
  const names = rows.flatMap(({ agent, tool, server }) =>
    kind === 'agent' ? agent : kind === 'server' ? (server ?? []) : tool,
  )
  return [...new Set(names)].toSorted()
}

function NewLock({ set }: { set: ReturnType<typeof useSetLock> }) {
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
  const known = useKnownNames(kind)
  const isUnknown = name !== '' && !known.includes(name)
  const complete = name !== '' && reason.trim() !== '' && (kind !== 'both' || server !== '')
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (!complete) return
    const until = hours === '' ? {} : { until: serverNow() + Number(hours) * 3_600_000 }
    const body = { target: target(), reason: reason.trim(), ...until }
    // What was refused stays typed.
    const onSuccess = () => {
      setName('')
      setReason('')
    }
    set.mutate(body, { onSuccess })
  }
  return (
    <form
      aria-label={t('Lock something')}
      className="frame grid gap-2 px-4 py-3"
      onSubmit={onSubmit}
    >
      <h2 className="text-md">{t('Lock something')}</h2>
      <div className="flex flex-wrap gap-2">
        <select
          className="field"
          aria-label={t('What')}
          value={kind}
          onChange={({ target: { value } }) => setKind(value as typeof kind)}
        >
          {KINDS.map(([value, word]) => (
            <option key={value} value={value}>
              {say(word)}
            </option>
          ))}
        </select>
        {kind === 'both' && (
          <input
            className="field min-w-40 flex-1"
            aria-label={t('Server')}
            placeholder={t('Server')}
            value={server}
            onChange={({ target: { value } }) => setServer(value)}
          />
        )}
        <input
          className="field min-w-40 flex-1"
          aria-label={t('Its name')}
          placeholder={t('Its name, exactly')}
          list="known-names"
          value={name}
          onChange={({ target: { value } }) => setName(value)}
        />
        <datalist id="known-names">
          {known.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <select
          className="field"
          aria-label={t('How long')}
          value={hours}
          onChange={({ target: { value } }) => setHours(value)}
        >
          {HOURS.map(([value, word]) => (
            <option key={value} value={value}>
              {say(word)}
            </option>
          ))}
        </select>
      </div>
      {isUnknown && (
        <p role="status" className="flex items-center gap-1.5 text-warn">
          <TriangleAlert size={14} aria-hidden="true" className="flex-none" />
          <span className="wrap-anywhere">
            {rich(
              'No recent call is of “{name}”. Check the spelling: a lock on a name that is never used stops nothing.',
              { name: visibleText(name) },
            )}
          </span>
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <input
          className="field min-w-60 flex-1"
          aria-label={t('Why it is locked')}
          placeholder={t('Why? Everyone sees it.')}
          maxLength={1_000}
          value={reason}
          onChange={({ target: { value } }) => setReason(value)}
        />
        <button
          type="submit"
          className="btn btn-small self-stretch px-4"
          disabled={!complete || set.isPending}
        >
          {t('Lock')}
        </button>
      </div>
    </form>
  )
}
