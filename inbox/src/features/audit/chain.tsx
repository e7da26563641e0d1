import { useQuery } from '@tanstack/react-query'
import { BadgeCheck, CircleHelp, Download, OctagonX } from 'lucide-react'
import type { ChainReport } from '../../../../src/api/audit.ts'
import { chainQuery, useCheckChain, useExportAudit } from '../../api/audit.ts'
import { lastError } from '../../api/query-client.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { number } from '../../lib/language/language.ts'
import { rich } from '../../lib/language/rich.ts'
import { plural, t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { clock, took } from '../../lib/time/clock.ts'

/** Whether the record holds, as this server found it, and how to find it without this server. */
export function Chain() {
  const { data } = useQuery(chainQuery)
  const check = useCheckChain()
  const save = useExportAudit()
  const busy = check.isPending || save.isPending
  const report = data?.report
  return (
    <aside className="grid content-start gap-3.5">
      <section
        aria-label={t('The chain')}
        className={`frame grid gap-2 px-4 pt-3 pb-3.5 ${report === undefined ? '' : report.ok ? 'border-good-line' : 'border-bad-line'}`}
      >
        <h2 className="flex items-center gap-2 text-sm">
          {report === undefined ? (
            <>
              <CircleHelp size={16} className="flex-none text-ink-3" aria-hidden="true" />
              {t('Not checked since the server started')}
            </>
          ) : report.ok ? (
            <>
              <BadgeCheck size={16} className="flex-none text-good" aria-hidden="true" />
              <span className="text-good">{t('The chain holds')}</span>
            </>
          ) : (
            <>
              <OctagonX size={16} className="flex-none text-bad" aria-hidden="true" />
              <span className="text-bad">{t('The chain is broken')}</span>
            </>
          )}
        </h2>
        <div role="status" className="grid gap-2">
          {report !== undefined && <Report report={report} now={data?.now ?? 0} />}
        </div>
        <ErrorMessage error={lastError(check, save)} inline />
        <button
          type="button"
          className="btn btn-small justify-self-start"
          disabled={busy}
          onClick={() => check.mutate()}
        >
          {check.isPending
            ? t('Checking…')
            : report === undefined
              ? t('Check now')
              : t('Check again')}
        </button>
      </section>
      <section aria-label={t('Check it yourself')} className="frame grid gap-2 px-4 pt-3 pb-3.5">
        <h2 className="text-sm">{t('Check it yourself')}</h2>
        <p className="text-ink-2">{t('Works offline, without trusting this server.')}</p>
        <code className="grid rounded-md bg-sunken px-3 py-2 wrap-anywhere">
          <span>countersign audit export --out audit.jsonl</span>
          <span>countersign audit verify audit.jsonl</span>
        </code>
        <button
          type="button"
          className="btn btn-small justify-self-start"
          disabled={busy}
          onClick={() => save.mutate()}
        >
          <Download size={14} aria-hidden="true" /> {t('Export the record')}
        </button>
        <p className="text-xs text-ink-3">
          {rich('Ids, codes and digests. Arguments and reasons are in it only with {code}.', {
            code: <code>--content</code>,
          })}
        </p>
      </section>
    </aside>
  )
}

function Report({ report, now }: { report: ChainReport; now: number }) {
  const { ok, problem, entries, writers, checkpoints, checkpointAt, uncovered } = report
  const facts: readonly (readonly [string, string])[] = [
    [t('Chains'), String(writers)],
    [t('Checkpoints'), String(checkpoints)],
    ...(checkpointAt === undefined ? [] : [[t('Signed'), clock(checkpointAt, now)] as const]),
    [t('Not signed yet'), plural(uncovered, '{n} entry', '{n} entries')],
    [
      t('Checked'),
      t('{time}, in {span}', { time: clock(report.checkedAt, now), span: took(report.tookMs) }),
    ],
  ]
  return (
    <>
      {ok ? (
        <p className="text-ink-2">
          {rich('Verified: all {entries} entries, every hash and signature', {
            entries: number(entries),
          })}
          {checkpointAt === undefined
            ? t('. No checkpoint was signed yet.')
            : t(', signed up to {time}.', { time: clock(checkpointAt, now) })}
        </p>
      ) : (
        <p className="wrap-anywhere text-bad">
          {visibleText(`${problem?.place ?? ''}: ${problem?.message ?? ''}.`)}{' '}
          {visibleText(problem?.hint ?? '')}
        </p>
      )}
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 text-xs leading-[18px]">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-3">{name}</dt>
            <dd className="text-right wrap-anywhere text-ink-2 tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}
