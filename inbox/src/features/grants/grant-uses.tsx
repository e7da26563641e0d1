import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { grantUsesQuery } from '../../api/grants.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { clock } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'

/** How much of something is used up. The numbers stand beside it. */
export function UsedBar({ used, most }: { used: number; most: number }) {
  const share = most > 0 ? Math.min(1, Math.max(0, used / most)) : 1
  return (
    <span
      aria-hidden="true"
      className="mt-1 block h-1.5 overflow-clip rounded-full bg-hover shadow-[inset_0_0_0_1px_var(--color-line)]"
    >
      <span className="block h-full bg-accent-fill" style={{ width: `${share * 100}%` }} />
    </span>
  )
}

/** The calls that a grant let through, the newest first; read when they are asked for. */
export function GrantUses({ id, used }: { id: string; used: number }) {
  const [isOpen, setOpen] = useState(false)
  const { data, error } = useQuery({ ...grantUsesQuery(id), enabled: isOpen })
  if (used === 0) return null
  return (
    <details className="pt-2" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="w-fit cursor-pointer font-medium text-accent">
        {used === 1 ? t('The call it let through') : t('The {used} calls it let through', { used })}
      </summary>
      <ErrorMessage error={error} />
      <ol className="grid gap-1 pt-1.5">
        {data?.uses.map(({ n, approval, at, amount }) => (
          <li key={n} className="flex flex-wrap gap-x-3">
            <Link className="link tabular-nums" href={`/history/${encodeURIComponent(approval)}`}>
              {clock(at, serverNow())}
            </Link>
            {amount !== undefined && (
              <span className="text-ink-2">{rich('took {amount}', { amount })}</span>
            )}
          </li>
        ))}
        {data?.next !== undefined && (
          <li className="text-ink-3">{t('Older ones are in History.')}</li>
        )}
      </ol>
    </details>
  )
}
