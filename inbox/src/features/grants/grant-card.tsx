import { KeyRound, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { WireGrant } from '../../../../src/api/grant.ts'
import { useRevokeGrant } from '../../api/grants.ts'
import { Chip } from '../../components/chip.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Avatar, nameOf } from '../../components/person.tsx'
import { TwoSteps } from '../../components/two-steps.tsx'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { number } from '../../lib/language/language.ts'
import { rich } from '../../lib/language/rich.ts'
import { msg, say, t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { clock, span } from '../../lib/time/clock.ts'
import { GrantRule } from './grant-rule.tsx'
import { GrantUses, UsedBar } from './grant-uses.tsx'

const MINUTE = 60_000

/** Never nothing while it counts. */
const toMinute = (ms: number) => Math.max(1, Math.floor(ms / MINUTE)) * MINUTE

/** What it allows, how much of that is used up, and when it ends. */
export function GrantCard({ grant, now }: { grant: WireGrant; now: number }) {
  const { rule, counts, why, used, by, from, endsAt, reason, spent = '0', lastUse } = grant
  const { budget, uses } = rule
  const name = rule.server === undefined ? rule.tool : `${rule.server}/${rule.tool}`
  return (
    <section
      aria-label={t('Grant for {name}', { name: visibleText(name) })}
      className={`frame ${counts ? '' : grant.state === 'live' ? 'border-warn-line' : 'border-dashed'}`}
    >
      <header className="flex flex-wrap items-center gap-x-2 gap-y-1.5 border-b border-line px-4 py-2.5 max-desk:px-3">
        <KeyRound
          size={16}
          className={`flex-none ${counts ? 'text-accent' : 'text-ink-3'}`}
          aria-hidden="true"
        />
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
        {!counts && grant.state === 'live' ? (
          <Chip tone="warn" icon={TriangleAlert}>
            {t('Void')}
          </Chip>
        ) : (
          grant.state !== 'live' && <Chip tone="plain">{say(WORDS[grant.state])}</Chip>
        )}
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
        <div className="px-4 py-3 max-desk:px-3">
          <h3 className="pb-1.5 text-xs font-medium text-ink-3">{t('The exact rule')}</h3>
          <GrantRule rule={rule} />
          <GrantUses id={grant.id} used={used} />
        </div>
        <dl className="grid grid-cols-2 content-start gap-x-4 gap-y-3 border-l border-line bg-sunken px-4 py-3 max-wide:grid-cols-4 max-wide:border-t max-wide:border-l-0 max-desk:grid-cols-2 max-desk:px-3">
          <Fact name={t('Uses')} bar={<UsedBar used={used} most={uses} />}>
            {rich('{used} of {most}', { used: <b>{number(used)}</b>, most: number(uses) })}
          </Fact>
          {budget === undefined ? (
            <Fact name={t('Budget')}>{t('None set')}</Fact>
          ) : (
            <Fact
              name={rich('Budget, {path}', {
                path: <code className="text-xs">{visibleText(budget.path)}</code>,
              })}
              bar={<UsedBar used={Number(spent)} most={budget.most} />}
            >
              {rich('{used} of {most}', { used: <b>{spent}</b>, most: number(budget.most) })}
            </Fact>
          )}
          <Fact name={endsAt > now ? t('Ends') : t('Ended')}>
            <b>{clock(endsAt, now, false)}</b>
            {endsAt > now && (
              <small className="block text-xs text-ink-3">
                {rich('in {span}', { span: span(toMinute(endsAt - now)) })}
              </small>
            )}
          </Fact>
          <Fact name={t('Last use')}>
            {lastUse === undefined ? t('Not yet') : clock(lastUse.at, now)}
            {lastUse?.amount !== undefined && (
              <small className="block text-xs text-ink-3">
                {rich('took {amount}', { amount: number(lastUse.amount) })}
              </small>
            )}
          </Fact>
          <Fact name={t('Made by')} isWhole>
            <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
              <Avatar person={by} small />
              <span className="min-w-0 wrap-anywhere">{nameOf(by)}</span>
              {from !== undefined && (
                <Link className="link" href={`/history/${encodeURIComponent(from)}`}>
                  {t('while deciding this call')}
                </Link>
              )}
            </span>
            {reason !== undefined && (
              <q className="block pt-0.5 text-ink-2">
                <UntrustedText text={reason} />
              </q>
            )}
          </Fact>
        </dl>
      </div>
    </section>
  )
}

interface FactProps {
  readonly name: ReactNode
  readonly bar?: ReactNode
  /** As wide as all of them. */
  readonly isWhole?: boolean
  readonly children: ReactNode
}

function Fact({ name, bar, isWhole = false, children }: FactProps) {
  return (
    <div className={isWhole ? 'col-span-full' : ''}>
      <dt className="text-xs text-ink-3">{name}</dt>
      <dd className="wrap-anywhere tabular-nums">
        {children}
        {bar}
      </dd>
    </div>
  )
}

const WORDS = {
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
      isStern
      busy={revoke.isPending}
      onDeed={() => revoke.mutate(id)}
    />
  )
}
