import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Info, LogIn } from 'lucide-react'
import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react'
import { Refused } from '../../../../src/api/client.ts'
import { errorMessage } from '../../api/errors.ts'
import {
  type SignInToken,
  signInMethodsQuery,
  useBeginOidc,
  useSignIn,
} from '../../api/session/sign-in.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Logo } from '../../components/logo.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { decoded } from '../../lib/text/decoded.ts'

interface SignInPageProps {
  readonly token: SignInToken | undefined
  /** A session was open here a moment ago. */
  readonly again: boolean
  readonly onDone: () => void
}

export function SignInPage({ token, again, onDone }: SignInPageProps) {
  const queries = useQueryClient()
  const [typed, setTyped] = useState('')
  const signIn = useSignIn()
  const leave = useBeginOidc()
  const used = useRef<SignInToken>(undefined)
  const { data: methods } = useQuery(signInMethodsQuery)

  const { mutateAsync } = signIn
  const enter = useCallback(
    async (given: SignInToken) => {
      await mutateAsync(given)
      if (given.kind === 'oidc') returnToPage()
      // This may be another person: nothing of the previous session may stay.
      onDone()
      await queries.resetQueries()
    },
    [mutateAsync, queries, onDone],
  )

  useEffect(() => {
    document.title = `${t('Sign in')} · Countersign`
    // A link works once, so it is posted once, however often React runs this.
    if (token === undefined || used.current === token) return
    used.current = token
    enter(token).catch(() => {})
  }, [token, enter])

  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const given = tokenIn(typed)
    if (given.secret !== '') enter(given).catch(() => {})
  }
  const leaveForProvider = () =>
    leave.mutate(undefined, {
      onSuccess: ({ url }) => {
        sessionStorage.setItem(RETURN, location.pathname + location.search)
        location.assign(url)
      },
    })
  // A link that is about to be used counts: the page must not ask for one in between.
  const isFirst = token !== undefined && signIn.isIdle
  const busy = isFirst || signIn.isPending || signIn.isSuccess || leave.isPending || leave.isSuccess
  return (
    <main className="grid min-h-full grid-cols-[minmax(0,400px)] content-center justify-center bg-canvas px-4 py-6">
      <div className="ledger relative grid gap-3 overflow-clip rounded-xl border border-frame bg-surface px-7 pb-7 shadow-frame before:-mx-7">
        <span className="mt-4">
          <Logo size={40} />
        </span>
        <h1 className="text-[22px] leading-7 tracking-tight">
          {busy ? t('Signing you in') : t('Sign in to decide')}
        </h1>
        <p className="-mt-2 text-md text-ink-2">
          {t('Countersign records who said yes. That has to be you.')}
        </p>
        {again && !busy && (
          <p className="rounded-md bg-accent-soft px-3 py-2 text-ink-2">
            {t('Your session ended. Sign in again to decide; your text is kept.')}
          </p>
        )}
        {methods?.oidc && (
          <button
            type="button"
            className="btn btn-solid h-[42px] text-md"
            disabled={busy}
            onClick={leaveForProvider}
          >
            <LogIn size={16} aria-hidden="true" />
            {rich('Sign in with {name}', { name: methods.oidc.name })}
          </button>
        )}
        <ErrorMessage
          text={problemOf(signIn.error, signIn.variables) || errorMessage(leave.error)}
          inline
        />
        <p className="flex gap-2 rounded-md bg-accent-soft px-3 py-2.5 text-ink-2">
          <Info size={16} className="mt-0.5 flex-none text-accent" aria-hidden="true" />
          <span>
            {rich(
              'Run {code} where the server runs, and follow the link it prints. It works once, for ten minutes.',
              { code: <code className="text-ink">npx countersign open</code> },
            )}
          </span>
        </p>
        <form className="grid gap-2" onSubmit={onSubmit}>
          <label className="grid gap-1">
            <span className="font-medium text-ink-2">{t('Or paste the link here')}</span>
            <input
              type="text"
              className="field h-10 font-mono text-code"
              autoComplete="off"
              spellCheck={false}
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
            />
          </label>
          <button
            type="submit"
            className={`btn h-[42px] text-md ${methods?.oidc ? '' : 'btn-solid'}`}
            disabled={busy || tokenIn(typed).secret === ''}
          >
            {t('Sign in')}
          </button>
        </form>
        <p className="text-center text-xs leading-[17px] text-ink-3">
          {t('Agents can’t sign in here: their tokens never decide.')}
        </p>
      </div>
    </main>
  )
}

const RETURN = 'countersign.return'

/** Back to the page that was open before leaving for the provider. Paths of this server only. */
function returnToPage(): void {
  const path = sessionStorage.getItem(RETURN)
  sessionStorage.removeItem(RETURN)
  if (path !== null && /^\/(?!\/)/.test(path)) history.replaceState(null, '', path)
}

/** A whole link, or only what stands behind `signin=`. */
function tokenIn(text: string): SignInToken {
  const [, kind, found] = /(signin|invite)=([^&\s]+)/.exec(text) ?? []
  if (found === undefined) return { kind: 'signin', secret: text.trim() }
  return { kind: kind === 'invite' ? 'invite' : 'signin', secret: decoded(found) }
}

function problemOf(error: unknown, given: SignInToken | undefined): string {
  const isLink = given?.kind === 'signin'
  if (isLink && error instanceof Refused && (error.status === 401 || error.status === 403)) {
    return t(
      'This link was used already or is older than ten minutes. npx countersign open prints another.',
    )
  }
  if (given?.kind === 'invite' && error instanceof Refused) {
    return t('{error} Ask the admin who invited you for another link.', {
      error: errorMessage(error),
    })
  }
  return errorMessage(error)
}
