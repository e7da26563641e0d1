import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import type { Me } from '../../../../src/api/approval.ts'
import type { ClientRequest } from '../../../../src/api/oauth/oauth.ts'
import { clientRequestQuery, useAnswerClient } from '../../api/session/mcp-clients.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Loaded, Page } from '../../components/page.tsx'
import { nameOf } from '../../components/person.tsx'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { useArmed } from '../decide/use-armed.ts'

/** Only addresses of the web: the server gives no others, and a page must not run a script by one. */
function leave(to: string): void {
  const url = new URL(to)
  if (url.protocol === 'https:' || url.protocol === 'http:') location.assign(url)
}

/** Asks whether an MCP client may call tools for the person who is signed in. */
export function AllowClientPage({ me }: { me: Me }) {
  const [query] = useState(() => location.search.slice(1))
  const { data, error } = useQuery(clientRequestQuery(query))
  const to = data?.to
  useEffect(() => {
    if (to !== undefined) leave(to)
  }, [to])
  return (
    <Page
      title={t('Connect a client')}
      says={t('A program wants to call tools for you. It can ask; it can never decide.')}
    >
      <Loaded data={data} error={error}>
        {({ ask }) =>
          ask === undefined ? (
            <p className="text-ink-2">{t('Nothing to decide here. Going back to the client…')}</p>
          ) : (
            <Question ask={ask} me={me} />
          )
        }
      </Loaded>
    </Page>
  )
}

function Question({ ask, me }: { ask: ClientRequest; me: Me }) {
  const { client, redirect, agent, before, request } = ask
  const answer = useAnswerClient()
  const isArmed = useArmed(request)
  const busy = !isArmed || answer.isPending || answer.isSuccess
  const send = (allow: boolean) =>
    answer.mutate({ request, allow }, { onSuccess: ({ to }) => leave(to) })
  return (
    <section aria-label={t('The client')} className="frame grid max-w-[680px] gap-4 px-5 py-4">
      <h2 className="text-lg wrap-anywhere">
        {rich('Let a client of {host} call tools for you?', { host: <b>{client.host}</b> })}
      </h2>
      {client.name !== undefined && (
        <div className="grid gap-1">
          <p className="text-ink-3">{t('It calls itself, and any name can stand here:')}</p>
          <p className="rounded-md border border-line bg-canvas px-3 py-2 wrap-anywhere">
            <UntrustedText text={client.name} edges />
          </p>
        </div>
      )}
      <dl className="grid grid-cols-[minmax(0,auto)_minmax(0,1fr)] gap-x-4 gap-y-2 max-desk:grid-cols-1">
        <Fact name={t('Its document')}>
          <code>{client.id}</code>
        </Fact>
        <Fact name={t('The answer goes to')}>
          <code>{redirect.host}</code>
          {redirect.here && ` · ${t('a program on your own machine')}`}
          {!redirect.here && !redirect.own && (
            <b className="text-warn">{` · ${t('another host than that of the client')}`}</b>
          )}
        </Fact>
        <Fact name={t('It acts as')}>
          {rich('agent {agent} for {person}', {
            agent: <code>{agent}</code>,
            person: nameOf(me.person),
          })}
        </Fact>
        <Fact name={t('It may')}>{t('call tools under the rules that hold for that agent')}</Fact>
        <Fact name={t('It may not')}>{t('decide, or see the inbox')}</Fact>
        <Fact name={t('Until')}>
          {t('90 days from now, or until you end it under Connected clients')}
        </Fact>
      </dl>
      {redirect.here && (
        <p className="rounded-md bg-warn-soft px-3 py-2 text-ink-2">
          {t(
            'Allow it only if you have just begun to connect this client yourself. Any program on your machine can send you here under this name.',
          )}
        </p>
      )}
      {before && <p className="text-ink-2">{t('You have allowed this client before.')}</p>}
      <ErrorMessage error={answer.error} inline />
      <div className="flex flex-wrap justify-end gap-2">
        <button type="button" className="btn" disabled={busy} onClick={() => send(false)}>
          {t('Refuse')}
        </button>
        <button type="button" className="btn btn-solid" disabled={busy} onClick={() => send(true)}>
          {t('Allow')}
        </button>
      </div>
    </section>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="m-0 wrap-anywhere">{children}</dd>
    </>
  )
}
