import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { useLocation } from 'wouter'
import type { Me } from '../../../src/api/approval.ts'
import { Refused } from '../../../src/api/client.ts'
import { usePending } from '../api/approvals.ts'
import { followLiveEvents } from '../api/live-events.ts'
import { useMe } from '../api/session/session.ts'
import type { SignInToken } from '../api/session/sign-in.ts'
import { Banners } from '../features/shell/banners.tsx'
import { PAGE_LINKS, Rail, TabBar } from '../features/shell/rail.tsx'
import { Unreachable } from '../features/shell/unreachable.tsx'
import { useNotify } from '../lib/desktop-notifications.ts'
import { lazy } from '../lib/lazy.tsx'
import { useShortcuts } from '../lib/shortcuts.ts'
import { decoded } from '../lib/text/decoded.ts'
import { Pages } from './pages.tsx'

// A person who is signed in never sees it.
const SignInPage = lazy(() => import('../features/sign-in/sign-in-page.tsx'), 'SignInPage')

const ShortcutsDialog = lazy(
  () => import('../features/shell/shortcuts-dialog.tsx'),
  'ShortcutsDialog',
)

const CommandPalette = lazy(() => import('../features/shell/command-palette.tsx'), 'CommandPalette')

const TOKEN = /^#(?<kind>signin|invite|oidc)=(?<secret>[^&]+)/

/** The end of a sign-in, taken out of the address at once: it must not lie in the history. */
function takeToken(): SignInToken | undefined {
  const { kind, secret } = TOKEN.exec(location.hash)?.groups ?? {}
  if (kind === undefined || secret === undefined) return undefined
  history.replaceState(null, '', `${location.pathname}${location.search}`)
  return { kind: kind as SignInToken['kind'], secret: decoded(secret) }
}

export function App() {
  const [token, setToken] = useState(takeToken)
  useEffect(() => {
    const follow = () => {
      const next = takeToken()
      if (next !== undefined) setToken(next)
    }
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  const { data: me, error } = useMe(token === undefined)
  // A cookie without its key, or a key without its cookie, is not signed in.
  const signedOut =
    error instanceof Refused && (error.status === 401 || error.code === 'csrf_mismatch')
  if (token !== undefined || signedOut) {
    return (
      <Suspense fallback={<div aria-busy="true" />}>
        <SignInPage token={token} again={me !== undefined} onDone={() => setToken(undefined)} />
      </Suspense>
    )
  }
  if (me !== undefined) return <SignedIn me={me} />
  return error ? <Unreachable /> : <div aria-busy="true" />
}

function SignedIn({ me }: { me: Me }) {
  const queries = useQueryClient()
  const [location, navigate] = useLocation()
  const [keys, setKeys] = useState(false)
  const [palette, setPalette] = useState(false)
  useEffect(() => followLiveEvents(queries), [queries])
  // After what the person waits for.
  useEffect(() => void import('../api/devices.ts').then((devices) => devices.start()), [])
  const { data: pending } = usePending('risk', '')
  useNotify(pending?.rows)
  const count = pending?.counts.mine ?? 0
  useShortcuts({ '?': () => setKeys(true) })
  useEffect(() => {
    const go = (event: KeyboardEvent) => {
      if (
        (event.ctrlKey || event.metaKey) &&
        !event.shiftKey &&
        !event.altKey &&
        event.key === 'k'
      ) {
        event.preventDefault()
        // At once: the next letter of a quick hand is a search, and never a decision.
        flushSync(() => setPalette(true))
        return
      }
      // By place: with Alt, some keyboards type another character.
      const digit = /^Digit(\d)$/.exec(event.code)?.[1]
      const href = event.altKey ? PAGE_LINKS[Number(digit) - 1] : undefined
      if (href === undefined) return
      event.preventDefault()
      navigate(href)
    }
    addEventListener('keydown', go)
    return () => removeEventListener('keydown', go)
  }, [navigate])
  const onCard = location.startsWith('/approvals/')
  return (
    <div className="grid h-dvh grid-cols-[208px_minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)] max-wide:grid-cols-[56px_minmax(0,1fr)] max-desk:grid-cols-1 max-desk:grid-rows-[auto_minmax(0,1fr)_auto]">
      <Rail me={me} count={count} onKeys={() => setKeys(true)} />
      <Banners observing={me.observing === true} />
      <Page>
        <Pages me={me} onKeys={() => setKeys(true)} />
      </Page>
      {!onCard && <TabBar me={me} count={count} onKeys={() => setKeys(true)} />}
      {palette && <div data-keys-off="" hidden />}
      {palette && (
        <Suspense fallback={null}>
          <CommandPalette me={me} onClose={() => setPalette(false)} onKeys={() => setKeys(true)} />
        </Suspense>
      )}
      {keys && (
        <Suspense fallback={null}>
          <ShortcutsDialog open onOpen={setKeys} />
        </Suspense>
      )}
    </div>
  )
}

function Page({ children }: { children: ReactNode }) {
  return (
    <div className="col-start-2 row-start-2 grid min-h-0 max-desk:col-start-1">
      <Suspense fallback={<div aria-busy="true" />}>{children}</Suspense>
    </div>
  )
}
