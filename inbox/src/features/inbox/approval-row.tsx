import { AlarmClock, Ban, Check, Clock, Undo2, X } from 'lucide-react'
import { memo } from 'react'
import { Link } from 'wouter'
import type { ApprovalRow } from '../../../../src/api/approval.ts'
import { summaryOf } from '../../../../src/api/question.ts'
import type { MessagePart } from '../../../../src/base/message-parts.ts'
import { forNames } from '../../components/person.tsx'
import { QuestionLine } from '../../components/question.tsx'
import { Meter, riskClass, riskWord } from '../../components/risk.tsx'
import { rich } from '../../lib/language/rich.ts'
import { msg, say, t, tell } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { timeLeft, URGENT } from '../../lib/time/clock.ts'
import { useClock } from '../../lib/time/server-time.ts'
import type { Item } from './list-model.ts'

export const ROW_HEIGHT = 77
export const ROW_HEIGHT_NARROW = 84

interface RowProps {
  readonly item: Item
  readonly current: boolean
  readonly position: number
  readonly total: number
  readonly height: number
  readonly picked: boolean
  readonly onPick: (position: number, range: boolean) => void
}

/** One line of the list. It may be cut: nothing is decided here. */
export const Row = memo(function Row(props: RowProps) {
  const { item, current, position, total, height, picked, onPick } = props
  const { row, ids, settled } = item
  const { risk, tool, server, agent, principal } = row
  const summary = summaryOf(row, tell)
  return (
    <li
      aria-setsize={total}
      aria-posinset={position + 1}
      className="absolute inset-x-0"
      style={{ top: position * height, height }}
    >
      <Link
        href={`/approvals/${encodeURIComponent(row.id)}`}
        aria-current={current ? 'true' : undefined}
        data-row={row.id}
        className={`grid h-full grid-cols-[26px_minmax(0,1fr)] gap-x-3 border-b border-line px-4 pt-[9px] pl-5 hover:bg-hover focus-visible:-outline-offset-2 max-desk:pt-3 max-desk:pl-4 ${
          current ? 'bg-selected shadow-[inset_3px_0_0_var(--color-accent)] hover:bg-selected' : ''
        }`}
      >
        <span
          className={`${riskClass(risk)} grid content-start justify-items-center gap-px pt-1 text-xs font-semibold text-(--risk)`}
        >
          <Meter risk={risk} />
          <span aria-hidden="true">
            {risk ?? '–'}
            {row.riskGuessed && '?'}
          </span>
          <span className="sr-only">{riskName(row)}</span>
        </span>
        <span className="grid min-w-0 content-start leading-[19px]">
          <span className="flex min-w-0 items-baseline gap-[7px]">
            <b className="truncate font-mono text-code leading-[19px]">{visibleText(tool)}</b>
            {server !== undefined && (
              <span className="min-w-0 shrink-[100] truncate text-xs text-ink-3">
                {visibleText(server)}
              </span>
            )}
            {ids.length > 1 && <Times>{rich('{ids} identical', { ids: ids.length })}</Times>}
            {ids.length === 1 && row.batch !== undefined && <Times>{t('one turn')}</Times>}
            <span className="flex-1" />
            {settled ? (
              <Settled status={settled.status} met={row.met} />
            ) : (
              <Left decideBy={row.decideBy} />
            )}
          </span>
          <span className="truncate text-ink-2" aria-hidden="true">
            <QuestionLine parts={summary} />
          </span>
          <span className="sr-only">{spoken(summary)}</span>
          <span className="flex min-w-0 items-center text-xs leading-[19px] whitespace-nowrap text-ink-3">
            <span className="truncate">
              {visibleText(agent)}
              {principal !== undefined &&
                ` ${t('· for {principal}', { principal: visibleText(principal) })}`}
            </span>
            <span className="min-w-2 flex-1" />
            {settled === undefined && <Needs row={row} />}
          </span>
        </span>
      </Link>
      {settled === undefined && (
        <label className="absolute top-[45px] left-[18px] grid size-8 place-items-center max-desk:left-[11px] max-desk:top-[44px] max-desk:size-9">
          <span className="sr-only">{rich('Select {tool}', { tool: visibleText(tool) })}</span>
          <input
            type="checkbox"
            className="size-4"
            checked={picked}
            onChange={({ nativeEvent }) =>
              onPick(position, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
            }
          />
        </label>
      )}
    </li>
  )
})

function Times({ children }: { children: React.ReactNode }) {
  return (
    <span className="flex-none rounded-sm bg-surface px-1.5 text-xs leading-[18px] whitespace-nowrap text-ink-2 shadow-[0_0_0_1px_var(--color-frame)]">
      {children}
    </span>
  )
}

function Left({ decideBy }: { decideBy: number }) {
  const text = useClock((now) => timeLeft(decideBy - now))
  const urgent = useClock((now) => decideBy - now < URGENT)
  return (
    <span
      className={`flex flex-none items-center gap-1 self-center leading-4 tabular-nums ${urgent ? 'font-semibold text-warn' : 'font-medium text-ink-2'}`}
    >
      {urgent && <AlarmClock size={14} aria-hidden="true" />}
      <span className="sr-only">{t('time left')} </span>
      {text}
    </span>
  )
}

const SETTLED = {
  pending: [msg('Waiting'), Clock, 'text-ink-2'],
  approved: [msg('Approved'), Check, 'text-good'],
  denied: [msg('Denied'), X, 'text-bad'],
  expired: [msg('Expired'), Clock, 'text-warn'],
  withdrawn: [msg('Withdrawn'), Undo2, 'text-ink-2'],
  invalidated: [msg('Void'), Ban, 'text-warn'],
  mixed: [msg('Answers differ'), Clock, 'text-ink-2'],
} as const

function Settled({ status, met }: Pick<ApprovalRow, 'met'> & { status: keyof typeof SETTLED }) {
  const [word, Icon, colour] = SETTLED[status]
  return (
    <span
      className={`flex flex-none items-center gap-1 self-center text-xs leading-4 font-medium ${colour}`}
    >
      <Icon size={14} aria-hidden="true" />
      {status === 'pending'
        ? t('{have} of {need} agreed', { have: met.have, need: met.need })
        : say(word)}
    </span>
  )
}

const SPOKEN = 120

/** The name of the link stays short: all arguments stand on the card. */
function spoken(parts: readonly MessagePart[]): string {
  const text = visibleText(parts.map((part) => part.text).join(''))
  return text.length <= SPOKEN ? text : `${text.slice(0, SPOKEN)}…`
}

function riskName({ risk, riskGuessed }: ApprovalRow): string {
  if (risk === undefined) return riskWord(risk)
  const word = riskWord(risk)
  return riskGuessed ? t('Looks like {word} risk', { word }) : t('{word} risk', { word })
}

function Needs({ row }: { row: Item['row'] }) {
  const { met, mine, level, unreachable, locked, questions, replied, assignee } = row
  if (locked !== undefined) return <span className="flex-none text-warn">{t('Locked')}</span>
  if (unreachable !== undefined) return <span className="text-warn">{t('Too few approvers')}</span>
  if (questions !== undefined) return <span className="flex-none">{t('Waits for a reply')}</span>
  if (replied) return <span className="flex-none text-accent">{t('The agent replied')}</span>
  if (assignee !== undefined && met.need <= 1) {
    return <span className="truncate">{visibleText(assignee)}</span>
  }
  return (
    <span className={`flex flex-none items-center gap-1.5 ${mine.may ? 'text-ink-2' : ''}`}>
      {met.need > 1 && (
        <>
          <span className="flex gap-[3px]" aria-hidden="true">
            {Array.from({ length: met.need }, (_, at) => (
              <span
                key={at}
                className={`size-2 rounded-full border-[1.5px] ${at < met.have ? 'border-good bg-good' : 'border-control'}`}
              />
            ))}
          </span>
          {rich('{have} of {need}', { have: met.have, need: met.need })}
        </>
      )}
      {met.need <= 1 &&
        (mine.may
          ? `${t('You')}${forNames(mine.for)}`
          : level === 'confirm'
            ? t('Another person')
            : t('Others'))}
    </span>
  )
}
