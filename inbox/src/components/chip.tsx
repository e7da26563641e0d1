import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

export type Tone = 'plain' | 'good' | 'bad' | 'warn' | 'open' | 'accent'

export const toneClass = (tone: Tone) => (tone === 'plain' ? '' : `tone-${tone}`)

export function Chip({
  tone = 'plain',
  icon: Icon,
  last = false,
  children,
}: {
  tone?: Tone
  icon?: LucideIcon | undefined
  /** On a phone after everything else in its row. */
  last?: boolean
  children: ReactNode
}) {
  return (
    <span className={`chip ${toneClass(tone)} ${last ? 'max-desk:order-5' : ''}`}>
      {Icon && <Icon size={14} aria-hidden="true" />}
      {children}
    </span>
  )
}
