import type { KeyboardEvent, MouseEvent, ReactNode } from 'react'
import type { RiskLevel } from '../../../src/api/common.ts'
import { levelOf } from '../parts/risk.tsx'

interface ApproveButtonProps {
  readonly risk: RiskLevel | undefined
  /** All was shown, and nothing is missing. */
  readonly ready: boolean
  /** The content has stood still long enough. */
  readonly armed: boolean
  readonly title?: string | undefined
  readonly onApprove: () => void
  readonly children: ReactNode
}

/**
 * The one dangerous button. It never takes the focus by itself, Enter does not press it, and it
 * keeps its place and its words while it waits.
 */
export function ApproveButton({
  risk,
  ready,
  armed,
  title,
  onApprove,
  children,
}: ApproveButtonProps) {
  const level = levelOf(risk) ?? 0
  const look = level >= 4 ? `btn-risk-${level}` : ''
  return (
    <button
      type="button"
      className={`btn btn-solid ${look}`}
      data-approve=""
      data-arming={ready && !armed ? '' : undefined}
      aria-disabled={!ready || !armed}
      title={title}
      // A second click of a hasty hand must not even leave the focus here.
      onMouseDown={(event: MouseEvent) => {
        if (!ready || !armed) event.preventDefault()
      }}
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key === 'Enter') event.preventDefault()
      }}
      onClick={(event: MouseEvent) => {
        event.preventDefault()
        if (ready && armed) onApprove()
      }}
    >
      {children}
    </button>
  )
}
