import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

export type Tone = 'plain' | 'good' | 'bad' | 'warn' | 'open' | 'accent'

export const toneClass = (tone: Tone) => (tone === 'plain' ? '' : `tone-${tone}`)

export function Chip({
  tone = 'plain',
  icon: Icon,
  children,
}: {
  tone?: Tone
  icon?: LucideIcon
  children: ReactNode
}) {
  return (
    <span className={`chip ${toneClass(tone)}`}>
      {Icon && <Icon size={14} aria-hidden="true" />}
      {children}
    </span>
  )
}
