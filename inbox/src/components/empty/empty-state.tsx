import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

interface EmptyStateProps {
  readonly icon: LucideIcon
  readonly title: string
  /** What would be here, and how it comes here. */
  readonly children?: ReactNode
}

/** In place of a list that holds nothing: what it would hold, and the next step. */
export function EmptyState({ icon: Icon, title, children }: EmptyStateProps) {
  return (
    <section className="frame grid justify-items-center gap-1.5 px-6 py-8 text-center max-desk:px-4">
      <span className="grid size-10 place-items-center rounded-full bg-accent-soft text-accent">
        <Icon size={20} aria-hidden="true" />
      </span>
      <h2 className="text-md">{title}</h2>
      <div className="grid max-w-[64ch] justify-items-center gap-2 text-ink-2">{children}</div>
    </section>
  )
}
