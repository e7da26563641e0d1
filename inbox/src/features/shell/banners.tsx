import { useQuery } from '@tanstack/react-query'
import { CloudOff } from 'lucide-react'
import { Suspense } from 'react'
import { useConnection } from '../../api/connection.ts'
import { quarantinedQuery } from '../../api/quarantined.ts'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { lazy } from '../../lib/lazy.tsx'
import { clock } from '../../lib/time/clock.ts'

const QuarantineBanner = lazy(() => import('./quarantine-banner.tsx'), 'QuarantineBanner')

const StoppedBanner = lazy(() => import('./stopped-banner.tsx'), 'StoppedBanner')
const ObservingBanner = lazy(() => import('./observing-banner.tsx'), 'ObservingBanner')

/** What holds for every page, above it. */
export function Banners({ observing }: { observing: boolean }) {
  const { state, since } = useConnection()
  const { data: quarantined = [] } = useQuery(quarantinedQuery)
  return (
    <div className="col-start-2 row-start-1 max-desk:col-start-1">
      <Suspense>
        <StoppedBanner />
      </Suspense>
      {quarantined.length > 0 && (
        <Suspense>
          <QuarantineBanner held={quarantined} />
        </Suspense>
      )}
      {observing && (
        <Suspense>
          <ObservingBanner />
        </Suspense>
      )}
      {state === 'off' && (
        <div
          role="alert"
          className="flex items-center gap-2 border-b border-bad-line bg-bad-soft px-5 py-2 text-bad max-desk:px-3"
        >
          <CloudOff size={16} aria-hidden="true" className="flex-none" />
          <span>
            {rich('{b} Showing what was known at {time}.', {
              b: <b>{t('Server unreachable.')}</b>,
              time: clock(since, Date.now()),
            })}
          </span>
        </div>
      )}
    </div>
  )
}
