import { ListFilter, Search, X } from 'lucide-react'
import { lazy, Suspense, useRef } from 'react'
import { flushSync } from 'react-dom'
import type { ListRequest } from '../../api/approvals.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { ORDER_WORDS } from './list-model.ts'

// Menus load after the first paint: they are a third of all code and not needed at once.
const FilterMenu = lazy(async () => ({ default: (await import('./filter-menu.tsx')).FilterMenu }))

export interface ListView {
  readonly order: ListRequest['order']
  readonly whose: 'mine' | 'others' | 'all'
  readonly from: 0 | 2 | 3 | 4
  readonly find: string
}

export const FIRST_VIEW: ListView = { order: 'risk', whose: 'mine', from: 0, find: '' }

const WHOSE = [
  ['mine', 'Needs you'],
  ['others', 'Others'],
  ['all', 'All'],
] as const

interface ListHeadProps {
  readonly view: ListView
  readonly counts: { readonly mine: number; readonly others: number } | undefined
  /** How many the filter by risk leaves out. */
  readonly hidden: number
  readonly searching: boolean
  readonly onChange: (change: Partial<ListView>) => void
  readonly onSearch: (open: boolean) => void
}

export function ListHead({ view, counts, hidden, searching, onChange, onSearch }: ListHeadProps) {
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
      <div className="flex items-center gap-2 pt-3.5 pr-3 pb-2 pl-5 max-desk:pl-4">
        <h1 className="text-lg tracking-tight max-desk:text-[22px]">Inbox</h1>
        {total !== undefined && (
          <span className="pt-0.5 text-ink-3">{total.toLocaleString('en-US')} waiting</span>
        )}
        <span className="flex-1" />
        <button
          type="button"
          className="icon-btn"
          aria-label="Search"
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
          <FilterMenu view={view} onChange={onChange} />
        </Suspense>
      </div>
      {searching && (
        <div className="relative mx-4 mb-2.5">
          <input
            ref={field}
            type="search"
            className="field w-full pr-9 [&::-webkit-search-cancel-button]:hidden max-desk:h-11"
            aria-label="Search the calls that wait"
            placeholder="Tool, server, agent, person or text"
            value={view.find}
            onChange={({ target }) => onChange({ find: target.value })}
            onKeyDown={({ key }) => {
              if (key === 'Escape') close()
            }}
          />
          <button
            type="button"
            className="absolute top-1 right-1 grid size-6 place-items-center rounded-sm text-ink-3 hover:text-ink max-desk:size-9"
            aria-label="Clear the search"
            onClick={close}
          >
            <X size={14} aria-hidden="true" />
          </button>
        </div>
      )}
      <fieldset className="seg mx-4 mb-2.5 flex">
        <legend className="sr-only">Which calls</legend>
        {WHOSE.map(([whose, word]) => (
          <button
            key={whose}
            type="button"
            aria-pressed={view.whose === whose}
            className="flex-1"
            onClick={() => onChange({ whose })}
          >
            {word}
            {counts !== undefined && whose !== 'all' && (
              <span className="font-medium text-ink-3 tabular-nums">{counts[whose]}</span>
            )}
          </button>
        ))}
      </fieldset>
      {(view.from > 0 || view.order !== 'risk') && (
        <p
          data-filter=""
          className="flex flex-wrap items-center gap-x-2 border-t border-accent-line bg-accent-soft py-1 pr-3 pl-5 text-xs text-accent max-desk:pl-4"
        >
          <span>
            {[
              ...(view.from > 0 ? [`L${view.from} and up, ${hidden} hidden`] : []),
              ...(view.order === 'risk' ? [] : [ORDER_WORDS[view.order].toLowerCase()]),
            ].join(' · ')}
          </span>
          <span className="flex-1" />
          <button
            type="button"
            className="link"
            onClick={() => onChange({ from: FIRST_VIEW.from, order: FIRST_VIEW.order })}
          >
            Clear
          </button>
        </p>
      )}
    </header>
  )
}
