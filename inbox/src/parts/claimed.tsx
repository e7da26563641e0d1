import { Quote } from 'lucide-react'
import type { ApprovalCard } from '../../../src/api/approval.ts'
import { visibleText } from '../text/unseen.ts'
import { Foreign, ForeignLines } from './foreign.tsx'

/** The agent's words, below everything that was computed. Nothing where it said nothing. */
export function Claimed({ claimed, id }: { claimed: ApprovalCard['claimed']; id: string }) {
  const says = claimed?.says ?? ''
  const links = claimed?.links ?? []
  if (says === '' && links.length === 0) return null
  return (
    <section className="claimed max-desk:px-3" aria-labelledby={`claimed-${id}`}>
      <header className="flex flex-wrap items-center gap-x-2.5">
        <h3 id={`claimed-${id}`} className="flex items-center gap-[7px] text-claim-ink">
          <Quote size={15} aria-hidden="true" />
          Claimed by the agent <span className="sr-only">of {visibleText(id)}</span>
        </h3>
        <span className="text-ink-3">Not checked. Plain text, as the agent wrote it.</span>
      </header>
      <blockquote className="mt-2 max-w-[76ch] border-l-2 border-claim-line pl-3 text-md wrap-anywhere">
        {says !== '' && <ForeignLines text={says} />}
        {links.map((link) => (
          <span key={link} className="block font-mono text-code">
            <Foreign text={link} />
          </span>
        ))}
      </blockquote>
    </section>
  )
}
