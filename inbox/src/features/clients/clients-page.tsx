import { useQuery } from '@tanstack/react-query'
import { Bot } from 'lucide-react'
import { Link } from 'wouter'
import type { WireConnection } from '../../../../src/api/oauth/oauth.ts'
import { connectionsQuery, useEndConnection } from '../../api/session/mcp-clients.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { CopyLine } from '../../components/empty/copy-line.tsx'
import { EmptyState } from '../../components/empty/empty-state.tsx'
import { Loaded, Page } from '../../components/page.tsx'
import { BASE_PATH } from '../../lib/base-path.ts'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { clock, timeLeft } from '../../lib/time/clock.ts'

/** MCP clients that act for the person who looks. */
export function ClientsPage() {
  const { data, error } = useQuery(connectionsQuery)
  return (
    <Page
      title={t('Connected clients')}
      says={t('MCP clients that you allowed to call tools for you. They ask, and never decide.')}
    >
      <Loaded data={data} error={error}>
        {({ connections, now }) =>
          connections.length === 0 ? (
            <EmptyState icon={Bot} title={t('No client is connected.')}>
              <p>
                {t(
                  'Give an MCP client this address. It sends you here to allow it, and asks for you from then on.',
                )}
              </p>
              <CopyLine line={`${location.origin}${BASE_PATH}/mcp`} />
              <Link className="link" href="/connect">
                {t('Other ways to connect an agent')}
              </Link>
            </EmptyState>
          ) : (
            connections.map((one) => <Connection key={one.prefix} connection={one} now={now} />)
          )
        }
      </Loaded>
    </Page>
  )
}

function Connection({ connection, now }: { connection: WireConnection; now: number }) {
  const { prefix, host, client, agent, createdAt, expiresAt, lastUsedAt } = connection
  const end = useEndConnection(prefix)
  const used =
    lastUsedAt === undefined
      ? t('not used yet')
      : t('used {when}', { when: clock(lastUsedAt, now, false) })
  return (
    <section aria-label={t('Client of {host}', { host })} className="frame px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <Bot size={16} className="flex-none text-ink-3" aria-hidden="true" />
        <h2 className="text-md wrap-anywhere">{host}</h2>
        <span className="flex-1" />
        <ConfirmButton
          word={t('End')}
          about={t('the connection of {host}', { host })}
          says={t('The client is refused from now on, and its waiting calls are withdrawn.')}
          write={end}
        />
      </div>
      <p className="text-xs wrap-anywhere text-ink-3">
        {rich('{client} · agent {agent} · allowed {when} · {used} · ends in {left}', {
          client: <code>{client}</code>,
          agent: <code>{agent}</code>,
          when: clock(createdAt, now, false),
          used,
          left: timeLeft(expiresAt - now),
        })}
      </p>
    </section>
  )
}
