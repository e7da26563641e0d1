import { TriangleAlert } from 'lucide-react'
import { Link, useLocation } from 'wouter'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'

/** Says that a changed tool is refused until an admin accepts it; on a phone in the inbox alone. */
export function QuarantineBanner({ held }: { held: readonly string[] }) {
  const [location] = useLocation()
  const [first] = held
  if (first === undefined || location === '/tools') return null
  return (
    <div
      role="status"
      className={`flex items-center gap-2 border-b border-warn-line bg-warn-soft px-5 py-2 text-warn max-desk:px-3 ${location === '/' ? '' : 'max-desk:hidden'}`}
    >
      <TriangleAlert size={16} aria-hidden="true" className="flex-none" />
      <span className="min-w-0 flex-1 wrap-anywhere">
        {held.length === 1
          ? rich('{tool} changed.', { tool: <code>{visibleText(first)}</code> })
          : t('{held} tools changed.', { held: held.length })}{' '}
        {/* A phone has one line: the part that matters is in it, the whole sentence is for ears. */}
        <b className="hidden font-medium max-desk:inline" aria-hidden="true">
          {t('Refused.')}
        </b>
        <span className="max-desk:sr-only">
          {t('Calls are refused until an admin accepts it.')}
        </span>
      </span>
      <Link href="/tools" className="link flex-none">
        {t('Compare')}
      </Link>
    </div>
  )
}
