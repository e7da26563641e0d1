import { Quote } from 'lucide-react'
import { type ReactNode, Suspense } from 'react'
import type { ApprovalCard } from '../../../../src/api/approval.ts'
import { UntrustedLines, UntrustedText } from '../../components/untrusted-text.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { lazy } from '../../lib/lazy.tsx'
import { visibleText } from '../../lib/text/invisible-characters.ts'

// Most calls are of no workflow.
const Workflow = lazy(() => import('./workflow.tsx'), 'Workflow')

interface ClaimedProps {
  readonly card: ApprovalCard
  /** Which of several calls it is about, where more than one is shown. */
  readonly of?: ReactNode
}

/** The agent's words, below everything that was computed. Nothing where it said nothing. */
export function Claimed({ card: { claimed, id, run }, of }: ClaimedProps) {
  const says = claimed?.says ?? ''
  const links = claimed?.links ?? []
  const workflow = claimed?.workflow
  const isSaid = says !== '' || links.length > 0
  if (!isSaid && workflow === undefined) return null
  return (
    <section className="claimed max-desk:px-3" aria-labelledby={`claimed-${id}`}>
      <header className="flex flex-wrap items-center gap-x-2.5">
        <h3 id={`claimed-${id}`} className="flex items-center gap-[7px] text-claim-ink">
          <Quote size={15} aria-hidden="true" />
          {rich('Claimed by the agent {id}', {
            id: of === undefined && (
              <span className="sr-only">{rich('of {id}', { id: visibleText(id) })}</span>
            ),
          })}
          {of !== undefined && <span>{rich('about {of}', { of })}</span>}
        </h3>
        <span className="text-ink-3">{t('Not checked. Plain text, as the agent wrote it.')}</span>
      </header>
      {isSaid && (
        <blockquote className="mt-2 max-w-[76ch] border-l-2 border-claim-line pl-3 text-md wrap-anywhere">
          {says !== '' && <UntrustedLines text={says} />}
          {links.map((link) => (
            <span key={link} className="block font-mono text-code">
              <UntrustedText text={link} />
            </span>
          ))}
        </blockquote>
      )}
      {workflow && (
        <Suspense fallback={null}>
          <Workflow workflow={workflow} run={run} />
        </Suspense>
      )}
    </section>
  )
}
