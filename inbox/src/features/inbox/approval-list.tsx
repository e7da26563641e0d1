import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import type { ApprovalRow } from '../../../../src/api/approval.ts'
import { MOST_ROWS, type Pending } from '../../api/approvals.ts'
import { KeyCap } from '../../components/key-cap.tsx'
import { useNarrow } from '../../lib/hooks/use-narrow.ts'
import { number } from '../../lib/language/language.ts'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { serverNow } from '../../lib/time/server-time.ts'
import { ROW_HEIGHT, ROW_HEIGHT_NARROW, Row } from './approval-row.tsx'
import { ListHead } from './list-head.tsx'
import { announcement, type Item } from './list-model.ts'
import { FIRST_VIEW, fits, isFiltered, isWhose, type ListView } from './list-view.ts'
import { useStableList } from './use-stable-list.ts'
import { useVisibleRows } from './use-visible-rows.ts'

interface ListProps {
  readonly pending: Pending | undefined
  /** They were found for the view before this one. */
  readonly isOld: boolean
  readonly view: ListView
  readonly selected: string | undefined
  readonly picked: ReadonlySet<string>
  /** Picks or unpicks these; without any, nothing is picked any more. */
  readonly onPick: (ids?: readonly string[]) => void
  /** Opens what is picked: on a phone the list covers it. */
  readonly onTogether: () => void
  readonly onView: (change: Partial<ListView>) => void
}

export function List(props: ListProps) {
  const { pending, isOld, view, selected, picked, onPick, onView, onTogether } = props
  const [, navigate] = useLocation()
  const [searching, setSearching] = useState(view.find !== '')
  const [hold, setHold] = useState(false)
  const scroller = useRef<HTMLDivElement>(null)
  const height = useNarrow() ? ROW_HEIGHT_NARROW : ROW_HEIGHT
  const rows = useShown(pending?.rows, view)
  const { items, arrived } = useStableList(rows, JSON.stringify([view, isOld]), hold)
  const { from, to } = useVisibleRows(scroller, items.length, height)
  const at = items.findIndex(({ ids }) => selected !== undefined && ids.includes(selected))
  const spoken = useAnnouncement(pending?.rows)

  const goTo = (index: number) => {
    const item = items[Math.min(Math.max(index, 0), items.length - 1)]
    if (item !== undefined) navigate(`/approvals/${encodeURIComponent(item.row.id)}`)
  }
  const anchor = useRef(-1)
  const pick = (index: number, range: boolean) => {
    const from = range && anchor.current >= 0 ? anchor.current : index
    anchor.current = index
    const span = items.slice(Math.min(from, index), Math.max(from, index) + 1)
    const ids = span.flatMap((item) => (item.settled === undefined ? item.ids : []))
    // A range adds; only one line alone can be taken away again.
    const fresh = range ? ids.filter((id) => !picked.has(id)) : ids
    if (fresh.length > 0) onPick(fresh)
  }
  useShortcuts({
    j: () => goTo(at + 1),
    k: () => goTo(at < 0 ? 0 : at - 1),
    x: ({ shiftKey }) => at >= 0 && pick(at, shiftKey),
  })

  useEffect(() => {
    const box = scroller.current
    if (box === null || at < 0) return
    const top = at * height
    if (top < box.scrollTop) box.scrollTop = top
    else if (top + height > box.scrollTop + box.clientHeight) {
      box.scrollTop = top + height - box.clientHeight
    }
  }, [at, height])

  return (
    <section
      aria-label={t('Waiting for a decision')}
      className="flex min-h-0 flex-col border-r border-line bg-surface max-desk:border-r-0"
    >
      <ListHead
        view={view}
        counts={pending?.counts}
        hidden={hiddenBy(view, pending?.rows, rows.length)}
        rows={pending?.rows ?? NONE}
        searching={searching}
        onChange={onView}
        onSearch={setSearching}
      />
      <div className="relative min-h-0 flex-1 border-t border-line">
        {arrived > 0 && (
          <button
            type="button"
            className="absolute top-2 left-1/2 z-10 h-7 -translate-x-1/2 rounded-full bg-ink px-3 text-xs font-medium text-ink-invert shadow-menu"
            onClick={() => setHold(false)}
          >
            {rich('{arrived} new, show', { arrived })}
          </button>
        )}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the links in it */}
        <div
          ref={scroller}
          className="h-full overflow-auto"
          onPointerEnter={({ pointerType }) => setHold(pointerType === 'mouse')}
          onPointerLeave={() => setHold(false)}
          onKeyDown={moveFocus}
        >
          {pending === undefined ? (
            <Loading height={height} />
          ) : items.length === 0 ? (
            <Nothing
              view={view}
              total={pending.counts.mine + pending.counts.others}
              onView={onView}
            />
          ) : (
            <ul className="relative" style={{ height: items.length * height }}>
              {items.slice(from, to).map((item, index) => (
                <Row
                  key={keyOf(item)}
                  item={item}
                  current={from + index === at}
                  position={from + index}
                  total={items.length}
                  height={height}
                  picked={item.ids.every((id) => picked.has(id))}
                  onPick={pick}
                />
              ))}
            </ul>
          )}
        </div>
      </div>
      {picked.size > 0 && (
        <div
          role="status"
          className="flex h-10 items-center gap-2 border-t border-accent bg-selected pr-4 pl-5 max-desk:h-14"
        >
          <b>{rich('{picked} selected', { picked: picked.size })}</b>
          <span className="text-xs text-ink-3">
            {picked.size === 1 && t('one more to decide together')}
          </span>
          <span className="flex-1" />
          {picked.size > 1 && (
            <button type="button" className="btn desk:hidden" onClick={onTogether}>
              {t('Decide together')}
            </button>
          )}
          <button type="button" className="link" onClick={() => onPick()}>
            {t('Clear')}
          </button>
        </div>
      )}
      <footer className="flex h-9 items-center gap-1 border-t border-line pr-4 pl-5 text-xs text-ink-3 max-desk:hidden">
        <span className="min-w-0 truncate max-wide:hidden">
          {pending?.more ? t('First {most} shown', { most: number(MOST_ROWS) }) : null}
        </span>
        <span className="flex-1" />
        <KeyCap>J</KeyCap>
        <KeyCap>K</KeyCap>
        <span className="mr-2">{t('move')}</span>
        <KeyCap>X</KeyCap>
        <span className="mr-2">{t('select')}</span>
        <KeyCap>/</KeyCap>
        <span className="mr-2">{t('find')}</span>
        <KeyCap>?</KeyCap>
        <span>{t('keys')}</span>
      </footer>
      <p className="sr-only" role="status">
        {spoken}
      </p>
    </section>
  )
}

const keyOf = ({ row, settled }: Item) => (settled ? `settled ${row.id}` : row.id)

/** How many calls of the chosen kind the filters leave out. */
function hiddenBy(view: ListView, rows: readonly ApprovalRow[] = NONE, shown: number): number {
  return rows.filter((row) => isWhose(row, view)).length - shown
}

const NONE: readonly ApprovalRow[] = []

/** What is left after the choices that the server does not make. Same rows in, same rows out. */
function useShown(rows: readonly ApprovalRow[] | undefined, view: ListView) {
  const memory = useRef<{ rows: unknown; view: ListView; out: readonly ApprovalRow[] }>(undefined)
  const old = memory.current
  if (old === undefined || old.rows !== rows || old.view !== view) {
    const out = (rows ?? NONE).filter((row) => fits(row, view, serverNow()))
    memory.current = { rows, view, out }
  }
  return memory.current?.out ?? NONE
}

function useAnnouncement(rows: readonly ApprovalRow[] | undefined): string {
  const known = useRef<ReadonlySet<string>>(undefined)
  const [spoken, setSpoken] = useState('')
  useEffect(() => {
    if (rows === undefined) return
    if (known.current !== undefined) {
      const words = announcement(known.current, rows)
      if (words !== '') setSpoken(words)
    }
    known.current = new Set([...(known.current ?? []), ...rows.map(({ id }) => id)])
  }, [rows])
  return spoken
}

function moveFocus(event: KeyboardEvent<HTMLElement>) {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row]')]
  const at = links.indexOf(document.activeElement as HTMLElement)
  const next = links[at + (event.key === 'ArrowDown' ? 1 : -1)]
  if (at < 0 || next === undefined) return
  event.preventDefault()
  next.focus()
}

function Nothing({
  view,
  total,
  onView,
}: Pick<ListProps, 'view' | 'onView'> & { readonly total: number }) {
  const filtered = view.find !== '' || isFiltered({ ...view, order: FIRST_VIEW.order })
  return (
    <div className="grid justify-items-center gap-2 px-6 py-10 text-center text-ink-2">
      <p>
        {filtered
          ? t('No call matches.')
          : view.whose === 'mine'
            ? t('Nothing waits for you.')
            : t('Nothing is waiting.')}
      </p>
      {filtered && (
        <button
          type="button"
          className="link"
          onClick={() => onView({ ...FIRST_VIEW, whose: view.whose })}
        >
          {t('Clear the filters')}
        </button>
      )}
      {!filtered && view.whose === 'mine' && total > 0 && (
        <button type="button" className="link" onClick={() => onView({ whose: 'all' })}>
          {t('Show all')}
        </button>
      )}
    </div>
  )
}

function Loading({ height }: { height: number }) {
  return (
    <div aria-busy="true">
      {[46, 38, 52, 44, 60, 40, 50, 36, 48].map((width, at) => (
        <div
          key={at}
          className="grid grid-cols-[26px_minmax(0,1fr)] content-center gap-x-3 gap-y-2.5 border-b border-line px-5"
          style={{ height }}
        >
          <span className="waiting row-span-3 h-7" />
          <span className="waiting" style={{ width: `${width}%` }} />
          <span className="waiting" style={{ width: `${width + 28}%` }} />
          <span className="waiting" style={{ width: `${width - 12}%` }} />
        </div>
      ))}
    </div>
  )
}
