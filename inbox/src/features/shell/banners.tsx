import { CloudOff, Eye } from 'lucide-react'
import { useConnection } from '../../api/connection.ts'
import { clock } from '../../lib/time/clock.ts'
import { QuarantineBanner } from './quarantine-banner.tsx'
import { StoppedBanner } from './stopped-banner.tsx'

/** What holds for every page, above it. */
export function Banners({ observing }: { observing: boolean }) {
  const { state, since } = useConnection()
  return (
    <div className="col-start-2 row-start-1 max-desk:col-start-1">
      <StoppedBanner />
      <QuarantineBanner />
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
