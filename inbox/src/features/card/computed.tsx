import { BadgeCheck, ChevronDown, Copy, TriangleAlert } from 'lucide-react'
import { type ReactNode, type RefObject, useState } from 'react'
import { Link } from 'wouter'
import type { ApprovalCard } from '../../../../src/api/approval.ts'
import type { WirePerson } from '../../../../src/api/common.ts'
import type { Remark } from '../../../../src/base/deception/remarks.ts'
import { workflowRun } from '../../../../src/base/workflow-run.ts'
import { digestGroups, shortDigest } from '../../lib/arguments/digest.ts'
import { parseArguments, remarksOn, rowsOf } from '../../lib/arguments/values.ts'
import { rich } from '../../lib/language/rich.ts'
import { msg, say, t } from '../../lib/language/t.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { clock, span } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'
import { Arguments } from './arguments/arguments.tsx'
import { Facts } from './facts.tsx'

interface ComputedProps {
  readonly card: ApprovalCard
  /** The arguments that this person read before they were edited. */
  readonly before?: string | undefined
  readonly me: WirePerson | undefined
  /** Not confirmed by the server since this moment. */
  readonly staleSince?: number | undefined
  readonly block?: RefObject<HTMLElement | null>
  readonly onEdit?: (() => void) | undefined
}

const BYTES = {
  next: msg('from the exact bytes that will run'),
  past: msg('from the exact bytes that ran'),
  never: msg('from the exact bytes that were asked about'),
} as const

/** A call whose outcome is not known may have run or not: what was asked about is true of both. */
function bytesOf({ status, execution }: ApprovalCard): keyof typeof BYTES {
  if (execution === 'succeeded' || execution === 'failed') return 'past'
  const isOpen = status === 'pending' || status === 'approved'
  return isOpen && execution === undefined ? 'next' : 'never'
}

/** What Countersign knows by itself, from the bytes of the call. Nothing in it is claimed. */
export function Computed({ card, before, me, staleSince, block, onEdit }: ComputedProps) {
  const rows = rowsOf(parseArguments(card.arguments) ?? {}, card.masked)
  const remarks = rows.flatMap((row) => (row.masked ? [] : remarksOn(row.keys, row.value)))
  return (
    <section
      ref={block}
      aria-labelledby={`computed-${card.id}`}
      className={`ledger frame relative ${staleSince === undefined ? '' : 'border-dashed before:grayscale'}`}
    >
      <Head card={card} staleSince={staleSince} />
      <Alerts remarks={remarks} />
      {/* A table needs the width; what is beside other arguments then stands below. */}
      <div className="group/block grid grid-cols-[minmax(0,1fr)_276px] has-data-table:grid-cols-1 max-wide:grid-cols-1">
        <Arguments card={card} rows={rows} remarks={remarks} before={before} onEdit={onEdit} />
        <Facts card={card} me={me} />
      </div>
      <Clocks card={card} />
    </section>
  )
}

function Head({ card, staleSince }: Pick<ComputedProps, 'card' | 'staleSince'>) {
  const [open, setOpen] = useState(false)
  useShortcuts({ v: () => setOpen(!open) })
  return (
    <>
      <header className="flex items-center gap-x-2.5 border-b border-line py-2 pr-2.5 pl-4 max-wide:flex-wrap max-desk:pl-3">
        <BadgeCheck size={16} className="flex-none text-accent" aria-hidden="true" />
        <h3 id={`computed-${card.id}`} className="-ml-1 whitespace-nowrap">
          {t('Computed by Countersign')}
        </h3>
        <span className="truncate text-ink-3 max-wide:hidden">
          {staleSince === undefined
            ? say(BYTES[bytesOf(card)])
            : t('as of {time}', { time: clock(staleSince, Date.now()) })}
        </span>
        <span className="flex-1" />
        <button
          type="button"
          className="inline-flex h-[26px] items-center gap-1.5 rounded-sm px-2 whitespace-nowrap text-ink-2 hover:bg-hover max-wide:ml-3.5 max-desk:h-8"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <span className="text-xs text-ink-3 max-wide:hidden">{t('sha256')}</span>
          <code>{shortDigest(card.digest)}</code>
          <span className="sr-only">{t('Show the whole digest')}</span>
          <ChevronDown size={14} className={open ? 'rotate-180' : ''} aria-hidden="true" />
        </button>
      </header>
      {open && (
        <div className="flex items-center gap-3 border-b border-line bg-sunken px-4 py-2">
          <code className="flex flex-1 flex-wrap gap-x-2.5">
            {digestGroups(card.digest).map((group, at) => (
              <span key={at}>{group}</span>
            ))}
          </code>
          <button
            type="button"
            className="link"
            onClick={() => {
              navigator.clipboard?.writeText(card.digest).catch(() => {})
            }}
          >
            <Copy size={14} aria-hidden="true" />
            {t('Copy')}
          </button>
        </div>
      )}
    </>
  )
}

/** One line for each kind of trick, the worst first. */
function Alerts({ remarks }: { remarks: readonly Remark[] }) {
  const alerts = remarks
    .filter(({ alert }) => alert !== undefined)
    .sort((a, b) => Number(b.tone === 'bad') - Number(a.tone === 'bad'))
  return alerts.map(({ alert, tone, code, keys }) => (
    <div
      key={`${keys.join('.')} ${alert?.title} ${code}`}
      className={`flex items-start gap-[9px] border-b px-4 py-2 max-desk:px-3 ${
        tone === 'bad' ? 'border-bad-line bg-bad-soft' : 'border-warn-line bg-warn-soft'
      }`}
    >
      <TriangleAlert
        size={16}
        className={`mt-0.5 flex-none ${tone === 'bad' ? 'text-bad' : 'text-warn'}`}
        aria-hidden="true"
      />
      <p className="wrap-anywhere">
        <b className={tone === 'bad' ? 'text-bad' : 'text-warn'}>{alert?.title}.</b> {alert?.text}{' '}
        {code !== undefined &&
          rich('Really {code}', { code: <code className="inline-block">{code}</code> })}
      </p>
    </div>
  ))
}

/** The engine and the id of a workflow's run are read more easily apart. */
function runCell({ id, run }: ApprovalCard): readonly [string, ReactNode] | undefined {
  const workflow = workflowRun(run)
  if (workflow) {
    return [
      t('Workflow run, {engine}', { engine: workflow.engine }),
      <Link key={id} href={`/runs/${encodeURIComponent(id)}`} className="link">
        {visibleText(workflow.id)}
      </Link>,
    ]
  }
  return run === undefined ? undefined : [t('Run'), visibleText(run)]
}

function Clocks({ card }: { card: ApprovalCard }) {
  const now = serverNow()
  const { askedAt, decideBy, terms, useBy, status, execution } = card
  const ofRun = runCell(card)
  const cells: readonly (readonly [string, ReactNode])[] = [
    [t('Asked'), clock(askedAt, now)],
    [t('Decide by'), clock(decideBy, now)],
    useBy === undefined || status !== 'approved' || execution !== undefined
      ? [t('A yes lasts'), span(terms.useBy)]
      : [t('Use it by'), clock(useBy, now)],
    ...(ofRun ? [ofRun] : []),
  ]
  return (
    <dl className="grid grid-cols-[repeat(3,auto)_minmax(0,1fr)] border-t border-line max-wide:grid-cols-2">
      {cells.map(([name, value]) => (
        <div
          key={name}
          className="min-w-[118px] border-line px-4 pt-[7px] pb-2 leading-[17px] not-first:border-l max-wide:odd:border-l-0 max-wide:nth-[n+3]:border-t max-desk:px-3"
        >
          <dt className="text-xs text-ink-3">{name}</dt>
          <dd className="wrap-anywhere tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
