import type { ReactNode } from 'react'
import type { Tone } from '../../components/chip.tsx'

const EDGES: Readonly<Record<Tone, string>> = {
  plain: 'border-t-2 border-control',
  good: 'border-t-2 border-good',
  bad: 'border-t-2 border-bad',
  warn: 'border-t-2 border-warn',
  open: 'border-t-2 border-open',
  accent: 'border-t-2 border-accent',
}

/** The foot of a card. It never scrolls away, and everything that decides is in it. */
export function Bar({
  tone,
  label,
  children,
}: {
  tone?: Tone
  label: string
  children: ReactNode
}) {
  return (
    <section
      aria-label={label}
      className={`@container relative z-[1] max-h-[70dvh] flex-none overflow-visible bg-surface px-6 pt-2.5 pb-3 shadow-bar max-desk:px-3 max-desk:pb-[max(12px,env(safe-area-inset-bottom))] short:py-2 ${
        tone === undefined ? 'border-t border-line' : EDGES[tone]
      }`}
    >
      <div className="mx-auto grid max-w-[972px] grid-cols-[minmax(0,1fr)] gap-2.5 short:gap-1.5">
        {children}
      </div>
    </section>
  )
}

/** Buttons on the right, words on the left; on a phone one below the other. */
export function BarRow({ children }: { children: ReactNode }) {
  return (
    <div className="flex items-center gap-2 flex-wrap max-desk:[&>p]:basis-full max-desk:[&_.btn]:h-12 max-desk:[&_.btn]:flex-[1_1_34%] short:[&_.btn]:h-9">
      {children}
    </div>
  )
}

/** Stays together: where the words beside it are too long for one line, they get a line of their own. */
export function BarButtons({ children }: { children: ReactNode }) {
  return <div className="ml-auto flex gap-2 max-desk:contents">{children}</div>
}
