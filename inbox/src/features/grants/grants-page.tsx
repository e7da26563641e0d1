import { useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { grantsQuery } from '../../api/grants.ts'
import { EmptyState } from '../../components/empty/empty-state.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Loaded, Page } from '../../components/page.tsx'
import { number } from '../../lib/language/language.ts'
import { msg, say, t } from '../../lib/language/t.ts'
import { GrantIdeas } from '../policy/grant-ideas.tsx'
import { GrantCard } from './grant-card.tsx'

const LIVE = ['live'] as const
const OVER = ['used_up', 'revoked', 'expired'] as const

const TABS = [
  ['active', msg('Active')],
  ['void', msg('Void')],
  ['ended', msg('Ended')],
] as const
type Tab = (typeof TABS)[number][0]

export function GrantsPage() {
  const [tab, setTab] = useState<Tab>('active')
  const live = useQuery(grantsQuery(LIVE))
  const over = useQuery(grantsQuery(OVER))
  const page = tab === 'ended' ? over.data : live.data
  const all = {
    active: live.data?.grants.filter(({ counts }) => counts),
    void: live.data?.grants.filter(({ counts }) => !counts),
    ended: over.data?.grants,
  }
  const isMore = { active: live.data?.next, void: undefined, ended: over.data?.next }
  const shown = all[tab]
  return (
    <Page
      title={t('Grants')}
      says={t('Standing permissions. Each has limits and an end; each use is recorded.')}
      aside={
        <fieldset className="seg">
          <legend className="sr-only">{t('Which grants')}</legend>
          {TABS.map(([value, word]) => (
            <button
              key={value}
              type="button"
              aria-pressed={tab === value}
              onClick={() => setTab(value)}
            >
              {say(word)}
              <span className="text-ink-3 tabular-nums">
                {number(all[value]?.length ?? 0)}
                {isMore[value] !== undefined && '+'}
              </span>
            </button>
          ))}
        </fieldset>
      }
    >
      {page !== undefined && <ErrorMessage error={live.error ?? over.error} />}
      <Loaded data={page && shown} error={live.error ?? over.error}>
        {(grants) =>
          grants.length === 0 ? (
            <NoGrants tab={tab} />
          ) : (
            grants.map((grant) => <GrantCard key={grant.id} grant={grant} now={page?.now ?? 0} />)
          )
        }
      </Loaded>
      {tab === 'active' && <GrantIdeas />}
    </Page>
  )
}

function NoGrants({ tab }: { tab: Tab }) {
  if (tab === 'void') {
    return (
      <EmptyState icon={KeyRound} title={t('None is void.')}>
        <p>
          {t(
            'A grant is void while something it rests on differs: its tool changed, a rule became stricter, or its maker may no longer approve.',
          )}
        </p>
      </EmptyState>
    )
  }
  if (tab === 'ended') {
    return (
      <EmptyState icon={KeyRound} title={t('None has ended.')}>
        <p>{t('Used up, revoked and expired grants stay here to be looked up.')}</p>
      </EmptyState>
    )
  }
  return (
    <EmptyState icon={KeyRound} title={t('No grants. You can make one while deciding.')}>
      <p>
        {t(
          'Choose Grant on a card: the exact rule stands beside its limits, with what it would have let through.',
        )}
      </p>
      <p>
        <Link href="/" className="link">
          {t('To the inbox')}
        </Link>
      </p>
    </EmptyState>
  )
}
