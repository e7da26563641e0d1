import { useQueryClient } from '@tanstack/react-query'
import { CloudOff } from 'lucide-react'
import { useEffect } from 'react'
import { meQuery } from '../../api/session/session.ts'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'

/** The server never answered, so there is nothing to show yet. */
export function Unreachable() {
  const queries = useQueryClient()
  useEffect(() => {
    const timer = setInterval(
      () => void queries.invalidateQueries({ queryKey: meQuery.queryKey }),
      3_000,
    )
    return () => clearInterval(timer)
  }, [queries])
  return (
    <main className="grid h-full place-content-center justify-items-center gap-3 px-6 text-center">
      <CloudOff size={28} className="text-ink-3" aria-hidden="true" />
      <h1 className="text-xl">{t('The server does not answer')}</h1>
      <p className="max-w-[44ch] text-ink-2">
        {rich(
          'Nothing is approved while it is away. Is {code} still running? This page tries again every few seconds.',
          { code: <code>countersign start</code> },
        )}
      </p>
    </main>
  )
}
