import { useQuery } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { Suspense, useEffect, useRef, useState } from 'react'
import type { ServerList } from '../../../../src/api/servers.ts'
import { lastError } from '../../api/query-client.ts'
import { serversQuery, useAcceptTool, useProbeServers } from '../../api/servers.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Page } from '../../components/page.tsx'
import { rich } from '../../lib/language/rich.ts'
import { msg, plural, say, t } from '../../lib/language/t.ts'
import { lazy } from '../../lib/lazy.tsx'
import { Bypasses } from './bypasses.tsx'
import { ChangedTool } from './changed-tool.tsx'
import { OwnTools, ToolTable } from './tool-table.tsx'
import { type Tally, tally } from './tool-words.ts'

const AddServer = lazy(() => import('../servers/add-server.tsx'), 'AddServer')

/** Every server behind the gate, what its tools get, and what changed about them. */
export function ToolsPage() {
  const { data: list, error } = useQuery(serversQuery)
  const probe = useProbeServers()
  const accept = useAcceptTool()
  const [isAdding, setAdding] = useState(false)
  useFirstProbe(list, () => probe.mutate())
  useNamedTool(list !== undefined)
  return (
    <Page
      title={t('Tools')}
      says={saysOf(list)}
      aside={
        <span className="flex flex-wrap gap-2">
          {list?.can.includes('accept') === true && !isAdding && (
            <button type="button" className="btn" onClick={() => setAdding(true)}>
              {t('Add a server')}
            </button>
          )}
          {list?.can.includes('look') === true && (
            <ProbeButton probing={probe.isPending} onProbe={() => probe.mutate()} />
          )}
        </span>
      }
    >
      <ErrorMessage error={lastError(probe, accept) ?? error} />
      {isAdding && (
        <Suspense fallback={null}>
          <AddServer can={list?.can ?? []} onDone={() => setAdding(false)} />
        </Suspense>
      )}
      {list === undefined && !error && <p className="text-ink-2">{t('Loading the servers.')}</p>}
      {list !== undefined && <Cover counts={tally(allTools(list))} />}
      {list !== undefined && <Notices list={list} accept={accept} />}
      {list?.servers.length === 0 && <NoServers />}
      {list?.servers.map((server) => (
        <ToolTable key={server.alias} server={server} can={list.can} looking={probe.isPending} />
      ))}
      {list !== undefined && list.own.length > 0 && <OwnTools tools={list.own} />}
    </Page>
  )
}

interface NoticesProps {
  readonly list: ServerList
  readonly accept: ReturnType<typeof useAcceptTool>
}

/** Beside each other where there is room: what runs without asking, and what changed. */
function Notices({ list, accept }: NoticesProps) {
  const held = list.servers.flatMap(({ alias, tools }) =>
    tools.flatMap((tool) =>
      tool.change === undefined ? [] : [{ alias, tool, change: tool.change }],
    ),
  )
  const columns = held.length > 0 ? 'grid-cols-2 max-wide:grid-cols-1' : ''
  return (
    <div className={`grid items-start gap-3.5 ${columns}`}>
      <Bypasses ways={list.ways} />
      {held.length > 0 && (
        <div className="grid min-w-0 gap-3.5">
          {held.map(({ alias, tool, change }) => (
            <ChangedTool
              key={`${alias}/${tool.tool}`}
              server={alias}
              tool={tool}
              change={change}
              mayAccept={list.can.includes('accept')}
              accept={accept}
            />
          ))}
        </div>
      )}
    </div>
  )
}

function allTools({ servers, own }: ServerList) {
  return [...servers.flatMap(({ tools }) => tools), ...own]
}

/** Scrolls to the tool named in the link and focuses its switch, once. */
function useNamedTool(isThere: boolean): void {
  useEffect(() => {
    const place = isThere && document.getElementById(location.hash.slice(1))
    if (!place) return
    place.scrollIntoView({ block: 'center' })
    place.querySelector<HTMLElement>('[role=switch]:enabled')?.focus({ preventScroll: true })
  }, [isThere])
}

/** Checks the servers once if one was not checked since the start. */
function useFirstProbe(list: ServerList | undefined, probe: () => void): void {
  const isDone = useRef(false)
  const isWanted =
    list?.can.includes('look') === true &&
    list.servers.some(({ reached, seen }) => reached !== undefined && seen === undefined)
  useEffect(() => {
    if (!isWanted || isDone.current) return
    isDone.current = true
    probe()
  })
}

function saysOf(list: ServerList | undefined): string {
  if (list === undefined) return t('Of the servers behind the gate.')
  const [tools, servers] = [allTools(list).length, list.servers.length]
  return t(
    '{tools}, {servers}, and every door that leads to them. What a file decides cannot be switched here.',
    {
      tools: plural(tools, '{n} tool', '{n} tools'),
      servers: plural(servers, '{n} server', '{n} servers'),
    },
  )
}

interface ProbeButtonProps {
  readonly probing: boolean
  readonly onProbe: () => void
}

function ProbeButton({ probing, onProbe }: ProbeButtonProps) {
  return (
    <button type="button" className="btn" disabled={probing} onClick={onProbe}>
      <RotateCw
        size={15}
        className={probing ? 'motion-safe:animate-spin' : ''}
        aria-hidden="true"
      />
      {probing ? t('Looking…') : t('Look again')}
    </button>
  )
}

function NoServers() {
  return (
    <div className="frame grid gap-2 px-4 py-3">
      <p>
        {rich('{b} Name them in the policy file, and their tools appear here and at {code}:', {
          b: <b>{t('No servers.')}</b>,
          code: <code>/mcp</code>,
        })}
      </p>
      <pre className="rounded-md bg-sunken p-3 font-mono text-code wrap-anywhere whitespace-pre-wrap">
        {
          'mcp_servers:\n  - alias: files\n    command: npx\n    args: [-y, "@modelcontextprotocol/server-filesystem", "."]'
        }
      </pre>
    </div>
  )
}

const PARTS = [
  ['asks', msg('ask a person'), 'bg-accent-fill'],
  ['runs', msg('run without asking'), 'bg-accent-line'],
  ['refused', msg('refused'), 'bg-control'],
  ['held', msg('in quarantine'), 'bg-warn'],
] as const

function Cover({ counts }: { counts: Tally }) {
  if (counts.all === 0) return null
  const shown = PARTS.filter(([key]) => counts[key] > 0)
  return (
    <div className="frame flex flex-wrap items-center gap-x-6 gap-y-3 px-4 py-3">
      <p className="grid">
        <b className="text-lg leading-7">
          {rich('{asks} of {all}', { asks: counts.asks, all: counts.all })}
        </b>
        <span className="text-ink-2">{t('tools ask a person')}</span>
      </p>
      <div className="grid min-w-60 flex-1 gap-2.5">
        <div className="flex h-3 gap-0.5 overflow-clip rounded-xs" aria-hidden="true">
          {shown.map(([key, , colour]) => (
            <span key={key} className={colour} style={{ flex: counts[key] }} />
          ))}
        </div>
        <ul className="flex flex-wrap gap-x-5 gap-y-1 text-ink-2">
          {shown.map(([key, words, colour]) => (
            <li key={key} className="flex items-center gap-2">
              <span className={`size-2.5 rounded-xs ${colour}`} aria-hidden="true" />
              {counts[key]} {say(words)}
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
