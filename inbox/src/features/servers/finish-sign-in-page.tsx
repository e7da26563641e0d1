import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { useFinishSignIn } from '../../api/servers.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Page } from '../../components/page.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'

/** Where the authorization server of an MCP server sends the browser back to. */
export function FinishSignInPage({ place }: { place: string }) {
  const [query] = useState(() => location.search.slice(1))
  const { mutate, data, error } = useFinishSignIn()
  const isSent = useRef(false)
  useEffect(() => {
    if (isSent.current) return
    isSent.current = true
    // A code counts once; it need not stand in the history either.
    history.replaceState(null, '', location.pathname)
    mutate({ place, query })
  }, [mutate, place, query])
  return (
    <Page title={t('Sign in at a server')} says={t('What its authorization server answered.')}>
      <ErrorMessage error={error} />
      {data === undefined && !error && <p className="text-ink-2">{t('Checking the answer…')}</p>}
      {data !== undefined && (
        <p role="status" className="rounded-md border border-good-line bg-good-soft px-3 py-2">
          {rich('Signed in at {server}. Its tools can be called now.', {
            server: <b>{data.server}</b>,
          })}
        </p>
      )}
      {(data !== undefined || error) && (
        <p>
          <Link href="/tools" className="link">
            {t('Back to the tools')}
          </Link>
        </p>
      )}
    </Page>
  )
}
