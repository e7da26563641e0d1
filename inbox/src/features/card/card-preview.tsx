import { Suspense } from 'react'
import type { ApprovalCard } from '../../../../src/api/approval.ts'
import { lazy } from '../../lib/lazy.tsx'

// Most calls have no preview.
const Preview = lazy(() => import('./preview.tsx'), 'Preview')

/** What the program says the call would do, where it says so. */
export function CardPreview(props: { readonly card: ApprovalCard; readonly of?: string }) {
  if (props.card.preview === undefined) return null
  return (
    <Suspense fallback={<div className="h-40" />}>
      <Preview {...props} />
    </Suspense>
  )
}
