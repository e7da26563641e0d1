import { Suspense, useEffect, useRef, useState } from 'react'
import { useLocation, useRoute, useSearch } from 'wouter'
import type { Me } from '../../../../src/api/approval.ts'
import { usePending } from '../../api/approvals.ts'
import { useDebounced } from '../../lib/hooks/use-debounced.ts'
import { useNarrow } from '../../lib/hooks/use-narrow.ts'
import { t } from '../../lib/language/t.ts'
import { lazy } from '../../lib/lazy.tsx'
import { serverNow } from '../../lib/time/server-time.ts'
import { toggled } from '../batch/picked.ts'
import { Card } from '../card/card.tsx'
import { List } from './approval-list.tsx'
import { FIRST_VIEW, fits, type ListView, readView } from './list-view.ts'

const Empty = lazy(() => import('./empty-inbox.tsx'), 'Empty')

const Batch = lazy(() => import('../batch/batch.tsx'), 'Batch')

export function InboxPage({ me }: { me: Me }) {
  const [location, navigate] = useLocation()
  const [, match] = useRoute('/approvals/:id')
  const selected = match ? decodeURIComponent(match.id) : undefined
  const [view, setView] = useView()
  const find = useDebounced(view.find, 200)
  const { data: pending, isPlaceholderData } = usePending(view.order, find)
  const narrow = useNarrow()
  const chosen = useRef(false)
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const [isOpen, setOpen] = useState(false)

  const rows = pending?.rows
  const now = serverNow()
  const here = (rows ?? []).filter((row) => fits(row, view, now))
  const total = pending === undefined ? undefined : pending.counts.mine + pending.counts.others
  const at = here.findIndex(({ id }) => id === selected)
  const following = (at >= 0 ? here[at + 1] : undefined) ?? here.find(({ id }) => id !== selected)
  const first = here[0]?.id
  // On a phone the list stays until all are picked.
  const isTogether = picked.size > 1 && (isOpen || !narrow)
  const isListed = selected === undefined && !isTogether

  // Nothing waits for this person, but something waits: better shown than an empty list.
  useEffect(() => {
    if (chosen.current || pending === undefined) return
    chosen.current = true
    if (view === FIRST_VIEW && pending.counts.mine === 0 && pending.counts.others > 0)
      setView({ whose: 'all' })
  }, [pending, view, setView])

  // On a wide page there is always a call beside the list; on a phone the list is a page itself.
  useEffect(() => {
    if (narrow || location !== '/' || first === undefined) return
    navigate(`/approvals/${encodeURIComponent(first)}`, { replace: true })
  }, [narrow, location, first, navigate])

  useEffect(() => {
    document.title = `${total ? `(${total}) ` : ''}${t('Inbox')} · Countersign`
  }, [total])

  const isEmpty = total === 0 && find === '' && view.find === ''
  if (isEmpty && selected === undefined && picked.size < 2) {
    return (
      <Suspense fallback={<main aria-busy="true" />}>
        <Empty me={me} />
      </Suspense>
    )
  }
  const identical = (rows ?? []).find(({ id }) => id === selected)?.digest
  return (
    <main className="grid min-h-0 grid-cols-[372px_minmax(0,1fr)] bg-surface max-wide:grid-cols-[320px_minmax(0,1fr)] max-desk:grid-cols-1">
      <div
        className={`grid min-h-0 grid-cols-[minmax(0,1fr)] ${isListed ? '' : 'max-desk:hidden'}`}
      >
        <List
          pending={pending}
          isOld={isPlaceholderData}
          view={view}
          selected={selected}
          picked={picked}
          onView={setView}
          onPick={(ids) => {
            setOpen(!narrow)
            setPicked((old) => (ids === undefined ? new Set() : toggled(old, ids)))
          }}
          onTogether={() => setOpen(true)}
        />
      </div>
      <section
        aria-label={t('Selected call')}
        className={`flex min-h-0 min-w-0 flex-col bg-canvas ${isListed ? 'max-desk:hidden' : ''}`}
      >
        <h1 className="sr-only desk:hidden">{t('Inbox')}</h1>
        {isTogether ? (
          <Suspense fallback={<div aria-busy="true" />}>
            <Batch ids={[...picked]} onDone={() => setPicked(new Set())} />
          </Suspense>
        ) : selected === undefined ? (
          <p className="m-auto px-6 text-ink-3">
            {pending === undefined ? '' : t('Choose a call on the left.')}
          </p>
        ) : (
          <Card
            key={selected}
            id={selected}
            me={me.person}
            identical={(rows ?? [])
              .filter(({ digest }) => digest === identical)
              .map(({ id }) => id)}
            onNext={() =>
              navigate(
                following === undefined ? '/' : `/approvals/${encodeURIComponent(following.id)}`,
              )
            }
            isLast={following === undefined}
            back="/"
          />
        )}
      </section>
    </main>
  )
}

/**
 * What the list shows. An address can say it, as a saved view or a shared link does; the list then
 * follows that address, and otherwise what was chosen last.
 */
function useView(): readonly [ListView, (change: Partial<ListView>) => void] {
  const [location, navigate] = useLocation()
  const search = useSearch()
  const [applied, setApplied] = useState('')
  const [view, setView] = useState(FIRST_VIEW)
  // While rendering: before anything is chosen from a list of the view before.
  if (search !== applied) {
    setApplied(search)
    if (search !== '') setView(readView(new URLSearchParams(search)))
  }
  const change = (changed: Partial<ListView>) => {
    const next = { ...view, ...changed }
    setView(next)
    if (search === '') return
    // The address said something else: from now on the page does.
    setApplied('')
    navigate(location, { replace: true })
  }
  return [view, change]
}
