import { useInfiniteQuery } from '@tanstack/react-query'
import { ChevronRight, Minus, Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { ApprovalRow } from '../../../../src/api/approval.ts'
import { summaryOf } from '../../../../src/api/question.ts'
import { DECIDED, historyQuery } from '../../api/approvals.ts'
import { Chip } from '../../components/chip.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { OUTCOME_LOOKS } from '../../components/outcome-look.ts'
import { QuestionLine } from '../../components/question.tsx'
import { RiskText } from '../../components/risk.tsx'
import { OUTCOME_WORDS, type OutcomeKind, outcomeKind } from '../../lib/approval/outcome.ts'
import { useDebounced } from '../../lib/hooks/use-debounced.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { clock, took } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'

const TABS = [
  ['All', { status: DECIDED }],
  ['Approved', { status: ['approved'] }],
  ['Denied', { status: ['denied'] }],
  ['Did not run', { status: ['denied', 'expired', 'withdrawn', 'invalidated'] }],
  ['Needs a look', { status: ['approved'], execution: ['unknown'] }],
] as const

const STEP = 100

export function HistoryPage() {
  const [tab, setTab] = useState<(typeof TABS)[number][0]>('All')
  const [find, setFind] = useState('')
  const filter = TABS.find(([name]) => name === tab)?.[1] ?? { status: DECIDED }
  const q = useDebounced(find, 200)
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery(
    historyQuery({ ...filter, q }, STEP),
  )
  useEffect(() => {
    document.title = 'History · Countersign'
  }, [])
  const rows = data?.pages.flatMap(({ approvals }) => approvals) ?? []
  return (
    <main className="relative overflow-auto bg-canvas">
      <div className="mx-auto grid max-w-[1240px] grid-cols-[minmax(0,1fr)] content-start gap-3.5 px-8 pt-5 pb-10 max-desk:px-3 max-desk:pt-3.5">
        <header>
          <h1 className="text-xl tracking-tight">History</h1>
          <p className="text-ink-2">Every call that asked for a decision, and what became of it.</p>
        </header>
        <div className="flex flex-wrap items-center gap-2.5">
          <label className="relative flex max-desk:w-full">
            <Search size={16} className="absolute top-2 left-2.5 text-ink-3" aria-hidden="true" />
            <input
              type="search"
              className="field w-[260px] pl-8 max-desk:w-full"
              aria-label="Search history"
              placeholder="Tool, agent, person, text or digest"
              value={find}
              onChange={({ target }) => setFind(target.value)}
            />
          </label>
          <fieldset className="seg min-w-0 max-desk:max-w-full max-desk:overflow-x-auto">
            <legend className="sr-only">Which</legend>
            {TABS.map(([name]) => (
              <button
                key={name}
                type="button"
                aria-pressed={tab === name}
                onClick={() => setTab(name)}
              >
                {name}
              </button>
            ))}
          </fieldset>
        </div>
        {error && data === undefined ? (
          <ErrorMessage error={error} />
        ) : data === undefined ? (
          <div className="frame grid gap-5 p-5" aria-busy="true">
            {[60, 75, 50, 66].map((width) => (
              <span key={width} className="waiting" style={{ width: `${width}%` }} />
            ))}
          </div>
        ) : rows.length === 0 ? (
          <p className="py-10 text-center text-ink-2">
            {tab === 'Needs a look'
              ? 'Every call that ran has an outcome.'
              : find !== ''
                ? 'No call matches.'
                : 'Nothing was decided yet.'}
          </p>
        ) : (
          <Table rows={rows} />
        )}
        {hasNextPage && (
          <button
            type="button"
            className="btn justify-self-center"
            onClick={() => void fetchNextPage()}
          >
            Show older ones
          </button>
        )}
      </div>
    </main>
  )
}

const CELL =
  'border-b border-line px-2.5 py-1.5 align-middle first:pl-4 last:pr-4 group-last:border-b-0 max-wide:border-0 max-wide:p-0 max-wide:first:pl-0 max-wide:last:pr-0'

function Table({ rows }: { rows: readonly ApprovalRow[] }) {
  return (
    <div className="frame">
      <table className="w-full border-collapse max-wide:block">
        <thead className="max-wide:hidden">
          <tr>
            {['Asked', 'Call', 'Risk', 'Agent', 'Decision', 'Outcome', ''].map((name) => (
              <th
                key={name}
                className="border-b border-line px-2.5 py-[7px] text-left text-xs font-medium whitespace-nowrap text-ink-3 first:pl-4"
              >
                {name === '' ? <span className="sr-only">Open</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-wide:block">
          {rows.map((row) => (
            <HistoryRow key={row.id} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function HistoryRow({ row }: { row: ApprovalRow }) {
  const [, navigate] = useLocation()
  const { id, server, tool, agent, principal, risk, askedAt, decidedAt, execution } = row
  const now = serverNow()
  const href = `/history/${encodeURIComponent(id)}`
  const decision = decisionKind(row)
  const look = execution === 'unknown'
  return (
    <tr
      className={`group cursor-pointer hover:bg-hover max-wide:grid max-wide:grid-cols-[minmax(0,1fr)_auto] max-wide:gap-x-2.5 max-wide:gap-y-1 max-wide:border-b max-wide:border-line max-wide:px-3 max-wide:py-2.5 max-wide:last:border-b-0 ${look ? 'bg-open-soft' : ''}`}
      onClick={() => navigate(href)}
    >
      <td
        className={`${CELL} whitespace-nowrap text-ink-2 tabular-nums max-wide:col-start-2 max-wide:row-start-1 max-wide:text-right`}
      >
        {clock(askedAt, now)}
      </td>
      <td
        className={`${CELL} w-full max-w-[240px] max-wide:max-w-none max-wide:col-start-1 max-wide:row-start-1`}
      >
        <Link href={href} className="block rounded-xs">
          <code className="block wrap-anywhere text-ink-2">
            {server !== undefined && `${visibleText(server)}/`}
            <b className="text-ink">{visibleText(tool)}</b>
          </code>
          <span className="block truncate text-xs text-ink-3">
            <QuestionLine parts={summaryOf(row)} />
          </span>
        </Link>
      </td>
      <td className={CELL}>
        <RiskText risk={risk} guessed={row.riskGuessed} />
      </td>
      <td className={`${CELL} min-w-[110px] wrap-anywhere max-wide:min-w-0 max-wide:text-right`}>
        {visibleText(agent)}
        {principal !== undefined && (
          <span className="block text-xs text-ink-3 max-wide:hidden">
            for {visibleText(principal)}
          </span>
        )}
      </td>
      <td className={`${CELL} max-wide:col-start-1`}>
        <span className="flex items-center gap-2">
          <KindChip kind={decision} />
          {decidedAt !== undefined && row.byGrant !== true && (
            <span className="text-xs whitespace-nowrap text-ink-3 max-wide:hidden">
              after {took(decidedAt - askedAt)}
            </span>
          )}
        </span>
        <Deciders row={row} />
      </td>
      <td className={`${CELL} max-wide:text-right`}>
        <span className="flex items-center gap-2 max-wide:justify-end">
          <OutcomeChip row={row} />
        </span>
      </td>
      <td className={`${CELL} text-ink-3 max-wide:hidden`}>
        <ChevronRight size={16} aria-hidden="true" />
      </td>
    </tr>
  )
}

/** `by Ana, edited`. What a grant let through says so: no person looked at the call itself. */
function Deciders({ row: { by = [], byGrant, isEdited } }: { row: ApprovalRow }) {
  const names = by.map((one) => visibleText(one)).join(', ')
  const words = [
    ...(names === '' ? [] : [byGrant ? `by a grant of ${names}` : `by ${names}`]),
    ...(isEdited ? ['edited'] : []),
  ]
  if (words.length === 0) return null
  return <span className="block text-xs wrap-anywhere text-ink-3">{words.join(', ')}</span>
}

/** What people said, apart from what happened afterwards. */
function decisionKind({ status, reason }: ApprovalRow): OutcomeKind {
  if (status === 'pending') return 'waiting'
  if (status === 'expired') return reason === 'unused' ? 'approved' : 'expired'
  return status
}

function KindChip({ kind }: { kind: OutcomeKind }) {
  const { tone, icon } = OUTCOME_LOOKS[kind]
  return (
    <Chip tone={tone} icon={icon}>
      {OUTCOME_WORDS[kind]}
    </Chip>
  )
}

const WHY_VOID: Readonly<Record<string, string>> = {
  policy: 'policy changed',
  tool: 'tool changed',
  voter: 'a voter lost the right',
  restored: 'database restored',
  edit_refused: 'edit refused',
  revoked: 'yes taken back',
}

function OutcomeChip({ row }: { row: ApprovalRow }) {
  const kind = outcomeKind(row)
  if (['denied', 'expired', 'withdrawn', 'invalidated'].includes(kind)) {
    return (
      <>
        <Chip icon={Minus}>Did not run</Chip>
        {kind === 'invalidated' && (
          <span className="text-xs text-ink-3 max-wide:hidden">{WHY_VOID[row.reason ?? '']}</span>
        )}
      </>
    )
  }
  if (kind === 'approved') return <Chip icon={Minus}>Not started yet</Chip>
  return (
    <>
      <KindChip kind={kind} />
      {kind === 'unknown' && (
        <span className="text-xs text-open max-wide:hidden">Needs a look</span>
      )}
    </>
  )
}
