import { useQuery } from '@tanstack/react-query'
import { Check, Play } from 'lucide-react'
import { Suspense } from 'react'
import { Link } from 'wouter'
import type { Me } from '../../../../src/api/approval.ts'
import { pastQuery } from '../../api/approvals.ts'
import { errorMessage } from '../../api/errors.ts'
import { statusQuery, useStartDemo } from '../../api/policy.ts'
import { Logo } from '../../components/logo.tsx'
import { nameOf } from '../../components/person.tsx'
import { rich } from '../../lib/language/rich.ts'
import { plural, t } from '../../lib/language/t.ts'
import { lazy } from '../../lib/lazy.tsx'

const StepList = lazy(() => import('../set-up/set-up.tsx'), 'StepList')

/** Nothing waits: what that means, and what to do about it the first time. */
export function Empty({ me }: { me: Me }) {
  const { data: status } = useQuery(statusQuery)
  const { data: past } = useQuery(pastQuery(1))
  const isAdmin = me.roles.includes('admin')
  const usedBefore = (past?.length ?? 0) > 0
  return (
    <main className="relative grid grid-cols-[minmax(0,1fr)] place-items-center overflow-auto p-8 max-desk:place-items-start max-desk:px-4 max-desk:py-5">
      <div className="grid w-[560px] max-w-full gap-4.5">
        <Logo size={40} />
        <h1 className="text-2xl tracking-tight">{t('Nothing is waiting')}</h1>
        <p className="-mt-3 max-w-[52ch] text-lg text-ink-2">
          {t(
            'When an agent makes a call that your policy wants a person to see, it stops here until you decide.',
          )}
        </p>
        {status?.demo === true && isAdmin && <Demo />}
        {isAdmin && (
          <Suspense fallback={null}>
            <StepList />
          </Suspense>
        )}
        <ul className="grid grid-cols-2 gap-x-4 gap-y-1 border-t border-line pt-3.5 text-ink-2 max-desk:grid-cols-1">
          <Done>{t('Server running')}</Done>
          {status !== undefined && (
            <Done>
              {rich('Policy loaded: {rules}', {
                rules: plural(status.rules.length, '{n} rule', '{n} rules'),
              })}
            </Done>
          )}
          <Done>{rich('You are signed in as {name}', { name: nameOf(me.person) })}</Done>
          {usedBefore && (
            <Done>
              {rich('Decided before: {link}', {
                link: (
                  <Link href="/history" className="link">
                    {t('History')}
                  </Link>
                ),
              })}
            </Done>
          )}
        </ul>
      </div>
    </main>
  )
}

function Demo() {
  const start = useStartDemo()
  return (
    <div className="flex items-center gap-4 rounded-lg bg-surface p-4 shadow-[0_0_0_1px_var(--color-frame),var(--shadow-frame)] max-desk:flex-col max-desk:items-stretch">
      <button
        type="button"
        className="btn btn-solid h-[42px] px-4.5 text-md"
        disabled={start.isPending}
        onClick={() => start.mutate()}
      >
        <Play size={16} aria-hidden="true" />
        {t('Start the demo agent')}
      </button>
      <p className="text-ink-3" role="status">
        {start.error
          ? errorMessage(start.error)
          : t('It asks for a few made-up calls. Nothing outside this window happens.')}
      </p>
    </div>
  )
}

function Done({ children }: { children: React.ReactNode }) {
  return (
    <li className="flex items-center gap-1.5">
      <Check size={14} className="flex-none text-good" aria-hidden="true" />
      <span>{children}</span>
    </li>
  )
}
