import { useQuery } from '@tanstack/react-query'
import { OctagonX } from 'lucide-react'
import { Link } from 'wouter'
import { locksQuery } from '../../api/locks.ts'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { t } from '../../lib/language/t.ts'

/** Says on every page that nothing runs, while the kill switch is on. */
export function StoppedBanner() {
  const { data } = useQuery(locksQuery)
  const stopped = data?.locks.find(({ target }) => 'everything' in target)
  if (stopped === undefined) return null
  return (
    <div
      role="alert"
      className="flex items-center gap-2 border-b border-bad-line bg-bad-soft px-5 py-2 text-bad max-desk:px-3"
    >
      <OctagonX size={16} aria-hidden="true" className="flex-none" />
      <span className="min-w-0 flex-1 wrap-anywhere">
        <b>{t('Everything is stopped.')}</b> <UntrustedText text={stopped.reason} />
      </span>
      <Link href="/locks" className="link flex-none">
        {t('Locks')}
      </Link>
    </div>
  )
}
