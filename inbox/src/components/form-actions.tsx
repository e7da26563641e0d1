import { useEffect } from 'react'
import { t } from '../lib/language/t.ts'
import { ErrorMessage } from './error-message.tsx'

interface FormActionsProps {
  /** What sending does, as a verb. */
  readonly send: string
  readonly back?: string
  readonly error: unknown
  readonly disabled?: boolean
  readonly small?: boolean
  readonly onBack: () => void
}

/** The end of a small form: the way back, the way on, and why it did not work. */
export function FormActions(props: FormActionsProps) {
  const { send, back = t('Go back'), error, disabled = false, small = false, onBack } = props
  const size = small ? 'btn-small' : ''
  useEffect(() => {
    const leave = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) onBack()
    }
    addEventListener('keydown', leave)
    return () => removeEventListener('keydown', leave)
  }, [onBack])
  return (
    <>
      <span className="flex flex-wrap gap-2">
        <button type="button" className={`btn ${size}`} onClick={onBack}>
          {back}
        </button>
        <button type="submit" className={`btn ${size} btn-solid`} disabled={disabled}>
          {send}
        </button>
      </span>
      <ErrorMessage error={error} inline />
    </>
  )
}
