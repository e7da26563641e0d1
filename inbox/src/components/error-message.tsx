import { errorMessage } from '../api/errors.ts'
import { visibleText } from '../lib/text/invisible-characters.ts'

interface ErrorMessageProps {
  /** Whatever a query or a write threw. Shows nothing when there is nothing. */
  readonly error?: unknown
  /** In place of what `error` says. */
  readonly text?: string
  /** In a line or a small form, without a box of its own. */
  readonly inline?: boolean
}

/** What went wrong, where it cannot be missed. */
export function ErrorMessage({ error, text = errorMessage(error), inline }: ErrorMessageProps) {
  if (text === '') return null
  return inline ? (
    <span role="alert" className="basis-full wrap-anywhere text-bad">
      {visibleText(text)}
    </span>
  ) : (
    <p role="alert" className="rounded-md bg-bad-soft px-3 py-1.5 wrap-anywhere text-bad">
      {visibleText(text)}
    </p>
  )
}
