import type { UseMutationResult } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { t } from '../lib/language/t.ts'
import { ErrorMessage } from './error-message.tsx'
import { DeedButton } from './two-steps.tsx'

interface ConfirmButtonProps<T> {
  /** On the first button, with an ellipsis: there is another step. */
  readonly word: string
  /** Whom or what it is about, for those who hear the page. */
  readonly about: string
  /** What will happen. */
  readonly says: ReactNode
  readonly keep?: string
  readonly write: UseMutationResult<T, Error, void>
  readonly onDone?: (result: T) => void
}

function show(dialog: HTMLDialogElement | null): void {
  if (dialog !== null && !dialog.open) dialog.showModal()
}

/** Something that cannot be undone by a second click: a step in between says what will happen. */
export function ConfirmButton<T>(props: ConfirmButtonProps<T>) {
  const { word, about, says, keep = t('Keep'), write, onDone } = props
  const [asking, setAsking] = useState(false)
  const confirm = async () => {
    const result = await write.mutateAsync()
    setAsking(false)
    onDone?.(result)
  }
  return (
    <>
      <button type="button" className="btn btn-small" onClick={() => setAsking(true)}>
        {word}… <span className="sr-only">{about}</span>
      </button>
      {asking && (
        // Over the page: nothing on it moves, so that no second click meets another button.
        <dialog
          ref={show}
          aria-label={t('{word} {about}?', { word, about })}
          className="m-auto max-w-[460px] rounded-lg bg-raised p-5 text-ink shadow-dialog backdrop:bg-scrim max-desk:max-w-[calc(100vw-24px)]"
          onClose={() => setAsking(false)}
        >
          <h2 className="text-md">{t('{word} {about}?', { word, about })}</h2>
          <div className="pt-1 pb-4 text-ink-2">{says}</div>
          <ErrorMessage error={write.error} inline />
          <div className="flex justify-end gap-2">
            {/* The first button gets the focus: the way back, never the deed. */}
            <button type="button" className="btn" onClick={() => setAsking(false)}>
              {keep}
            </button>
            <DeedButton
              className="btn btn-solid"
              disabled={write.isPending}
              onClick={() => void confirm().catch(() => {})}
            >
              {word}
            </DeedButton>
          </div>
        </dialog>
      )}
    </>
  )
}
