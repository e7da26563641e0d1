import { useQuery } from '@tanstack/react-query'
import { KeyRound, TriangleAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import type { WireGrant } from '../../../../src/api/grant.ts'
import { grantsQuery, useRevokeGrant } from '../../api/grants.ts'
import { Chip } from '../../components/chip.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Page } from '../../components/page.tsx'
import { nameOf } from '../../components/person.tsx'
import { TwoSteps } from '../../components/two-steps.tsx'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { number } from '../../lib/language/language.ts'
import { rich } from '../../lib/language/rich.ts'
import { msg, say, t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { clock, span } from '../../lib/time/clock.ts'
import { GrantRule } from './grant-rule.tsx'
import { GrantUses, UsedBar } from './grant-uses.tsx'

const TABS = [
  [msg('Active'), ['live']],
  [msg('Ended'), ['used_up', 'revoked', 'expired']],
] as const

export function GrantsPage() {
  const [[, states], setTab] = useState<(typeof TABS)[number]>(TABS[0])
  const { data: page, error } = useQuery(grantsQuery(states))
  return (
    <Page
      title={t('Grants')}
      says={t('Standing permissions. Each has limits and an end; each use is recorded.')}
      aside={
        <fieldset className="seg">
          <legend className="sr-only">{t('Which grants')}</legend>
          {TABS.map((one) => (
            <button
              key={one[1][0]}
              type="button"
              aria-pressed={states === one[1]}
              onClick={() => setTab(one)}
            >
              {say(one[0])}
            </button>
          ))}
        </fieldset>
      }
    >
      <ErrorMessage error={error} />
      {page?.grants.length === 0 && (
        <p className="frame px-4 py-6 text-center text-ink-2">
          {states[0] === 'live' ? (
            <>
              {t('No grants. You can make one while deciding.')}{' '}
              <Link href="/" className="link">
                {t('To the inbox')}
              </Link>
            </>
          ) : (
            t('None has ended.')
          )}
        </p>
      )}
      {page?.grants.map((grant) => (
        <GrantCard key={grant.id} grant={grant} now={page.now} />
      ))}
    </Page>
  )
}

const MINUTE = 60_000

/** Never nothing while it counts. */
const toMinute = (ms: number) => Math.max(1, Math.floor(ms / MINUTE)) * MINUTE

function GrantCard({ grant, now }: { grant: WireGrant; now: number }) {
  const { rule, counts, why, used, by, from, endsAt, reason, budgetLeft, spent, lastUse } = grant
  const name = rule.server === undefined ? rule.tool : `${rule.server}/${rule.tool}`
  const facts: readonly (readonly [string, string, ReactNode?])[] = [
    [
      t('Uses'),
      t('{used} of {uses}', { used, uses: rule.uses }),
      <UsedBar key="uses" used={used} most={rule.uses} />,
    ],
    [
      t('Budget'),
      rule.budget === undefined
        ? t('None set')
        : t('{spent} spent, {budgetLeft} left', { spent: spent ?? 0, budgetLeft: budgetLeft ?? 0 }),
      rule.budget && <UsedBar key="budget" used={Number(spent ?? 0)} most={rule.budget.most} />,
    ],
    [
      t('Ends'),
      endsAt > now
        ? t('{time}, in {span}', {
            time: clock(endsAt, now, false),
            span: span(toMinute(endsAt - now)),
          })
        : clock(endsAt, now, false),
    ],
    [
      t('Last use'),
      lastUse === undefined
        ? t('Not yet')
        : lastUse.amount === undefined
          ? clock(lastUse.at, now)
          : t('{time}, took {amount}', {
              time: clock(lastUse.at, now),
              amount: number(lastUse.amount),
            }),
    ],
    [t('Made by'), nameOf(by)],
  ]
  return (
    <section
      aria-label={t('Grant for {name}', { name: visibleText(name) })}
      className={`frame ${counts ? '' : 'border-dashed'}`}
    >
      <header className="flex flex-wrap items-center gap-x-2 gap-y-1.5 border-b border-line px-4 py-2.5">
        <KeyRound size={16} className="flex-none text-accent" aria-hidden="true" />
        <h2 className="wrap-anywhere text-md">
          {rich('{agent} may call {code}', {
            agent: <UntrustedText text={rule.agent} />,
            code: (
              <code>
                <UntrustedText text={name} />
              </code>
            ),
          })}
        </h2>
        {typeof rule.principal === 'string' && (
          <span className="wrap-anywhere text-ink-3">
            {rich('for {principal}', { principal: visibleText(rule.principal) })}
          </span>
        )}
        {grant.state !== 'live' && <Chip tone="plain">{say(WORDS[grant.state])}</Chip>}
        <span className="flex-1" />
        {grant.mayRevoke && grant.state === 'live' && <Revoke id={grant.id} />}
      </header>
      {why !== undefined && (
        <p className="flex items-center gap-2 border-b border-warn-line bg-warn-soft px-4 py-2 text-warn">
          <TriangleAlert size={14} aria-hidden="true" className="flex-none" />
          {grant.state === 'live' ? visibleText(why) : say(ENDS[grant.state])}
        </p>
      )}
      <div className="grid grid-cols-[minmax(0,1fr)_300px] max-wide:grid-cols-1">
        <div className="px-4 py-3">
          <h3 className="pb-1.5 text-xs font-medium text-ink-3">{t('The exact rule')}</h3>
          <GrantRule rule={rule} />
          {from !== undefined && (
            <p className="pt-2">
              <Link className="link" href={`/history/${encodeURIComponent(from)}`}>
                {t('The call it was made for')}
              </Link>
            </p>
          )}
          <GrantUses id={grant.id} used={used} />
          {reason !== undefined && (
            <p className="pt-2 wrap-anywhere text-ink-2">
              {rich('Reason: {reason}', { reason: <UntrustedText text={reason} /> })}
            </p>
          )}
        </div>
        <dl className="grid grid-cols-2 content-start gap-3 border-l border-line bg-sunken px-4 py-3 max-wide:border-t max-wide:border-l-0">
          {facts.map(([word, value, bar]) => (
            <div key={word}>
              <dt className="text-xs text-ink-3">{word}</dt>
              <dd className="wrap-anywhere">
                {value}
                {bar}
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  )
}

const WORDS = {
  live: msg('Active'),
  used_up: msg('Used up'),
  revoked: msg('Revoked'),
  expired: msg('Ended'),
} as const

const ENDS = {
  used_up: msg('Every use of it was taken.'),
  revoked: msg('It was revoked.'),
  expired: msg('Its time is over.'),
} as const

function Revoke({ id }: { id: string }) {
  const revoke = useRevokeGrant()
  return (
    <TwoSteps
      first={t('Revoke')}
      question={t('Revoke this grant?')}
      says={
        revoke.error ? (
          <ErrorMessage error={revoke.error} inline />
        ) : (
          t('Calls like it ask a person again, from now.')
        )
      }
      deed={t('Revoke')}
      busy={revoke.isPending}
      onDeed={() => revoke.mutate(id)}
    />
  )
}
