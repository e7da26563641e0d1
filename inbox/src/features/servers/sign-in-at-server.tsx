import { type FormEvent, useState } from 'react'
import type { ServerList, SignInBegun, WireServer } from '../../../../src/api/servers.ts'
import { useBeginSignIn, useEndSignIn } from '../../api/servers.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { clock } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'

interface SignInProps {
  readonly server: WireServer
  readonly can: ServerList['can']
}

/** Where the users of a server sign in: how that stands, and the way there. */
export function SignInAtServer({ server: { alias, signIn }, can }: SignInProps) {
  const begin = useBeginSignIn()
  const end = useEndSignIn()
  if (signIn === undefined) return null
  const { needed, last } = signIn
  const may = can.includes('sign-in')
  return (
    <div className="grid gap-2 border-b border-line px-4 py-2.5 text-xs max-desk:px-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <SignInState signIn={signIn} />
        {may && begin.data === undefined && (
          <span className="flex flex-wrap gap-2">
            <button
              type="button"
              className={needed ? 'btn btn-solid' : 'btn'}
              disabled={begin.isPending}
              onClick={() => begin.mutate({ server: alias })}
            >
              {last === undefined
                ? t('Sign in at {alias}', { alias })
                : t('Sign in again at {alias}', { alias })}
            </button>
            {last !== undefined && (
              <button
                type="button"
                className="btn btn-quiet"
                disabled={end.isPending}
                onClick={() => end.mutate(alias)}
              >
                {t('Sign out of {alias}', { alias })}
              </button>
            )}
          </span>
        )}
        {!may && needed && <span className="text-ink-2">{t('An admin can sign in.')}</span>}
      </div>
      <ErrorMessage error={begin.error ?? end.error} inline />
      {begin.data?.to !== undefined && (
        <GoThere alias={alias} to={begin.data.to} onBack={begin.reset} />
      )}
      {begin.data?.needsClient !== undefined && (
        <MadeByHand
          needs={begin.data.needsClient}
          isBusy={begin.isPending}
          onClient={(client) => begin.mutate({ server: alias, client })}
          onBack={begin.reset}
        />
      )}
    </div>
  )
}

function SignInState({ signIn: { needed, last } }: Required<Pick<WireServer, 'signIn'>>) {
  if (last === undefined) return <b className="text-warn">{t('It asks for a sign-in.')}</b>
  const { by, at, issuer, lost, wants } = last
  return (
    <p className="min-w-0 flex-1 basis-72 wrap-anywhere text-ink-2">
      {rich('Signed in at {host} by {by}, {at}.', {
        host: <b>{hostOf(issuer)}</b>,
        by,
        at: clock(at, serverNow(), false),
      })}{' '}
      {lost !== undefined && (
        <b className="text-bad">
          {rich('It counts no longer: {lost}.', { lost: <UntrustedText text={lost} /> })}
        </b>
      )}
      {lost === undefined && needed && (
        <b className="text-bad">{t('The server refuses it. Sign in again.')}</b>
      )}
      {wants !== undefined && (
        <b className="text-warn">
          {rich('The server asked for more since: {wants}.', {
            wants: <UntrustedText text={wants.join(' ')} />,
          })}
        </b>
      )}
    </p>
  )
}

interface GoThereProps {
  readonly alias: string
  readonly to: NonNullable<SignInBegun['to']>
  readonly onBack: () => void
}

/** Says where the way leads before it does: the server chose the address. */
function GoThere({ alias, to: { url, issuer, scopes }, onBack }: GoThereProps) {
  const { host } = new URL(url)
  return (
    <fieldset className="grid gap-2 rounded-md border border-line bg-canvas px-3 py-2.5 text-sm">
      <legend className="px-1 font-medium">{t('Sign in at {alias}', { alias })}</legend>
      <p>
        {rich('{alias} sends its users to {host}. Sign in there with an account for agents.', {
          alias: <b>{alias}</b>,
          host: <b>{host}</b>,
        })}
        {host !== hostOf(issuer) && (
          <b className="text-warn"> {rich('It acts for {issuer}.', { issuer })}</b>
        )}
      </p>
      <p className="wrap-anywhere text-ink-2">
        {scopes.length === 0
          ? t('It names no scopes: what the account may do, its tools may do.')
          : rich('Asked for: {scopes}', {
              scopes: (
                <code>
                  <UntrustedText text={scopes.join(' ')} />
                </code>
              ),
            })}
      </p>
      <p className="text-ink-2">
        {t('Every agent that calls its tools acts with this account, under the rules that hold.')}
      </p>
      <span className="flex flex-wrap gap-2">
        <button type="button" className="btn btn-quiet" onClick={onBack}>
          {t('Go back')}
        </button>
        <button type="button" className="btn btn-solid" onClick={() => leave(url)}>
          {t('Continue to {host}', { host })}
        </button>
      </span>
    </fieldset>
  )
}

interface MadeByHandProps {
  readonly needs: NonNullable<SignInBegun['needsClient']>
  readonly isBusy: boolean
  readonly onClient: (client: { issuer: string; id: string; secret?: string }) => void
  readonly onBack: () => void
}

/** Some issuers take no client by themselves. */
function MadeByHand({ needs: { issuer, redirect }, isBusy, onClient, onBack }: MadeByHandProps) {
  const [id, setId] = useState('')
  const [secret, setSecret] = useState('')
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (id.trim() === '') return
    onClient({ issuer, id: id.trim(), ...(secret === '' ? {} : { secret }) })
  }
  return (
    <form
      className="grid gap-2 rounded-md border border-line bg-canvas px-3 py-2.5 text-sm"
      aria-label={t('A client at the issuer')}
      onSubmit={onSubmit}
    >
      <p className="wrap-anywhere">
        {rich(
          '{issuer} registers no clients by itself. Make an OAuth application there with this redirect address, and enter what you get:',
          { issuer: <b>{issuer}</b> },
        )}
      </p>
      <input
        className="field font-mono text-code"
        readOnly
        value={redirect}
        aria-label={t('Redirect address')}
        onFocus={({ target }) => target.select()}
      />
      <label className="grid gap-1 text-xs text-ink-3">
        {t('Client ID')}
        <input className="field" value={id} onChange={({ target }) => setId(target.value)} />
      </label>
      <label className="grid gap-1 text-xs text-ink-3">
        {t('Client secret, if there is one')}
        <input
          className="field"
          type="password"
          autoComplete="off"
          value={secret}
          onChange={({ target }) => setSecret(target.value)}
        />
      </label>
      <span className="flex flex-wrap gap-2">
        <button type="button" className="btn btn-quiet" onClick={onBack}>
          {t('Go back')}
        </button>
        <button type="submit" className="btn btn-solid" disabled={isBusy || id.trim() === ''}>
          {t('Use this client')}
        </button>
      </span>
    </form>
  )
}

/** Only addresses of the web: a page must not run a script by one. */
function leave(to: string): void {
  const url = new URL(to)
  if (url.protocol === 'https:' || url.protocol === 'http:') location.assign(url)
}

function hostOf(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).host : issuer
}
