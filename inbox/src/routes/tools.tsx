import { useQueryClient } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { ServerList, ToolChange } from '../../../src/api/servers.ts'
import { acceptTool, lookAtServers, sentenceOf, setSwitch } from '../api.ts'
import { HeldTool } from '../parts/held-tool.tsx'
import { Page } from '../parts/page.tsx'
import { Problem } from '../parts/problem.tsx'
import { OwnTools, ToolTable } from '../parts/tool-table.tsx'
import { Ways } from '../parts/ways.tsx'
import { useServers } from '../queries.ts'
import { type Tally, tally } from '../text/tool-words.ts'
import { plural } from '../text/values.ts'

/** Every server behind the gate, what its tools get, and what changed about them. */
export function ToolsPage() {
  const queries = useQueryClient()
  const { data: list, error } = useServers()
  const [problem, setProblem] = useState('')
  const [looking, setLooking] = useState(false)
  const change = async (act: () => Promise<unknown>) => {
    setProblem('')
    try {
      await act()
    } catch (cause) {
      setProblem(sentenceOf(cause))
    }
    await queries.invalidateQueries({ queryKey: ['servers'] })
  }
  const look = async () => {
    setLooking(true)
    await change(lookAtServers)
    setLooking(false)
  }
  useFirstLook(list, look)
  useNamedTool(list !== undefined)
  return (
    <Page
      title="Tools"
      says={saysOf(list)}
      aside={list?.can.includes('look') === true && <LookAgain looking={looking} onLook={look} />}
    >
      {(error || problem !== '') && <Problem text={problem === '' ? sentenceOf(error) : problem} />}
      {list === undefined && !error && <p className="text-ink-2">Loading the servers.</p>}
      {list !== undefined && <Cover counts={tally(allTools(list))} />}
      {list !== undefined && (
        <Notices list={list} onAccept={({ id, to }) => change(() => acceptTool(id, to))} />
      )}
      {list?.servers.length === 0 && <NoServers />}
      {list?.servers.map((server) => (
        <ToolTable
          key={server.alias}
          server={server}
          can={list.can}
          looking={looking}
          onSwitch={(target, on, lowers) => change(() => setSwitch(target, on, lowers))}
        />
      ))}
      {list !== undefined && list.own.length > 0 && <OwnTools tools={list.own} />}
    </Page>
  )
}

interface NoticesProps {
  readonly list: ServerList
  readonly onAccept: (change: ToolChange) => Promise<void>
}

/** Beside each other where there is room: what runs without asking, and what changed. */
function Notices({ list, onAccept }: NoticesProps) {
  const held = list.servers.flatMap(({ alias, tools }) =>
    tools.flatMap((tool) =>
      tool.change === undefined ? [] : [{ alias, tool, change: tool.change }],
    ),
  )
  const columns = held.length > 0 ? 'grid-cols-2 max-wide:grid-cols-1' : ''
  return (
    <div className={`grid items-start gap-3.5 ${columns}`}>
      <Ways ways={list.ways} />
      {held.length > 0 && (
        <div className="grid min-w-0 gap-3.5">
          {held.map(({ alias, tool, change }) => (
            <HeldTool
              key={`${alias}/${tool.tool}`}
              server={alias}
              tool={tool}
              change={change}
              mayAccept={list.can.includes('accept')}
              onAccept={onAccept}
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
function useFirstLook(list: ServerList | undefined, look: () => Promise<void>): void {
  const isDone = useRef(false)
  const isWanted =
    list?.can.includes('look') === true &&
    list.servers.some(({ reached, seen }) => reached !== undefined && seen === undefined)
  useEffect(() => {
    if (!isWanted || isDone.current) return
    isDone.current = true
    void look()
  })
}

function saysOf(list: ServerList | undefined): string {
  if (list === undefined) return 'Of the servers behind the gate.'
  const [tools, servers] = [allTools(list).length, list.servers.length]
  return `${plural(tools, 'tool')}, ${plural(servers, 'server')}, and every door that leads to them. What a file decides cannot be switched here.`
}

interface LookAgainProps {
  readonly looking: boolean
  readonly onLook: () => Promise<void>
}

function LookAgain({ looking, onLook }: LookAgainProps) {
  return (
    <button type="button" className="btn" disabled={looking} onClick={() => void onLook()}>
      <RotateCw
        size={15}
        className={looking ? 'motion-safe:animate-spin' : ''}
        aria-hidden="true"
      />
      {looking ? 'Looking…' : 'Look again'}
    </button>
  )
}

function NoServers() {
  return (
    <div className="frame grid gap-2 px-4 py-3">
      <p>
        <b>No servers.</b> Name them in the policy file, and their tools appear here and at{' '}
        <code>/mcp</code>:
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
  ['asks', 'ask a person', 'bg-accent-fill'],
  ['runs', 'run without asking', 'bg-accent-line'],
  ['refused', 'refused', 'bg-control'],
  ['held', 'in quarantine', 'bg-warn'],
] as const

function Cover({ counts }: { counts: Tally }) {
  if (counts.all === 0) return null
  const shown = PARTS.filter(([key]) => counts[key] > 0)
  return (
    <div className="frame flex flex-wrap items-center gap-x-6 gap-y-3 px-4 py-3">
      <p className="grid">
        <b className="text-lg leading-7">
          {counts.asks} of {counts.all}
        </b>
        <span className="text-ink-2">tools ask a person</span>
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
              {counts[key]} {words}
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
