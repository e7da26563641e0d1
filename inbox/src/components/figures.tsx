import type { ReactNode } from 'react'

export interface Figure {
  readonly name: string
  readonly value: ReactNode
  /** What it is of, in a few words. */
  readonly of?: string | undefined
  /** What it is of is read where there is room: a phone shows the number alone. */
  readonly isMinor?: boolean
  /** Marked: a person should look at it. */
  readonly isOpen?: boolean
}

/** A row of numbers above what they are of. */
export function Figures({ label, figures }: { label: string; figures: readonly Figure[] }) {
  return (
    <dl aria-label={label} className="frame flex flex-wrap gap-px bg-line">
      {figures.map(({ name, value, of, isMinor = false, isOpen = false }) => (
        <div
          key={name}
          className={`min-w-[128px] flex-1 px-4 py-2.5 max-desk:min-w-[104px] max-desk:px-3 ${isOpen ? 'bg-open-soft' : 'bg-surface'}`}
        >
          <dt className={`text-xs ${isOpen ? 'text-open' : 'text-ink-3'}`}>{name}</dt>
          <dd className={`text-lg font-semibold tabular-nums ${isOpen ? 'text-open' : ''}`}>
            {value}
            {of !== undefined && (
              <span
                className={`block text-xs font-normal text-ink-3 ${isMinor ? 'max-desk:hidden' : ''}`}
              >
                {of}
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
