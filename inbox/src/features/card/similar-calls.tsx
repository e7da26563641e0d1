import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { ApprovalCard, ApprovalRow } from '../../../../src/api/approval.ts'
import { summaryOf } from '../../../../src/api/question.ts'
import { similarQuery } from '../../api/history.ts'
import { Chip } from '../../components/chip.tsx'
import { OUTCOME_LOOKS } from '../../components/outcome-look.ts'
import { QuestionLine } from '../../components/question.tsx'
import { OUTCOME_WORDS, type OutcomeKind, outcomeKind } from '../../lib/approval/outcome-kind.ts'
import { say, t, tell } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { clock } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'

const SHOWN = 3

/** Earlier calls of the same tool and how they ended: facts beside the call, and no advice. */
export function SimilarCalls({ card }: { card: ApprovalCard }) {
  const { id, tool, server } = card
  const { data: rows = [] } = useQuery(similarQuery({ tool, server }))
  const others = rows.filter((row) => row.id !== id && row.server === server)
  if (others.length === 0) return null
  const filter = new URLSearchParams({ tool, ...(server === undefined ? {} : { server }) })
  return (
    <section aria-label={t('Earlier calls of this tool')} className="frame">
      <header className="flex flex-wrap items-center gap-x-3 border-b border-line px-4 py-2 max-desk:px-3">
        <h3>{t('Earlier calls of this tool')}</h3>
        <span className="text-ink-3">{countsIn(others)}</span>
        <span className="flex-1" />
        <Link className="link" href={`/history?${filter}`}>
          {t('All of them')}
        </Link>
      </header>
      <ul>
        {others.slice(0, SHOWN).map((row) => (
          <Call key={row.id} row={row} />
        ))}
      </ul>
    </section>
  )
}

/** `Of the last 20: 17 approved, 3 denied`. */
function countsIn(rows: readonly ApprovalRow[]): string {
  // A yes that was never used was a yes.
  const said = rows.map(({ status, reason }) =>
    status === 'expired' && reason === 'unused' ? 'approved' : status,
  )
  const count = (...kinds: readonly ApprovalRow['status'][]) =>
    said.filter((status) => kinds.includes(status)).length
  const parts = [
    [count('approved'), t('approved')],
    [count('denied'), t('denied')],
    [count('expired'), t('expired')],
    [count('withdrawn', 'invalidated'), t('withdrawn or void')],
  ].flatMap(([n, word]) => (n === 0 ? [] : [`${n} ${word}`]))
  return `${rows.length === 1 ? t('The last one') : t('Of the last {rows}', { rows: rows.length })}: ${parts.join(', ')}`
}

function Call({ row }: { row: ApprovalRow }) {
  const kind: OutcomeKind = outcomeKind(row)
  const { tone, icon } = OUTCOME_LOOKS[kind]
  const by = row.by?.map((one) => visibleText(one)).join(', ')
  return (
    <li className="border-line not-first:border-t">
      <Link
        href={`/history/${encodeURIComponent(row.id)}`}
        className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-0.5 px-4 py-1.5 hover:bg-hover max-desk:px-3"
      >
        <span className="truncate">
          <QuestionLine parts={summaryOf(row, tell)} />
        </span>
        <Chip tone={tone} icon={icon}>
          {say(OUTCOME_WORDS[kind])}
        </Chip>
        <span className="col-span-2 text-xs wrap-anywhere text-ink-3">
          {clock(row.askedAt, serverNow(), false)}
          {by !== undefined &&
            (row.byGrant ? ` ${t('· by a grant of {by}', { by })}` : ` ${t('· by {by}', { by })}`)}
          {row.isEdited && ` ${t('· edited first')}`}
        </span>
      </Link>
    </li>
  )
}
