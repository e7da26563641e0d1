import { ArrowDown, ArrowUp, ChevronRight, Minus } from 'lucide-react'
import { Link, useLocation } from 'wouter'
import type { ApprovalRow } from '../../../../src/api/approval.ts'
import { summaryOf } from '../../../../src/api/question.ts'
import { Chip } from '../../components/chip.tsx'
import { OUTCOME_LOOKS } from '../../components/outcome-look.ts'
import { AddressAvatar, nameOf } from '../../components/person.tsx'
import { QuestionLine } from '../../components/question.tsx'
import { RiskText } from '../../components/risk.tsx'
import { OUTCOME_WORDS, type OutcomeKind, outcomeKind } from '../../lib/approval/outcome-kind.ts'
import { rich } from '../../lib/language/rich.ts'
import { type Message, msg, say, t, tell } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { clock, took } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'
import type { Sort } from './history-filter.ts'

const CELL =
  'border-b border-line px-2.5 py-1.5 align-middle first:pl-4 last:pr-4 group-last:border-b-0 max-desk:border-0 max-desk:p-0 max-desk:first:pl-0 max-desk:last:pr-0'

interface TableProps {
  readonly rows: readonly ApprovalRow[]
  readonly sort: Sort
  readonly onSort: (sort: Sort) => void
}

/** Between a phone and a wide screen the agent stands under the tool. */
const WIDE_ONLY = 'max-wide:hidden max-desk:block'

const HEAD =
  'border-b border-line px-2.5 py-[7px] text-left text-xs font-medium whitespace-nowrap text-ink-3 first:pl-4'

export function HistoryTable({ rows, sort, onSort }: TableProps) {
  const isByTime = sort !== 'risk'
  return (
    <div className="frame">
      <table className="w-full border-collapse max-desk:block">
        <thead className="max-desk:hidden">
          <tr>
            <th
              className={HEAD}
              aria-sort={sort === 'newest' ? 'descending' : isByTime ? 'ascending' : undefined}
            >
              <SortButton
                name={t('Asked')}
                isDown={isByTime ? sort === 'newest' : undefined}
                onSort={() => onSort(sort === 'newest' ? 'oldest' : 'newest')}
              />
            </th>
            <th className={HEAD}>{t('Call')}</th>
            <th className={HEAD} aria-sort={isByTime ? undefined : 'descending'}>
              <SortButton
                name={t('Risk')}
                isDown={isByTime ? undefined : true}
                onSort={() => onSort('risk')}
              />
            </th>
            <th className={`${HEAD} ${WIDE_ONLY}`}>{t('Agent')}</th>
            {[t('By'), t('Decision'), t('Outcome')].map((name) => (
              <th key={name} className={HEAD}>
                {name}
              </th>
            ))}
            <th className={`${HEAD} max-wide:hidden`}>
              <span className="sr-only">{t('Open the call')}</span>
            </th>
          </tr>
        </thead>
        <tbody className="max-desk:block">
          {rows.map((row) => (
            <HistoryRow key={row.id} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface SortProps {
  readonly name: string
  /** Absent: the list is sorted by something else. */
  readonly isDown: boolean | undefined
  readonly onSort: () => void
}

function SortButton({ name, isDown, onSort }: SortProps) {
  const Arrow = isDown === false ? ArrowUp : ArrowDown
  return (
    <button
      type="button"
      className="inline-flex items-center gap-1 rounded-xs hover:text-ink"
      onClick={onSort}
    >
      {name}
      <Arrow size={12} aria-hidden="true" className={isDown === undefined ? 'opacity-30' : ''} />
    </button>
  )
}

function HistoryRow({ row }: { row: ApprovalRow }) {
  const [, navigate] = useLocation()
  const { id, server, tool, agent, principal, risk, askedAt, execution } = row
  const now = serverNow()
  const href = `/history/${encodeURIComponent(id)}`
  const decision = decisionKind(row)
  const look = execution === 'unknown'
  return (
    <tr
      className={`group cursor-pointer hover:bg-hover max-desk:grid max-desk:grid-cols-[minmax(0,1fr)_auto] max-desk:gap-x-2.5 max-desk:gap-y-1 max-desk:border-b max-desk:border-line max-desk:px-3 max-desk:py-2.5 max-desk:last:border-b-0 ${look ? 'bg-open-soft' : ''}`}
      onClick={() => navigate(href)}
    >
      <td
        className={`${CELL} whitespace-nowrap text-ink-2 tabular-nums max-desk:col-start-2 max-desk:row-start-1 max-desk:text-right`}
      >
        {clock(askedAt, now)}
      </td>
      <td
        className={`${CELL} w-full max-w-[240px] max-desk:max-w-none max-desk:col-start-1 max-desk:row-start-1`}
      >
        <Link href={href} className="block rounded-xs">
          <code className="block wrap-anywhere text-ink-2">
            {server !== undefined && `${visibleText(server)}/`}
            <b className="text-ink">{visibleText(tool)}</b>
          </code>
          <span className="block truncate text-xs text-ink-3">
            <QuestionLine parts={summaryOf(row, tell)} />
          </span>
          <span className="hidden text-xs wrap-anywhere text-ink-2 max-wide:block max-desk:hidden">
            {visibleText(agent)}
          </span>
        </Link>
      </td>
      <td className={CELL}>
        <RiskText risk={risk} guessed={row.riskGuessed} />
      </td>
      <td
        className={`${CELL} ${WIDE_ONLY} min-w-[150px] wrap-anywhere max-desk:min-w-0 max-desk:text-right`}
      >
        {visibleText(agent)}
        {principal !== undefined && (
          <span className="block text-xs text-ink-3 max-desk:hidden">
            {rich('for {principal}', { principal: visibleText(principal) })}
          </span>
        )}
      </td>
      <td
        className={`${CELL} min-w-[150px] max-desk:col-span-2 max-desk:row-start-3 max-desk:min-w-0`}
      >
        <Deciders row={row} />
      </td>
      <td className={`${CELL} max-desk:col-start-1 max-desk:row-start-4`}>
        <KindChip kind={decision} />
        {row.isEdited && decision === 'approved' && (
          <span className="block text-xs text-ink-3 max-desk:ml-1.5 max-desk:inline">
            {t('with edits')}
          </span>
        )}
      </td>
      <td className={`${CELL} max-desk:col-start-2 max-desk:row-start-4 max-desk:text-right`}>
        <span className="grid justify-items-start gap-0.5 max-desk:justify-items-end">
          <OutcomeChip row={row} />
        </span>
      </td>
      <td className={`${CELL} text-ink-3 max-wide:hidden`}>
        <ChevronRight size={16} aria-hidden="true" />
      </td>
    </tr>
  )
}

/** Who answered, and how long after it was asked. What a grant let through no person looked at. */
function Deciders({ row }: { row: ApprovalRow }) {
  const { by = [], deciders = [], byGrant, status, askedAt, decidedAt } = row
  if (by.length === 0) {
    return (
      <span className="text-ink-3">{status === 'withdrawn' ? t('The agent') : t('No one')}</span>
    )
  }
  const nameFor = (address: string) => {
    const known = deciders.find(({ email, subject }) => (email ?? subject) === address)
    return known ? nameOf(known) : visibleText(address)
  }
  const names = by.map(nameFor).join(', ')
  return (
    <span className="flex items-center gap-2">
      <span className="flex -space-x-1.5 max-wide:hidden">
        {by.slice(0, 3).map((one) => (
          <AddressAvatar key={one} address={one} />
        ))}
      </span>
      <span className="min-w-0 wrap-anywhere">
        {byGrant ? t('A grant of {names}', { names }) : names}
        {decidedAt !== undefined && byGrant !== true && (
          <span className="block text-xs whitespace-nowrap text-ink-3 max-desk:inline">
            {' '}
            {rich('after {time}', { time: took(decidedAt - askedAt) })}
          </span>
        )}
      </span>
    </span>
  )
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
      {say(OUTCOME_WORDS[kind])}
    </Chip>
  )
}

const WHY_VOID: Readonly<Record<string, Message>> = {
  policy: msg('policy changed'),
  tool: msg('tool changed'),
  voter: msg('a voter lost the right'),
  restored: msg('database restored'),
  edit_refused: msg('edit refused'),
  revoked: msg('yes taken back'),
}

function whyVoid(reason = ''): string {
  const why = Object.hasOwn(WHY_VOID, reason) ? WHY_VOID[reason] : undefined
  return why === undefined ? '' : say(why)
}

function OutcomeChip({ row }: { row: ApprovalRow }) {
  const kind = outcomeKind(row)
  if (['denied', 'expired', 'withdrawn', 'invalidated'].includes(kind)) {
    return (
      <>
        <Chip icon={Minus}>{t('Did not run')}</Chip>
        {kind === 'invalidated' && (
          <span className="text-xs text-ink-3">{whyVoid(row.reason)}</span>
        )}
      </>
    )
  }
  if (kind === 'approved') return <Chip icon={Minus}>{t('Not started yet')}</Chip>
  return (
    <>
      <KindChip kind={kind} />
      {kind === 'unknown' && <span className="text-xs text-open">{t('Needs a look')}</span>}
    </>
  )
}
