import { useQueryClient } from '@tanstack/react-query'
import { CloudOff, Eye } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import type { Me } from '../../src/api/approval.ts'
import { Refused } from './api.ts'
import { useConnection } from './connection.ts'
import { useKeys } from './keys.ts'
import { followHints } from './live.ts'
import { useNotify } from './notify.ts'
import { HeldBanner } from './parts/held-banner.tsx'
import { PAGE_LINKS, Rail, TabBar } from './parts/rail.tsx'
import { StoppedBanner } from './parts/stopped-banner.tsx'
import { useMe, usePending } from './queries.ts'
import { InboxPage } from './routes/inbox.tsx'
import { SignInPage, type SignInToken } from './routes/sign-in.tsx'
import { clock } from './text/clock.ts'

const KeysDialog = lazy(async () => ({
  default: (await import('./parts/keys-dialog.tsx')).KeysDialog,
}))
const HistoryPage = lazy(async () => ({
  default: (await import('./routes/history.tsx')).HistoryPage,
}))
const TimelinePage = lazy(async () => ({
  default: (await import('./routes/timeline.tsx')).TimelinePage,
}))
const LoginPage = lazy(async () => ({ default: (await import('./routes/login.tsx')).LoginPage }))
const PolicyPage = lazy(async () => ({ default: (await import('./routes/policy.tsx')).PolicyPage }))

const GrantsPage = lazy(async () => ({ default: (await import('./routes/grants.tsx')).GrantsPage }))

const LocksPage = lazy(async () => ({ default: (await import('./routes/locks.tsx')).LocksPage }))

const PasskeysPage = lazy(async () => ({
  default: (await import('./routes/passkeys.tsx')).PasskeysPage,
}))
const AuditPage = lazy(async () => ({ default: (await import('./routes/audit.tsx')).AuditPage }))
const PeoplePage = lazy(async () => ({ default: (await import('./routes/people.tsx')).PeoplePage }))

const ToolsPage = lazy(async () => ({ default: (await import('./routes/tools.tsx')).ToolsPage }))

const TOKEN = /^#(?<kind>signin|oidc)=(?<secret>[^&]+)/

/** The end of a sign-in, taken out of the address at once: it must not lie in the history. */
function takeToken(): SignInToken | undefined {
  const { kind, secret } = TOKEN.exec(location.hash)?.groups ?? {}
  if (kind === undefined || secret === undefined) return undefined
  history.replaceState(null, '', `${location.pathname}${location.search}`)
  return { kind: kind === 'oidc' ? 'oidc' : 'link', secret: decodeURIComponent(secret) }
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
    return <SignInPage token={token} again={me !== undefined} onDone={() => setToken(undefined)} />
  }
  if (me !== undefined) return <SignedIn me={me} />
  return error ? <Unreachable /> : <div aria-busy="true" />
}

function SignedIn({ me }: { me: Me }) {
  const queries = useQueryClient()
  const [location, navigate] = useLocation()
  const [keys, setKeys] = useState(false)
  useEffect(() => followHints(queries), [queries])
  const { data: pending } = usePending('risk', '')
  useNotify(pending?.rows)
  const count = pending === undefined ? 0 : pending.counts.mine + pending.counts.others
  useKeys({ '?': () => setKeys(true) })
  useEffect(() => {
    const go = (event: KeyboardEvent) => {
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
      <Banner observing={me.observing === true} />
      <Page>
        <Switch>
          <Route path="/history">
            <HistoryPage />
          </Route>
          <Route path="/history/:id">
            {({ id }) => <TimelinePage key={id} id={decodeURIComponent(id)} me={me} />}
          </Route>
          <Route path="/grants">
            <GrantsPage />
          </Route>
          <Route path="/login">
            <LoginPage />
          </Route>
          <Route path="/locks">
            <LocksPage />
          </Route>
          <Route path="/passkeys">
            <PasskeysPage />
          </Route>
          <Route path="/tools">
            <ToolsPage />
          </Route>
          <Route path="/audit">
            <AuditPage />
          </Route>
          <Route path="/people">
            <PeoplePage me={me} />
          </Route>
          <Route path="/policy">
            <PolicyPage me={me} />
          </Route>
          <Route>
            <InboxPage me={me} />
          </Route>
        </Switch>
      </Page>
      {!onCard && <TabBar me={me} count={count} onKeys={() => setKeys(true)} />}
      {keys && (
        <Suspense fallback={null}>
          <KeysDialog open onOpen={setKeys} />
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

function Banner({ observing }: { observing: boolean }) {
  const { state, since } = useConnection()
  return (
    <div className="col-start-2 row-start-1 max-desk:col-start-1">
      <StoppedBanner />
      <HeldBanner />
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

function Unreachable() {
  const queries = useQueryClient()
  useEffect(() => {
    const timer = setInterval(() => void queries.invalidateQueries({ queryKey: ['me'] }), 3_000)
    return () => clearInterval(timer)
  }, [queries])
  return (
    <main className="grid h-full place-content-center justify-items-center gap-3 px-6 text-center">
      <CloudOff size={28} className="text-ink-3" aria-hidden="true" />
      <h1 className="text-xl">The server does not answer</h1>
      <p className="max-w-[44ch] text-ink-2">
        Nothing is approved while it is away. Is <code>countersign start</code> still running? This
        page tries again every few seconds.
      </p>
    </main>
  )
}
