import { Check, Link2, Pencil, RefreshCw, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import type { SavedView } from '../../../../src/api/history/saved-views.ts'
import { useChangeView, useDeleteView } from '../../api/saved-views.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { FormActions } from '../../components/form-actions.tsx'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { BASE_PATH } from '../../lib/base-path.ts'
import { t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { viewPath } from '../../lib/view-address.ts'

interface ViewRowProps {
  readonly view: SavedView
  /** What the page is narrowed by now. */
  readonly query: string
  readonly onOpen: () => void
}

/** One saved view: opening it, its link, its name, and what it filters. */
export function ViewRow({ view, query, onOpen }: ViewRowProps) {
  const [, navigate] = useLocation()
  const [isRenaming, setRenaming] = useState(false)
  const change = useChangeView(view.id)
  const remove = useDeleteView(view.id)
  const about = visibleText(view.name)
  const isShown = view.query === query
  if (isRenaming) {
    return (
      <li className="px-3 py-2">
        <Rename
          name={view.name}
          error={change.error}
          onBack={() => setRenaming(false)}
          onName={(name) => change.mutate({ name }, { onSuccess: () => setRenaming(false) })}
        />
      </li>
    )
  }
  return (
    <li className="flex flex-wrap items-center gap-1 py-1 pr-1.5 pl-3">
      <button
        type="button"
        className="link min-w-0 flex-1 py-1 text-left wrap-anywhere"
        aria-current={isShown ? 'true' : undefined}
        onClick={() => {
          onOpen()
          navigate(viewPath(view))
        }}
      >
        <UntrustedText text={view.name} />
        {isShown && <Check size={14} aria-label={t('shown now')} />}
      </button>
      {!isShown && query !== '' && (
        <button
          type="button"
          className="icon-btn"
          title={t('Use what is shown now')}
          aria-label={t('Change {about} to what is shown now', { about })}
          disabled={change.isPending}
          onClick={() => change.mutate({ query })}
        >
          <RefreshCw size={14} aria-hidden="true" />
        </button>
      )}
      <CopyLink view={view} about={about} />
      <button
        type="button"
        className="icon-btn"
        title={t('Rename')}
        aria-label={t('Rename {about}', { about })}
        onClick={() => setRenaming(true)}
      >
        <Pencil size={14} aria-hidden="true" />
      </button>
      <button
        type="button"
        className="icon-btn"
        title={t('Delete')}
        aria-label={t('Delete {about}', { about })}
        disabled={remove.isPending}
        onClick={() => remove.mutate()}
      >
        <Trash2 size={14} aria-hidden="true" />
      </button>
      <ErrorMessage error={change.error ?? remove.error} inline />
    </li>
  )
}

interface RenameProps {
  readonly name: string
  readonly error: unknown
  readonly onBack: () => void
  readonly onName: (name: string) => void
}

function Rename({ name, error, onBack, onName }: RenameProps) {
  const [typed, setTyped] = useState(name)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    onName(typed)
  }
  return (
    <form className="grid gap-2" onSubmit={onSubmit}>
      <input
        type="text"
        className="field w-full"
        aria-label={t('New name')}
        autoComplete="off"
        maxLength={60}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <FormActions
        small
        send={t('Rename')}
        error={error}
        disabled={typed.trim() === ''}
        onBack={onBack}
      />
    </form>
  )
}

interface CopyLinkProps {
  readonly view: Pick<SavedView, 'page' | 'query'>
  readonly about: string
}

/** The link holds the filter itself, so that it opens for every person who may see the page. */
export function CopyLink({ view, about }: CopyLinkProps) {
  const [copied, setCopied] = useState<string>()
  const link = location.origin + BASE_PATH + viewPath(view)
  const isCopied = copied === link
  return (
    <button
      type="button"
      className="icon-btn"
      title={isCopied ? t('Copied') : t('Copy a link')}
      aria-label={
        isCopied
          ? t('Copied the link to {about}', { about })
          : t('Copy a link to {about}', { about })
      }
      onClick={() => void navigator.clipboard.writeText(link).then(() => setCopied(link))}
    >
      {isCopied ? <Check size={14} aria-hidden="true" /> : <Link2 size={14} aria-hidden="true" />}
    </button>
  )
}
