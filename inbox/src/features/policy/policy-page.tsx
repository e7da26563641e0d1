import { useQuery } from '@tanstack/react-query'
import { Lock, TriangleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Me } from '../../../../src/api/approval.ts'
import type { RuleCounts } from '../../../../src/api/policy/versions.ts'
import type { PolicyStatus } from '../../../../src/api/policy.ts'
import { errorMessage } from '../../api/errors.ts'
import { ruleCountsQuery, statusQuery } from '../../api/policy.ts'
import { Chip } from '../../components/chip.tsx'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { Verdict } from '../../components/verdict.tsx'
import { rich } from '../../lib/language/rich.ts'
import { msg, plural, say, t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { clock } from '../../lib/time/clock.ts'
import { SwitchList } from '../tools/switch-list.tsx'
import { Explain } from './explain.tsx'
import { Groups } from './groups.tsx'
import { PolicyDraft } from './policy-draft.tsx'
import { PolicyProposals } from './proposals.tsx'
import { Versions } from './versions.tsx'

type Rule = PolicyStatus['rules'][number]

export function PolicyPage({ me }: { me: Me }) {
  const { data: status, error } = useQuery(statusQuery)
  const [call, setCall] = useState<Rule['call']>()
  const decides = me.roles.includes('admin') || me.roles.includes('approver')
  useEffect(() => {
    document.title = `${t('Policy')} · Countersign`
  }, [])
  return (
    <main className="relative overflow-auto bg-canvas">
      <div className="mx-auto grid max-w-[1240px] grid-cols-[minmax(0,1fr)] content-start gap-3.5 px-8 pt-5 pb-10 max-desk:px-3 max-desk:pt-3.5">
        {status === undefined ? (
          <p className={error ? 'text-bad' : 'text-ink-2'} role={error ? 'alert' : undefined}>
            {error ? errorMessage(error) : t('Loading the policy.')}
          </p>
        ) : (
          <>
            <Head status={status} />
            {me.roles.includes('admin') && <PolicyDraft />}
            {decides && <PolicyProposals isAdmin={me.roles.includes('admin')} />}
            <Notes status={status} />
            <SwitchList />
            <div className="grid grid-cols-[minmax(0,1.1fr)_minmax(0,1fr)] items-start gap-3.5 max-wide:grid-cols-1">
              <Rules rules={status.rules} onTry={setCall} />
              <div className="sticky top-3.5 grid max-h-[calc(100dvh-72px)] min-w-0 gap-3.5 overflow-auto max-wide:static max-wide:max-h-none">
                <Explain status={status} call={call} />
                <Groups groups={status.groups} />
                {me.roles.includes('admin') && <Versions />}
              </div>
            </div>
          </>
        )}
      </div>
    </main>
  )
}

function Head({ status: { files, loadedAt } }: { status: PolicyStatus }) {
  return (
    <header>
      <h1 className="text-xl tracking-tight">{t('Policy')}</h1>
      <p className="text-ink-2">
        {rich('{part}, loaded {time}. The strictest answer wins; governance can only add.', {
          part:
            files.length === 0
              ? t('No policy file')
              : plural(files.length, '{n} file', '{n} files'),
          time: clock(Date.parse(loadedAt), Date.now()),
        })}
      </p>
      <ul className="mt-2 flex flex-wrap gap-2">
        {files.map(({ file, role, state }) => (
          <li key={file}>
            <Chip
              tone={state === 'active' ? 'plain' : 'warn'}
              icon={role === 'governance' ? Lock : undefined}
            >
              <code className="text-xs">{visibleText(file)}</code>
              {state !== 'active' && say(STATES[state])}
            </Chip>
          </li>
        ))}
      </ul>
    </header>
  )
}

const STATES = {
  changed: msg('changed on disk, not active'),
  removed: msg('gone from disk, still active'),
  new: msg('new on disk, not active'),
} as const

function Notes({ status: { warnings } }: { status: PolicyStatus }) {
  return warnings.map(({ place, path, message }) => (
    <p
      key={`${place} ${path} ${message}`}
      className="flex items-start gap-2 rounded-md border border-warn-line bg-warn-soft px-3 py-2"
    >
      <TriangleAlert size={16} className="mt-0.5 flex-none text-warn" aria-hidden="true" />
      <span className="wrap-anywhere">
        <code>{visibleText(place)}</code> <UntrustedText text={message} />
      </span>
    </p>
  ))
}

interface RulesProps {
  readonly rules: readonly Rule[]
  readonly onTry: (call: Rule['call']) => void
}

function Rules({ rules, onTry }: RulesProps) {
  const { data: counts } = useQuery(ruleCountsQuery)
  const [wanted, setWanted] = useState('')
  const found = rules.filter((rule) => isAbout(rule, wanted))
  return (
    <section className="frame" aria-labelledby="rules">
      <header className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2.5">
        <h2 id="rules" className="flex flex-1 gap-2 text-sm">
          {rich('Active rules {rules}', {
            rules: <span className="font-medium text-ink-3">{rules.length}</span>,
          })}
        </h2>
        <input
          type="search"
          className="field w-56"
          aria-label={t('Find a rule')}
          placeholder={t('Tool, server, file or text')}
          value={wanted}
          onChange={({ target }) => setWanted(target.value)}
        />
      </header>
      {found.length === 0 && rules.length > 0 && (
        <p className="px-4 py-6 text-center text-ink-2">{t('No rule matches.')}</p>
      )}
      <ul>
        {found.map((rule) => (
          <li
            key={`${rule.source} ${rule.name}`}
            className="grid grid-cols-[96px_minmax(0,1fr)_auto] items-start gap-x-2.5 border-b border-line px-4 py-2 last:border-b-0 max-desk:grid-cols-[minmax(0,1fr)_auto] max-desk:px-3"
          >
            <span
              className={`flex items-center gap-1 text-xs leading-5 max-desk:col-span-full ${rule.source === 'governance' ? 'font-medium text-ink' : 'text-ink-3'}`}
            >
              {rule.source === 'governance' && <Lock size={13} aria-hidden="true" />}
              {rule.source}
            </span>
            <span className="min-w-0">
              {rule.call === undefined ? (
                <b className="font-medium wrap-anywhere">{visibleText(rule.name)}</b>
              ) : (
                <button
                  type="button"
                  className="link text-left wrap-anywhere"
                  title={t('Explain a call to it')}
                  onClick={() => onTry(rule.call)}
                >
                  {visibleText(rule.name)}
                </button>
              )}
              {rule.risk !== undefined && (
                <span className="ml-2 text-xs text-ink-3">{rule.risk}</span>
              )}
              <span lang="en" className="block leading-[18px] wrap-anywhere text-ink-2">
                <UntrustedText text={rule.words} />
              </span>
              {rule.details.length > 0 && (
                <span lang="en" className="block text-xs leading-[18px] wrap-anywhere text-ink-3">
                  <UntrustedText text={rule.details.join(' · ')} />
                </span>
              )}
              <Asked rule={rule} counts={counts} />
              {rule.place !== undefined && (
                <code className="block text-xs wrap-anywhere text-ink-3">
                  {visibleText(rule.place)}
                </code>
              )}
            </span>
            <Verdict word={rule.asks} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function isAbout(
  { name, words, details, source, place = '', call }: Rule,
  wanted: string,
): boolean {
  const text = [name, words, ...details, source, place, call?.server, call?.tool].join(' ')
  return text.toLowerCase().includes(wanted.trim().toLowerCase())
}

const ENDS = {
  approved: msg('approved'),
  edited: msg('edited'),
  denied: msg('denied'),
  expired: msg('expired'),
} as const

interface AskedProps {
  readonly rule: Rule
  readonly counts: RuleCounts | undefined
}

/** How often it asked, and how that ended. */
function Asked({ rule: { names, asks }, counts }: AskedProps) {
  const isAsking = asks === 'confirm' || asks === 'review'
  if (counts === undefined || names.length === 0 || !isAsking) return null
  const own = counts.rules.filter(({ rule }) => names.includes(rule))
  const sum = (key: 'asked' | 'approved' | 'denied' | 'expired' | 'edited') =>
    own.reduce((total, one) => total + one[key], 0)
  const ends = (Object.keys(ENDS) as (keyof typeof ENDS)[])
    .map((key) => [key, sum(key)] as const)
    .filter(([, n]) => n > 0)
    .map(([key, n]) => `${n} ${say(ENDS[key])}`)
  const times = plural(sum('asked'), '{n} time', '{n} times')
  return (
    <span className="block text-xs leading-[18px] text-ink-3">
      {counts.behind
        ? t('Asked at least {times} in {days} days', { times, days: counts.days })
        : t('Asked {times} in {days} days', { times, days: counts.days })}
      {ends.length > 0 && `: ${ends.join(', ')}`}
    </span>
  )
}
