import type { UseMutationResult } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ErrorMessage } from './error-message.tsx'

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

/** The way back gets the focus, never the deed. */
function focus(button: HTMLButtonElement | null): void {
  button?.focus()
}

/** Something that cannot be undone by a second click: a step in between says what will happen. */
export function ConfirmButton<T>(props: ConfirmButtonProps<T>) {
  const { word, about, says, keep = 'Keep', write, onDone } = props
  const [asking, setAsking] = useState(false)
  const confirm = async () => {
    const result = await write.mutateAsync()
    setAsking(false)
    onDone?.(result)
  }
  if (!asking) {
    return (
      <button type="button" className="btn btn-small" onClick={() => setAsking(true)}>
        {word}… <span className="sr-only">{about}</span>
      </button>
    )
  }
  return (
    <fieldset className="flex min-w-0 basis-full flex-wrap items-center gap-2 rounded-md bg-sunken px-3 py-2">
      <legend className="sr-only">
        {word} {about}?
      </legend>
      <span className="min-w-40 flex-1 text-ink-2">{says}</span>
      <button
        type="button"
        className="btn btn-small btn-quiet"
        ref={focus}
        onClick={() => setAsking(false)}
      >
        {keep}
      </button>
      <button
        type="button"
        className="btn btn-small"
        disabled={write.isPending}
        onClick={() => void confirm().catch(() => {})}
      >
        {word}
      </button>
      <ErrorMessage error={write.error} inline />
    </fieldset>
  )
}
