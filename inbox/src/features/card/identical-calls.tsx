import { Copy } from 'lucide-react'
import { Link } from 'wouter'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'

/** The same call was asked for more than once; each one waits for an answer of its own. */
export function IdenticalCalls({ id, ids }: { id: string; ids: readonly string[] }) {
  return (
    <nav
      aria-label={t('Identical calls')}
      className="flex flex-wrap items-center gap-x-2 gap-y-1 rounded-md bg-surface px-3 py-1.5 text-ink-2 shadow-[inset_0_0_0_1px_var(--color-line)]"
    >
      <Copy size={14} aria-hidden="true" />
      {rich('{ids} identical calls wait. Each is decided on its own.', { ids: ids.length })}
      <span className="flex-1" />
      {ids.slice(0, 20).map((other, at) => (
        <Link
          key={other}
          href={`/approvals/${encodeURIComponent(other)}`}
          aria-current={other === id ? 'true' : undefined}
          className={`grid h-6 min-w-6 place-items-center rounded-sm px-1 text-xs font-medium ${
            other === id ? 'bg-accent-fill text-on-fill' : 'text-accent hover:bg-hover'
          }`}
        >
          <span className="sr-only">{t('Identical call')} </span>
          {at + 1}
        </Link>
      ))}
    </nav>
  )
}
