import { useQuery } from '@tanstack/react-query'
import { CloudOff, Eye } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useConnection } from '../../api/connection.ts'
import { quarantinedQuery } from '../../api/quarantined.ts'
import { clock } from '../../lib/time/clock.ts'
import { StoppedBanner } from './stopped-banner.tsx'

const QuarantineBanner = lazy(async () => ({
  default: (await import('./quarantine-banner.tsx')).QuarantineBanner,
}))

/** What holds for every page, above it. */
export function Banners({ observing }: { observing: boolean }) {
  const { state, since } = useConnection()
  const { data: quarantined = [] } = useQuery(quarantinedQuery)
  return (
    <div className="col-start-2 row-start-1 max-desk:col-start-1">
      <StoppedBanner />
      {quarantined.length > 0 && (
        <Suspense>
          <QuarantineBanner held={quarantined} />
        </Suspense>
      )}
      {observing && (
        <div
          role="status"
          className="flex items-center gap-2 border-b border-warn-line bg-warn-soft px-5 py-2 text-warn max-desk:px-3"
        >
          <Eye size={16} aria-hidden="true" className="flex-none" />
          <span>
            <b>Observing.</b> The policy does not ask: its calls run and are recorded. Governance
            and locks still hold.
          </span>
        </div>
      )}
      {state === 'off' && (
        <div
          role="alert"
          className="flex items-center gap-2 border-b border-bad-line bg-bad-soft px-5 py-2 text-bad max-desk:px-3"
        >
          <CloudOff size={16} aria-hidden="true" className="flex-none" />
          <span>
            <b>Server unreachable.</b> Showing what was known at {clock(since, Date.now())}.
          </span>
        </div>
      )}
    </div>
  )
}
