import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Bookmark, Download } from 'lucide-react'
import { Suspense, useEffect, useState } from 'react'
import { useSearchParams } from 'wouter'
import type { ApprovalSummary } from '../../../../src/api/history/history.ts'
import {
  type HistoryFilter,
  historyQuery,
  summaryQuery,
  useExportHistory,
} from '../../api/history.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Figures } from '../../components/figures.tsx'
import { Loaded, Page } from '../../components/page.tsx'
import { useDebounced } from '../../lib/hooks/use-debounced.ts'
import { number } from '../../lib/language/language.ts'
import { plural, t } from '../../lib/language/t.ts'
import { lazy } from '../../lib/lazy.tsx'
import { took } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'
import { type Asked, isNarrowed, readFilter, requestOf, writeFilter } from './history-filter.ts'
import { HistoryFilters } from './history-filters.tsx'
import { HistoryTable } from './history-table.tsx'

const ViewsDialog = lazy(() => import('../views/views-dialog.tsx'), 'ViewsDialog')

export function HistoryPage() {
  const [params, setParams] = useSearchParams()
  const asked = readFilter(params)
  // Typed here first: an address that changes with every letter loses some of them.
  const [typed, setTyped] = useState(asked.q)
  const q = useDebounced(typed, 200)
  // A saved view or the palette brings another search: the field follows it.
  const [inAddress, setInAddress] = useState(asked.q)
  if (asked.q !== inAddress) {
    setInAddress(asked.q)
    if (asked.q !== q) setTyped(asked.q)
  }
  const ask = (changed: Partial<Asked>) => {
    if (changed.q !== undefined) setTyped(changed.q)
    else setParams(writeFilter({ ...asked, ...changed }), { replace: true })
  }
  useEffect(() => {
    setParams((now) => writeFilter({ ...readFilter(now), q }), { replace: true })
  }, [q, setParams])
  const filter = requestOf(asked, serverNow())
  const { agent: _, tool: __, server: ___, person: ____, ...wide } = filter
  const { data: summary } = useQuery(summaryQuery(filter))
  const { data: names } = useQuery(summaryQuery(wide))
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    historyQuery(filter, asked.sort),
  )
  return (
    <Page
      title={t('History')}
      says={t('Every call that asked for a decision, and what became of it.')}
      aside={
        <span className="flex flex-wrap gap-2">
          <Views query={writeFilter(asked).toString()} />
          <Exports filter={filter} />
        </span>
      }
    >
      {summary && <Numbers summary={summary} />}
      <HistoryFilters
        asked={{ ...asked, q: typed }}
        onAsk={ask}
        onClear={() => {
          setTyped('')
          setParams(new URLSearchParams(), { replace: true })
        }}
        names={names}
      />
      <Loaded data={data} error={error}>
        {({ pages }) => {
          const rows = pages.flatMap(({ approvals }) => approvals)
          return rows.length === 0 && !hasNextPage ? (
            <p className="py-10 text-center text-ink-2">{emptyWords(asked)}</p>
          ) : (
            <HistoryTable rows={rows} sort={asked.sort} onSort={(sort) => ask({ sort })} />
          )
        }}
      </Loaded>
      {hasNextPage && (
        <button
          type="button"
          className="btn justify-self-center"
          disabled={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {data?.pages.at(-1)?.approvals.length === 0 ? t('Look further') : t('Show more')}
        </button>
      )}
    </Page>
  )
}

function Views({ query }: { query: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" className="btn" onClick={() => setOpen(true)}>
        <Bookmark size={14} aria-hidden="true" />
        {t('Views')}
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <ViewsDialog
            title={t('Saved views')}
            page="history"
            query={query}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  )
}

function emptyWords(asked: Asked): string {
  if (asked.outcome === 'unknown') return t('Every call that ran has an outcome.')
  return isNarrowed(asked) ? t('No call matches.') : t('Nothing was decided yet.')
}

/** Of what the list below holds. Where only the newest were counted, every number says so. */
function Numbers({ summary }: { summary: ApprovalSummary }) {
  const { asked, approved, denied, expired, medianMs, decided, unknown, byGrant, edited } = summary
  const of = [
    ...(byGrant === 0 ? [] : [t('{byGrant} by a grant', { byGrant: number(byGrant) })]),
    ...(edited === 0 ? [] : [t('{edited} edited', { edited: number(edited) })]),
  ].join(', ')
  return (
    <Figures
      label={t('Numbers of these calls')}
      figures={[
        {
          name: t('Asked'),
          value: number(asked),
          of: summary.partial ? t('the newest that match') : undefined,
        },
        {
          name: t('Approved'),
          value: number(approved),
          of: of === '' ? undefined : of,
          isMinor: true,
        },
        { name: t('Denied'), value: number(denied) },
        { name: t('Expired'), value: number(expired) },
        {
          name: t('Median time to decide'),
          value: medianMs === undefined ? '–' : took(medianMs),
          of:
            decided === 0
              ? t('no person decided one')
              : plural(decided, 'of {n} decision', 'of {n} decisions'),
          isMinor: true,
        },
        ...(unknown === 0
          ? []
          : [{ name: t('Outcome unknown'), value: number(unknown), isOpen: true }]),
      ]}
    />
  )
}

function Exports({ filter }: { filter: HistoryFilter }) {
  const { mutate, isPending, error } = useExportHistory(filter)
  return (
    <div className="grid justify-items-end gap-1 max-desk:justify-items-start">
      <fieldset className="flex items-center gap-2">
        <legend className="sr-only">{t('Export what matches')}</legend>
        {(['csv', 'jsonl'] as const).map((format) => (
          <button
            key={format}
            type="button"
            className="btn"
            disabled={isPending}
            onClick={() => mutate(format)}
          >
            <Download size={16} aria-hidden="true" />
            <span className="sr-only">{t('Export')} </span>
            {format.toUpperCase()}
          </button>
        ))}
      </fieldset>
      <ErrorMessage error={error} />
    </div>
  )
}
