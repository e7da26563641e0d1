import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { SavedView } from '../../../../src/api/history/saved-views.ts'
import { savedViewsQuery, useSaveView } from '../../api/saved-views.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Loaded } from '../../components/page.tsx'
import { t } from '../../lib/language/t.ts'
import { CopyLink, ViewRow } from './view-row.tsx'

interface ViewsDialogProps {
  readonly title: string
  readonly page: SavedView['page']
  /** What the page is narrowed by now, as its address says it. */
  readonly query: string
  readonly onClose: () => void
  /** Filters that the page itself has no room for. */
  readonly children?: ReactNode
}

function show(dialog: HTMLDialogElement | null): void {
  if (dialog !== null && !dialog.open) dialog.showModal()
}

/** A person's filters under a name: open one, save what is on screen, share it as a link. */
export function ViewsDialog({ title, page, query, onClose, children }: ViewsDialogProps) {
  const { data, error } = useQuery(savedViewsQuery)
  return (
    <dialog
      ref={show}
      aria-label={title}
      data-keys-off=""
      className="m-auto w-[520px] max-w-[calc(100vw-24px)] rounded-lg bg-raised p-5 text-ink shadow-dialog backdrop:bg-scrim"
      onClose={onClose}
    >
      <div className="grid gap-4">
        <header className="flex items-center gap-2">
          <h2 className="flex-1 text-md">{title}</h2>
          <button type="button" className="icon-btn" aria-label={t('Close')} onClick={onClose}>
            <X size={16} aria-hidden="true" />
          </button>
        </header>
        {children}
        <Loaded data={data} error={error}>
          {(views) => {
            const here = views.filter((view) => view.page === page)
            return here.length === 0 ? (
              <p className="text-ink-2">
                {t(
                  'No saved views of this page yet. They are kept with your account, on every machine.',
                )}
              </p>
            ) : (
              <ul
                className="divide-y divide-line rounded-md border border-line"
                aria-label={t('Saved views')}
              >
                {here.map((view) => (
                  <ViewRow key={view.id} view={view} query={query} onOpen={onClose} />
                ))}
              </ul>
            )
          }}
        </Loaded>
        <SaveForm page={page} query={query} />
      </div>
    </dialog>
  )
}

function SaveForm({ page, query }: Pick<SavedView, 'page' | 'query'>) {
  const [name, setName] = useState('')
  const save = useSaveView()
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate({ name, page, query }, { onSuccess: () => setName('') })
  }
  if (query === '') {
    return <p className="text-xs text-ink-3">{t('Choose a filter first to save it as a view.')}</p>
  }
  return (
    <form className="grid gap-1.5 border-t border-line pt-4" onSubmit={onSubmit}>
      <label htmlFor="view-name" className="text-xs font-medium text-ink-2">
        {t('Save what is shown now')}
      </label>
      <div className="flex flex-wrap gap-2">
        <input
          id="view-name"
          type="text"
          className="field min-w-40 flex-1"
          placeholder={t('Name of the view')}
          autoComplete="off"
          maxLength={60}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <button
          type="submit"
          className="btn btn-small btn-solid"
          disabled={name.trim() === '' || save.isPending}
        >
          {t('Save view')}
        </button>
        <CopyLink view={{ page, query }} about={t('what is shown now')} />
      </div>
      <ErrorMessage error={save.error} inline />
    </form>
  )
}
