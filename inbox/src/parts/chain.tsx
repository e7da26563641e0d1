import { useQuery, useQueryClient } from '@tanstack/react-query'
import { BadgeCheck, CircleHelp, Download, OctagonX } from 'lucide-react'
import { useState } from 'react'
import type { ChainReport } from '../../../src/api/audit.ts'
import { checkChain, exportAudit, getChain, sentenceOf } from '../api.ts'
import { clock, took } from '../text/clock.ts'
import { visibleText } from '../text/unseen.ts'

/** Whether the record holds, as this server found it, and how to find it without this server. */
export function Chain() {
  const queries = useQueryClient()
  const { data } = useQuery({ queryKey: ['chain'], queryFn: getChain })
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')
  const during = async (act: () => Promise<unknown>) => {
    setBusy(true)
    setProblem('')
    try {
      await act()
    } catch (error) {
      setProblem(sentenceOf(error))
    }
    setBusy(false)
  }
  const report = data?.report
  return (
    <aside className="grid content-start gap-3.5">
      <section
        aria-label="The chain"
        className={`frame grid gap-2 px-4 pt-3 pb-3.5 ${report === undefined ? '' : report.ok ? 'border-good-line' : 'border-bad-line'}`}
      >
        <h2 className="flex items-center gap-2 text-sm">
          {report === undefined ? (
            <>
              <CircleHelp size={16} className="flex-none text-ink-3" aria-hidden="true" />
              Not checked since the server started
            </>
          ) : report.ok ? (
            <>
              <BadgeCheck size={16} className="flex-none text-good" aria-hidden="true" />
              <span className="text-good">The chain holds</span>
            </>
          ) : (
            <>
              <OctagonX size={16} className="flex-none text-bad" aria-hidden="true" />
              <span className="text-bad">The chain is broken</span>
            </>
          )}
        </h2>
        <div role="status" className="grid gap-2">
          {report !== undefined && <Report report={report} now={data?.now ?? 0} />}
        </div>
        {problem !== '' && (
          <p role="alert" className="text-bad">
            {problem}
          </p>
        )}
        <button
          type="button"
          className="btn btn-small justify-self-start"
          disabled={busy}
          onClick={() =>
            void during(async () => {
              queries.setQueryData(['chain'], await checkChain())
            })
          }
        >
          {busy ? 'Checking…' : report === undefined ? 'Check now' : 'Check again'}
        </button>
      </section>
      <section aria-label="Check it yourself" className="frame grid gap-2 px-4 pt-3 pb-3.5">
        <h2 className="text-sm">Check it yourself</h2>
        <p className="text-ink-2">Works offline, without trusting this server.</p>
        <code className="grid rounded-md bg-sunken px-3 py-2 wrap-anywhere">
          <span>countersign audit export --out audit.jsonl</span>
          <span>countersign audit verify audit.jsonl</span>
        </code>
        <button
          type="button"
          className="btn btn-small justify-self-start"
          disabled={busy}
          onClick={() => void during(exportAudit)}
        >
          <Download size={14} aria-hidden="true" /> Export the record
        </button>
        <p className="text-xs text-ink-3">
          Ids, codes and digests. Arguments and reasons are in it only with <code>--content</code>.
        </p>
      </section>
    </aside>
  )
}

function Report({ report, now }: { report: ChainReport; now: number }) {
  const { ok, problem, entries, writers, checkpoints, checkpointAt, uncovered } = report
  const facts: readonly (readonly [string, string])[] = [
    ['Chains', String(writers)],
    ['Checkpoints', String(checkpoints)],
    ...(checkpointAt === undefined ? [] : [['Signed', clock(checkpointAt, now)] as const]),
    [
      'Not signed yet',
      uncovered === 1 ? '1 entry' : `${uncovered.toLocaleString('en-US')} entries`,
    ],
    ['Checked', `${clock(report.checkedAt, now)}, in ${took(report.tookMs)}`],
  ]
  return (
    <>
      {ok ? (
        <p className="text-ink-2">
          Verified: all {entries.toLocaleString('en-US')} entries, every hash and signature
          {checkpointAt === undefined
            ? '. No checkpoint was signed yet.'
            : `, signed up to ${clock(checkpointAt, now)}.`}
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
