import { type ReactNode, useEffect, useState } from 'react'
import { t } from '../lib/language/t.ts'

interface DeedButtonProps {
  readonly className?: string
  readonly disabled: boolean
  readonly onClick: () => void
  readonly children: ReactNode
}

/** Long enough that the second half of a double click meets nothing. */
const WAIT_MS = 500

/** The button of a second step: it does nothing in its first moment on the screen, and takes the focus. */
export function DeedButton({ className = 'btn', disabled, onClick, children }: DeedButtonProps) {
  const [isReady, setReady] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setReady(true), WAIT_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <button
      type="button"
      className={className}
      disabled={disabled}
      aria-disabled={!isReady}
      onClick={() => isReady && onClick()}
    >
      {children}
    </button>
  )
}

interface TwoStepsProps {
  /** On the first button, with an ellipsis: there is another step. */
  readonly first: string
  readonly question: string
  /** What will happen. */
  readonly says: ReactNode
  readonly keep?: string
  readonly deed: string
  readonly busy?: boolean
  /** Takes something away from others: said in the colour of that, as well as in words. */
  readonly isStern?: boolean
  /** `close` goes back to the first button. */
  readonly onDeed: (close: () => void) => void
}

/** Something that takes effect at once, in the row it is about: the first button only asks. */
export function TwoSteps(props: TwoStepsProps) {
  const { first, question, says, keep = t('Keep'), deed, busy = false, onDeed } = props
  const look = props.isStern ? 'btn text-bad' : 'btn'
  const [isAsking, setAsking] = useState(false)
  const close = () => setAsking(false)
  if (!isAsking) {
    return (
      <button type="button" className={look} onClick={() => setAsking(true)}>
        {first}…
      </button>
    )
  }
  return (
    <fieldset className="flex flex-wrap items-center gap-2">
      <legend className="sr-only">{question}</legend>
      <span className="text-ink-2">{says}</span>
      <DeedButton className={look} disabled={busy} onClick={() => onDeed(close)}>
        {deed}
      </DeedButton>
      {/* Where the first button was: a second click of a hasty hand changes nothing. */}
      <button type="button" className="btn" onClick={close}>
        {keep}
      </button>
    </fieldset>
  )
}
