import { ListFilter, Search, X } from 'lucide-react'
import { Suspense, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { ApprovalRow } from '../../../../src/api/approval.ts'
import { number } from '../../lib/language/language.ts'
import { msg, say, t } from '../../lib/language/t.ts'
import { lazy } from '../../lib/lazy.tsx'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { isFiltered, type ListView } from './list-view.ts'

// Menus load after the first paint: they are a third of all code and not needed at once.
const FilterMenu = lazy(() => import('./filter-menu.tsx'), 'FilterMenu')
const FilterLine = lazy(() => import('./filter-line.tsx'), 'FilterLine')
const ListViews = lazy(() => import('./list-views.tsx'), 'ListViews')

const WHOSE = [
  ['mine', msg('Needs you')],
  ['others', msg('Others')],
  ['all', msg('All')],
] as const

interface ListHeadProps {
  readonly view: ListView
  readonly counts: { readonly mine: number; readonly others: number } | undefined
  /** How many the filters leave out. */
  readonly hidden: number
  /** Before the filters. */
  readonly rows: readonly ApprovalRow[]
  readonly searching: boolean
  readonly onChange: (change: Partial<ListView>) => void
  readonly onSearch: (open: boolean) => void
}

export function ListHead(props: ListHeadProps) {
  const { view, counts, hidden, rows, searching, onChange, onSearch } = props
  const [isChoosing, setChoosing] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const open = () => {
    // At once: letters typed right after must land in the field, where they decide nothing.
    flushSync(() => onSearch(true))
    field.current?.focus()
  }
  const close = () => {
    onSearch(false)
    onChange({ find: '' })
  }
  useShortcuts({ '/': open })
  const total = counts === undefined ? undefined : counts.mine + counts.others
  return (
    <header>
      {isChoosing && (
        <Suspense fallback={null}>
          <ListViews
            view={view}
            rows={rows}
            onChange={onChange}
            onClose={() => setChoosing(false)}
          />
        </Suspense>
      )}
      <div className="flex items-center gap-2 pt-3.5 pr-3 pb-2 pl-5 max-desk:pl-4">
        <h1 className="text-lg tracking-tight max-desk:text-[22px]">{t('Inbox')}</h1>
        {total !== undefined && (
          <span className="pt-0.5 text-ink-3">
            {t('{total} waiting', { total: number(total) })}
          </span>
        )}
        <span className="flex-1" />
        <button
          type="button"
          className="icon-btn"
          aria-label={t('Search')}
          aria-expanded={searching}
          onClick={() => (searching ? close() : open())}
        >
          <Search size={16} aria-hidden="true" />
        </button>
        <Suspense
          fallback={
            <span className="icon-btn">
              <ListFilter size={16} aria-hidden="true" />
            </span>
          }
        >
          <FilterMenu view={view} onChange={onChange} onMore={() => setChoosing(true)} />
        </Suspense>
      </div>
      {searching && (
        <div className="relative mx-4 mb-2.5">
          <input
            ref={field}
            type="search"
            className="field w-full pr-9 [&::-webkit-search-cancel-button]:hidden max-desk:h-11"
            aria-label={t('Search the calls that wait')}
            placeholder={t('Tool, server, agent, person or text')}
            value={view.find}
            onChange={({ target }) => onChange({ find: target.value })}
            onKeyDown={({ key }) => {
              if (key === 'Escape') close()
            }}
          />
          <button
            type="button"
            className="absolute top-1 right-1 grid size-6 place-items-center rounded-sm text-ink-3 hover:text-ink max-desk:size-9"
            aria-label={t('Clear the search')}
            onClick={close}
          >
            <X size={14} aria-hidden="true" />
          </button>
        </div>
      )}
      <fieldset className="seg mx-4 mb-2.5 flex">
        <legend className="sr-only">{t('Which calls')}</legend>
        {WHOSE.map(([whose, word]) => (
          <button
            key={whose}
            type="button"
            aria-pressed={view.whose === whose}
            className="flex-1"
            onClick={() => onChange({ whose })}
          >
            {say(word)}
            {counts !== undefined && whose !== 'all' && (
              <span className="font-medium text-ink-3 tabular-nums">{counts[whose]}</span>
            )}
          </button>
        ))}
      </fieldset>
      {isFiltered(view) && (
        <Suspense fallback={<p className="h-7" />}>
          <FilterLine view={view} hidden={hidden} onChange={onChange} />
        </Suspense>
      )}
    </header>
  )
}
