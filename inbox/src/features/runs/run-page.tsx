import { useQuery } from '@tanstack/react-query'
import { ChevronRight, CircleCheck, CircleDot, CircleX, Quote } from 'lucide-react'
import { useEffect } from 'react'
import { Link } from 'wouter'
import type { ApprovalRow } from '../../../../src/api/approval.ts'
import { Refused } from '../../../../src/api/client.ts'
import { summaryOf } from '../../../../src/api/question.ts'
import { reportWords } from '../../../../src/api/runs/report-words.ts'
import type { RunPage as Run, WireReport } from '../../../../src/api/runs/run.ts'
import { errorMessage } from '../../api/errors.ts'
import { runQuery } from '../../api/history.ts'
import { Chip } from '../../components/chip.tsx'
import { OUTCOME_LOOKS } from '../../components/outcome-look.ts'
import { QuestionLine } from '../../components/question.tsx'
import { RiskText } from '../../components/risk.tsx'
import { UntrustedLines } from '../../components/untrusted-text.tsx'
import { OUTCOME_WORDS, outcomeKind } from '../../lib/approval/outcome-kind.ts'
import { rich } from '../../lib/language/rich.ts'
import { msg, plural, say, t, tell } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { clock, exact } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'
import { Workflow } from '../card/workflow.tsx'

const REPORTS = {
  progress: [msg('Progress'), CircleDot],
  complete: [msg('Reported complete'), CircleCheck],
  error: [msg('Reported an error'), CircleX],
} as const

/** One run of a workflow. `id` is any approval that it asked for. */
export function RunPage({ id }: { id: string }) {
  const { data: run, error } = useQuery(runQuery(id))
  useEffect(() => {
    document.title = `${run ? `${visibleText(run.id)} · ` : ''}${t('Workflow run')} · Countersign`
  }, [run])
  if (run === undefined) {
    const words =
      error instanceof Refused && error.status === 404
        ? t('There is no such run.')
        : errorMessage(error)
    return (
      <main className="grid place-content-center px-6 text-ink-2">
        {error ? words : t('Loading the run.')}
      </main>
    )
  }
  return (
    <main className="relative min-w-0 overflow-auto bg-canvas">
      <div className="mx-auto grid max-w-[1240px] grid-cols-[minmax(0,1fr)] content-start gap-3.5 px-8 pt-5 pb-10 max-desk:px-3 max-desk:pt-3.5">
        <Head run={run} approval={id} />
        <Asked run={run} />
        <Reported run={run} />
      </div>
    </main>
  )
}

function Head({ run, approval }: { run: Run; approval: string }) {
  const { id, engine, agent, principal, reports } = run
  // What was reported before it went on is below, and no longer how it stands.
  const last = reports.at(-1)
  return (
    <header className="grid gap-1">
      <p className="flex items-center gap-1 text-ink-3">
        <Link
          href={`/history/${encodeURIComponent(approval)}`}
          className="rounded-xs hover:underline max-desk:py-2"
        >
          {t('History')}
        </Link>
        <ChevronRight size={12} aria-hidden="true" />
        <span>{t('Workflow run')}</span>
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <h1 className="min-w-0 flex-1 text-xl tracking-tight wrap-anywhere">
          <code className="text-lg">{visibleText(id)}</code>
        </h1>
        {last && last.type !== 'progress' && <ReportChip report={last} />}
      </div>
      <p className="wrap-anywhere text-ink-2">
        {rich('on {engine}, by {agent}', {
          engine: visibleText(engine),
          agent: <code>{visibleText(agent)}</code>,
        })}
        {principal !== undefined && (
          <> {rich('for {principal}', { principal: visibleText(principal) })}</>
        )}
      </p>
    </header>
  )
}

/** In no colour: nothing here knows whether it is true. */
function ReportChip({ report: { type } }: { report: WireReport }) {
  const [words, icon] = REPORTS[type]
  return <Chip icon={icon}>{say(words)}</Chip>
}

function Asked({ run: { approvals, isPartial } }: { run: Run }) {
  const waiting = approvals.filter(({ status }) => status === 'pending').length
  return (
    <section className="frame" aria-labelledby="asked">
      <header className="flex flex-wrap items-baseline gap-x-3 border-b border-line px-4 py-2.5 max-desk:px-3">
        <h2 id="asked" className="text-md">
          {t('What it asked')}
        </h2>
        <span className="text-ink-3">
          {plural(approvals.length, '{n} question', '{n} questions')}
          {waiting > 0 && `, ${plural(waiting, '{n} waits', '{n} wait')}`}
        </span>
      </header>
      <ul className="divide-y divide-line">
        {approvals.map((row) => (
          <AskedRow key={row.id} row={row} />
        ))}
      </ul>
      {isPartial && (
        <p className="border-t border-line px-4 py-2.5 text-ink-3 max-desk:px-3">
          {t('It may have asked more than is listed here.')}
        </p>
      )}
    </section>
  )
}

function AskedRow({ row }: { row: ApprovalRow }) {
  const kind = outcomeKind(row)
  const { tone, icon } = OUTCOME_LOOKS[kind]
  const isOpen = row.status === 'pending'
  const at = encodeURIComponent(row.id)
  return (
    <li>
      <Link
        href={isOpen ? `/approvals/${at}` : `/history/${at}`}
        className="flex items-center gap-3 px-4 py-2.5 hover:bg-hover max-desk:px-3"
      >
        <span className="min-w-0 flex-1">
          <span className="flex flex-wrap items-center gap-x-2.5">
            <code className="wrap-anywhere">
              {row.server !== undefined && `${visibleText(row.server)}/`}
              <b>{visibleText(row.tool)}</b>
            </code>
            <RiskText risk={row.risk} guessed={row.riskGuessed} />
          </span>
          <span className="block truncate text-ink-2">
            <QuestionLine parts={summaryOf(row, tell)} />
          </span>
        </span>
        <span className="grid justify-items-end gap-0.5">
          <Chip tone={tone} icon={icon}>
            {say(OUTCOME_WORDS[kind])}
          </Chip>
          <span className="text-xs text-ink-3 tabular-nums">
            {isOpen
              ? rich('decide by {time}', { time: clock(row.decideBy, serverNow(), false) })
              : rich('asked {time}', { time: clock(row.askedAt, serverNow()) })}
          </span>
        </span>
        <ChevronRight size={16} className="flex-none text-ink-3" aria-hidden="true" />
      </Link>
    </li>
  )
}

/** The workflow's words, below everything that is on record. */
function Reported({ run: { reports, workflow } }: { run: Run }) {
  return (
    <section className="claimed rounded-md max-desk:px-3" aria-labelledby="reported">
      <header className="flex flex-wrap items-center gap-x-2.5">
        <h2 id="reported" className="flex items-center gap-[7px] text-sm text-claim-ink">
          <Quote size={15} aria-hidden="true" />
          {t('Reported by the workflow')}
        </h2>
        <span className="text-ink-3">
          {t('Not checked. Plain text, as the workflow wrote it.')}
        </span>
      </header>
      {workflow && <Workflow workflow={workflow} run={undefined} />}
      {reports.length === 0 ? (
        <p className="mt-2 text-ink-3">{t('It has reported nothing.')}</p>
      ) : (
        <ol className="mt-2 grid gap-2.5">
          {reports.map((report, at) => (
            <Report key={`${at} ${report.at}`} report={report} />
          ))}
        </ol>
      )}
    </section>
  )
}

function Report({ report }: { report: WireReport }) {
  const { type, at } = report
  const [words, Icon] = REPORTS[type]
  const text = reportWords(report)
  return (
    <li className="grid grid-cols-[18px_minmax(0,1fr)_auto] items-start gap-x-2 max-desk:grid-cols-[18px_minmax(0,1fr)]">
      <Icon
        size={15}
        className={`mt-0.5 ${type === 'error' ? 'text-bad' : 'text-ink-3'}`}
        aria-hidden="true"
      />
      <div className="min-w-0">
        <h3 className="text-sm">{say(words)}</h3>
        {text !== '' && (
          <blockquote className="border-l-2 border-claim-line pl-2.5 wrap-anywhere">
            <UntrustedLines text={text} />
          </blockquote>
        )}
      </div>
      <time
        dateTime={new Date(at).toISOString()}
        className="text-xs text-ink-3 tabular-nums max-desk:col-start-2"
      >
        {exact(at)}
      </time>
    </li>
  )
}
